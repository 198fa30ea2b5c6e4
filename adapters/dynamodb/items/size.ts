/**
 * Bytes of items as DynamoDB counts them, its limits, and the units that a request uses (AWS: "DynamoDB item sizes and
 * formats", "Read and write operations").
 */
import { digitsIn } from './decimal.ts'
import { isList, isMap, NumberValue, type Value, type ValueMap } from './value.ts'

/** Bytes of one item, its attribute names included. */
export const ITEM_BYTES_MAX = 400 * 1_024
/** Bytes of items that one page of a query or scan reads: 1 MB. */
export const PAGE_BYTES_MAX = 1_024 * 1_024
/** Bytes of items that one batch answers: 16 MB. The rest is left as unprocessed keys. */
export const BATCH_BYTES_MAX = 16 * 1_024 * 1_024
/** Bytes of items in one transaction: 4 MB. */
export const TRANSACTION_BYTES_MAX = 4 * 1_024 * 1_024
/** Actions of one transaction, and keys of one batch. */
export const ACTIONS_MAX = 100
export const PARTITION_KEY_BYTES_MAX = 2_048

const READ_UNIT_BYTES = 4_096
const WRITE_UNIT_BYTES = 1_024
/** Of a list or map, beside its entries; and of each entry. */
const CONTAINER_BYTES = 3
const ENTRY_BYTES = 1

export function itemBytes(item: ValueMap): number {
  let bytes = 0
  for (const [name, value] of Object.entries(item))
    bytes += Buffer.byteLength(name) + bytesOf(value)
  return bytes
}

function bytesOf(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'boolean' || value === null) return 1
  if (value instanceof NumberValue) return numberBytes(value.value)
  if (value instanceof Uint8Array) return value.byteLength
  if (isList(value)) {
    return value.reduce<number>((sum, one) => sum + bytesOf(one) + ENTRY_BYTES, CONTAINER_BYTES)
  }
  if (!isMap(value)) return 0
  return CONTAINER_BYTES + itemBytes(value) + Object.keys(value).length * ENTRY_BYTES
}

/** About one byte for two digits, and one more; another for the sign. */
function numberBytes(text: string): number {
  return Math.ceil(digitsIn(text) / 2) + 1 + (text.startsWith('-') ? 1 : 0)
}

/** Of one read item, or of all of a page together. */
export function readUnits(bytes: number, isConsistent: boolean): number {
  const units = Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES))
  return isConsistent ? units : units / 2
}

/** By the larger of the item before and after; one for a write of nothing. */
export function writeUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / WRITE_UNIT_BYTES))
}
