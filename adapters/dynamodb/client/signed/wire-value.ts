/**
 * Attribute values between the code and DynamoDB's JSON: numbers are exact decimal text, bytes are base64. Gives
 * what lib-dynamodb gives with `removeUndefinedValues` and `wrapNumbers`; a test compares the two. Refuses
 * what no item can hold.
 */
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb'
import { Fault } from '../../../../core/errors.ts'

/** As JSON has it: one member, named by its type. */
export type WireValue = { readonly [type: string]: unknown }
export type WireItem = { readonly [name: string]: WireValue }
export type PlainItem = { [name: string]: unknown }

/** Leaves out undefined and functions. */
export function wireItem(item: object): WireItem {
  const stored = Object.entries(item).filter(([, value]) => isStored(value))
  return Object.fromEntries(stored.map(([name, value]) => [name, wireValue(value)]))
}

function isStored(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function'
}

function wireValue(value: unknown): WireValue {
  switch (typeof value) {
    case 'string':
      return { S: value }
    case 'number':
      return { N: numberText(value) }
    case 'bigint':
      return { N: String(value) }
    case 'boolean':
      return { BOOL: value }
    case 'object':
      return value === null ? { NULL: true } : wireObject(value)
    default:
      throw unfit(`a ${typeof value}`)
  }
}

function wireObject(value: object): WireValue {
  if (value instanceof NumberValue) return { N: value.value }
  if (value instanceof Uint8Array) return { B: base64(value) }
  if (Array.isArray(value)) return { L: value.filter(isStored).map(wireValue) }
  if (value instanceof Set) return wireSet([...value].filter(isStored))
  if (value instanceof Map) return { M: wireItem(Object.fromEntries(value)) }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) throw unfit(value.constructor.name)
  return { M: wireItem(value) }
}

/** A set has one type, that of its first value. */
function wireSet(values: readonly unknown[]): WireValue {
  const [type] = Object.keys(wireValue(values[0] ?? null))
  if (type !== 'S' && type !== 'N' && type !== 'B') throw unfit('an empty or a mixed set')
  const texts = values.map((value) => wireValue(value)[type])
  if (texts.includes(undefined)) throw unfit('an empty or a mixed set')
  return { [`${type}S`]: texts }
}

/** A float past 2^53 has lost digits already; exact numbers come as NumberValue or bigint. */
function numberText(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw unfit(`the number ${value}`)
  }
  return String(value)
}

function unfit(what: string): Fault {
  return new Fault('internal', `store: no item can hold ${what}`)
}

export function plainItem(wire: WireItem): PlainItem {
  return Object.fromEntries(Object.entries(wire).map(([name, value]) => [name, plainValue(value)]))
}

function plainValue(wire: WireValue): unknown {
  for (const type in wire) {
    const read = READERS[type]
    // A cast, as in any parser: the member's name is the type of its value.
    if (read !== undefined) return read(wire[type] as never)
  }
  throw new Fault('internal', `store: an attribute has an unknown type ${Object.keys(wire)}`)
}

const READERS: { readonly [type: string]: ((value: never) => unknown) | undefined } = Object.assign(
  Object.create(null),
  {
    S: (text: string) => text,
    N: (text: string) => NumberValue.from(text),
    B: bytes,
    BOOL: (flag: boolean) => flag,
    NULL: () => null,
    M: plainItem,
    L: (values: WireValue[]) => values.map(plainValue),
    SS: (texts: string[]) => new Set(texts),
    NS: (texts: string[]) => new Set(texts.map((text) => NumberValue.from(text))),
    BS: (texts: string[]) => new Set(texts.map(bytes)),
  },
)

/**
 * The item stays in wire form with its bytes decoded, as the SDK gives the items beside refused conditions.
 */
export function decodedItem(wire: WireItem): WireItem {
  return Object.fromEntries(Object.entries(wire).map(([name, value]) => [name, decoded(value)]))
}

function decoded(wire: WireValue): WireValue {
  const { B, BS, L, M } = wire
  if (B !== undefined) return { B: bytes(B as string) }
  if (BS !== undefined) return { BS: (BS as string[]).map(bytes) }
  if (L !== undefined) return { L: (L as WireValue[]).map(decoded) }
  return M === undefined ? wire : { M: decodedItem(M as WireItem) }
}

function base64({ buffer, byteLength, byteOffset }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

function bytes(text: string): Uint8Array {
  const { buffer, byteLength, byteOffset } = Buffer.from(text, 'base64')
  return new Uint8Array(buffer, byteOffset, byteLength)
}
