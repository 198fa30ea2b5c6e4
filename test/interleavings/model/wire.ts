/** Items and errors of DynamoDB as they cross the wire in JSON: bytes are base64, numbers are text. */

export type Value =
  | { readonly S: string }
  | { readonly N: string }
  | { readonly B: string }
  | { readonly BOOL: boolean }
  | { readonly NULL: true }
  | { readonly L: readonly Value[] }
  | { readonly M: WireItem }

export type WireItem = { readonly [name: string]: Value }

/** Names and values of one expression. */
export type Bindings = {
  readonly ExpressionAttributeNames?: { readonly [name: string]: string }
  readonly ExpressionAttributeValues?: WireItem
}

/** An answer with status 400: the name is what the SDK makes its exception of. */
export class Refused extends Error {
  readonly more: { readonly [name: string]: unknown }

  constructor(name: string, message: string, more: { readonly [name: string]: unknown } = {}) {
    super(message)
    this.name = name
    this.more = more
  }
}

export function invalid(message: string): Refused {
  return new Refused('ValidationException', message)
}

export function textIn(item: WireItem, name: string): string {
  const value = item[name]
  if (value !== undefined && 'S' in value) return value.S
  throw invalid(`The provided key element does not match the schema: ${name}`)
}
