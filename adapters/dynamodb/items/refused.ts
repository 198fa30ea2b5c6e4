/** What the engine answers in place of a result, named as AWS names it. */
import type { Item } from '../client/item.ts'

/** Why one action of a transaction was refused; `None` for one that was not. */
export type Reason = { readonly Code: string; readonly Item?: Item }

export class Refused extends Error {
  /** The item that did not meet the condition, if the request asked for it. */
  readonly item: Item | undefined
  /** Of a transaction: one for each action. */
  readonly reasons: readonly Reason[] | undefined

  constructor(
    name: string,
    message: string,
    more: { readonly item?: Item | undefined; readonly reasons?: readonly Reason[] } = {},
  ) {
    super(message)
    this.name = name
    this.item = more.item
    this.reasons = more.reasons
  }
}

/** A request that DynamoDB would not carry out whatever is stored: a bug of whoever sent it. */
export function invalid(message: string): Refused {
  return new Refused('ValidationException', message)
}
