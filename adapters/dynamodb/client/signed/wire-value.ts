/**
 * Converts attribute values between the code and DynamoDB's JSON: numbers are exact decimal text,
 * bytes are base64. The result is that of lib-dynamodb with `removeUndefinedValues` and
 * `wrapNumbers`; a test compares the two. Values that no item can hold are refused.
 */
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb'
import { Fault } from '../../../../core/errors.ts'

/** A value in DynamoDB's JSON: an object with one member, which is named by the value's type. */
export type WireValue = { readonly [type: string]: unknown }
export type WireItem = { readonly [name: string]: WireValue }
export type PlainItem = { [name: string]: unknown }

/**
 * The item in DynamoDB's JSON, without undefined values and functions. Throws `Fault('internal')`.
 */
export function toWireItem(item: object): WireItem {
  const stored = Object.entries(item).filter(([, value]) => isStored(value))
  return Object.fromEntries(stored.map(([name, value]) => [name, toWireValue(value)]))
}

function isStored(value: unknown): boolean {
  return value !== undefined && typeof value !== 'function'
}

function toWireValue(value: unknown): WireValue {
  switch (typeof value) {
    case 'string':
      return { S: value }
    case 'number':
      return { N: writeNumber(value) }
    case 'bigint':
      return { N: String(value) }
    case 'boolean':
      return { BOOL: value }
    case 'object':
      return value === null ? { NULL: true } : toWireObject(value)
    default:
      throw unstorable(`a ${typeof value}`)
  }
}

function toWireObject(value: object): WireValue {
  if (value instanceof NumberValue) return { N: value.value }
  if (value instanceof Uint8Array) return { B: toBase64(value) }
  if (Array.isArray(value)) return { L: value.filter(isStored).map(toWireValue) }
  if (value instanceof Set) return toWireSet([...value].filter(isStored))
  if (value instanceof Map) return { M: toWireItem(Object.fromEntries(value)) }
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== null && prototype !== Object.prototype) throw unstorable(value.constructor.name)
  return { M: toWireItem(value) }
}

/** All values of a set have the type of its first value. */
function toWireSet(values: readonly unknown[]): WireValue {
  const [type] = Object.keys(toWireValue(values[0] ?? null))
  if (type !== 'S' && type !== 'N' && type !== 'B') throw unstorable('an empty or a mixed set')
  const texts = values.map((value) => toWireValue(value)[type])
  if (texts.includes(undefined)) throw unstorable('an empty or a mixed set')
  return { [`${type}S`]: texts }
}

/**
 * A float over 2^53 has lost digits already; callers pass such numbers as NumberValue or bigint.
 */
function writeNumber(value: number): string {
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER) {
    throw unstorable(`the number ${value}`)
  }
  return String(value)
}

function unstorable(what: string): Fault {
  return new Fault('internal', `store: no item can hold ${what}`)
}

/** The item of an answer with plain values. Throws `Fault('internal')` for an unknown type. */
export function toPlainItem(wire: WireItem): PlainItem {
  return Object.fromEntries(
    Object.entries(wire).map(([name, value]) => [name, toPlainValue(value)]),
  )
}

function toPlainValue(wire: WireValue): unknown {
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
    B: fromBase64,
    BOOL: (flag: boolean) => flag,
    NULL: () => null,
    M: toPlainItem,
    L: (values: WireValue[]) => values.map(toPlainValue),
    SS: (texts: string[]) => new Set(texts),
    NS: (texts: string[]) => new Set(texts.map((text) => NumberValue.from(text))),
    BS: (texts: string[]) => new Set(texts.map(fromBase64)),
  },
)

/** Decodes only the bytes of the item, as the SDK does with items beside refused conditions. */
export function decodeItemBytes(wire: WireItem): WireItem {
  return Object.fromEntries(
    Object.entries(wire).map(([name, value]) => [name, decodeBytesIn(value)]),
  )
}

function decodeBytesIn(wire: WireValue): WireValue {
  const { B, BS, L, M } = wire
  if (B !== undefined) return { B: fromBase64(B as string) }
  if (BS !== undefined) return { BS: (BS as string[]).map(fromBase64) }
  if (L !== undefined) return { L: (L as WireValue[]).map(decodeBytesIn) }
  return M === undefined ? wire : { M: decodeItemBytes(M as WireItem) }
}

function toBase64({ buffer, byteLength, byteOffset }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

function fromBase64(text: string): Uint8Array {
  const { buffer, byteLength, byteOffset } = Buffer.from(text, 'base64')
  return new Uint8Array(buffer, byteOffset, byteLength)
}
