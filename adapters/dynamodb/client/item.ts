/**
 * Typed reading of stored items. Each `…At` function returns one attribute and throws
 * `Fault('internal')` if it is missing or has another type: then something else changed the store.
 * Numbers arrive as exact decimal text, never as floats.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { NumberValueImpl as NumberValue } from '@aws-sdk/util-dynamodb'
import { Fault } from '../../../core/errors.ts'
import type { MicroCredits } from '../../../core/ledger/ledger.ts'
import { parseBalance, parseMicroCredits } from './credits-codec.ts'

export type Item = { readonly [name: string]: unknown }

export function textAt(item: Item, name: string): string {
  const value = item[name]
  return typeof value === 'string' ? value : throwMisfit(item, name, 'text')
}

export function optionalTextAt(item: Item, name: string): string | undefined {
  return item[name] === undefined ? undefined : textAt(item, name)
}

/** One word of the closed list `words`. */
export function wordAt<T extends string>(item: Item, name: string, words: readonly T[]): T {
  const value = item[name]
  return words.find((word) => word === value) ?? throwMisfit(item, name, words.join(' or '))
}

export function intAt(item: Item, name: string): number {
  const value = item[name]
  const number = value instanceof NumberValue ? Number(value.value) : Number.NaN
  return Number.isSafeInteger(number) ? number : throwMisfit(item, name, 'a whole number')
}

export function optionalIntAt(item: Item, name: string): number | undefined {
  return item[name] === undefined ? undefined : intAt(item, name)
}

export function creditsAt(item: Item, name: string): MicroCredits {
  const value = item[name]
  const micro = value instanceof NumberValue ? parseMicroCredits(value.value) : undefined
  return micro ?? throwMisfit(item, name, 'an amount of credits')
}

/** A balance or a change of one, which may be negative. */
export function balanceAt(item: Item, name: string): MicroCredits {
  const value = item[name]
  const micro = value instanceof NumberValue ? parseBalance(value.value) : undefined
  return micro ?? throwMisfit(item, name, 'a balance of credits')
}

export function flagAt(item: Item, name: string): boolean {
  const value = item[name]
  return typeof value === 'boolean' ? value : throwMisfit(item, name, 'true or false')
}

export function bytesAt(item: Item, name: string): Uint8Array {
  const value = item[name]
  return value instanceof Uint8Array ? value : throwMisfit(item, name, 'bytes')
}

export function optionalBytesAt(item: Item, name: string): Uint8Array | undefined {
  return item[name] === undefined ? undefined : bytesAt(item, name)
}

export function mapAt(item: Item, name: string): Item {
  const value = item[name]
  return isItem(value) ? value : throwMisfit(item, name, 'a map')
}

export function mapsAt(item: Item, name: string): readonly Item[] {
  const value = item[name]
  if (!Array.isArray(value)) return throwMisfit(item, name, 'a list')
  return value.map((entry: unknown) =>
    isItem(entry) ? entry : throwMisfit(item, name, 'a list of maps'),
  )
}

export function textsAt(item: Item, name: string): readonly string[] {
  const value = item[name]
  if (!Array.isArray(value)) return throwMisfit(item, name, 'a list')
  return value.map((entry: unknown) =>
    typeof entry === 'string' ? entry : throwMisfit(item, name, 'a list of texts'),
  )
}

/** True if the item's `ttl` has passed. DynamoDB deletes days later, so every reader checks. */
export function isExpired(item: Item, nowMs: number): boolean {
  const ttlSec = optionalIntAt(item, 'ttl')
  return ttlSec !== undefined && ttlSec * 1000 <= nowMs
}

export function isItem(value: unknown): value is Item {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof Uint8Array) &&
    !(value instanceof NumberValue)
  )
}

/** Throws a fault that names the item by its keys only: attributes may be private. */
function throwMisfit(item: Item, name: string, wanted: string): never {
  const place = `${String(item['pk'] ?? '')}/${String(item['sk'] ?? '')}`
  throw new Fault('internal', `stored item ${place}: ${name} is not ${wanted}`)
}

/**
 * Reads an item in wire form (`{N: '1'}`). The SDK's document client leaves items in that form
 * beside a refused condition, and DynamoDB's stream has it. Throws `Fault('internal')` for sets.
 */
export function readWireItem(wire: { [name: string]: AttributeValue }): Item {
  return Object.fromEntries(
    Object.entries(wire).map(([name, value]) => [name, readWireValue(value)]),
  )
}

function readWireValue(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S
  if (value.N !== undefined) return NumberValue.from(value.N)
  if (value.B !== undefined) return value.B
  if (value.BOOL !== undefined) return value.BOOL
  if (value.M !== undefined) return readWireItem(value.M)
  if (value.L !== undefined) return value.L.map(readWireValue)
  if (value.NULL !== undefined) return null
  throw new Fault('internal', 'stored item: has an attribute type that this gateway never writes')
}
