/** The engine's error answers, which have AWS's names. */
import type { Item } from '../client/item.ts'

/** Why one action of a transaction was refused; the code is `None` if it was not. */
export type Reason = { readonly Code: string; readonly Item?: Item }

/** Thrown by the engine; engine-requests.ts turns it into the error that a client of AWS throws. */
export class RefusedRequest extends Error {
  /** The item that did not meet the condition, if the request asked for it. */
  readonly item: Item | undefined
  /** One reason for each action of a transaction; undefined for any other request. */
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

/** Refuses a request that DynamoDB would never carry out: the sender has a bug. */
export function makeValidationError(message: string): RefusedRequest {
  return new RefusedRequest('ValidationException', message)
}
