/**
 * Bytes of items as DynamoDB counts them, DynamoDB's limits, and the units that a request uses
 * (AWS: "DynamoDB item sizes and formats", "Read and write operations").
 */
import { countDigits } from './decimal.ts'
import { isList, isMap, NumberValue, type Value, type ValueMap } from './value.ts'

/** Bytes of one item, its attribute names included. */
export const ITEM_BYTES_MAX = 400 * 1_024
/** Bytes of items that one page of a query or scan reads: 1 MB. */
export const PAGE_BYTES_MAX = 1_024 * 1_024
/** Bytes of items that one batch answers: 16 MB. The other keys are returned as unprocessed. */
export const BATCH_BYTES_MAX = 16 * 1_024 * 1_024
/** Bytes of items in one transaction: 4 MB. */
export const TRANSACTION_BYTES_MAX = 4 * 1_024 * 1_024
/** Actions of one transaction, and keys of one batch. */
export const ACTIONS_MAX = 100
export const PARTITION_KEY_BYTES_MAX = 2_048

const READ_UNIT_BYTES = 4_096
const WRITE_UNIT_BYTES = 1_024
/** A list or map takes these bytes beside its entries, and each entry one more. */
const CONTAINER_BYTES = 3
const ENTRY_BYTES = 1

/** Bytes of an item with its attribute names. */
export function countItemBytes(item: ValueMap): number {
  let bytes = 0
  for (const [name, value] of Object.entries(item))
    bytes += Buffer.byteLength(name) + countBytes(value)
  return bytes
}

function countBytes(value: Value): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'boolean' || value === null) return 1
  if (value instanceof NumberValue) return countNumberBytes(value.value)
  if (value instanceof Uint8Array) return value.byteLength
  if (isList(value)) {
    return value.reduce<number>((sum, one) => sum + countBytes(one) + ENTRY_BYTES, CONTAINER_BYTES)
  }
  if (!isMap(value)) return 0
  return CONTAINER_BYTES + countItemBytes(value) + Object.keys(value).length * ENTRY_BYTES
}

/** About one byte for two digits and one more, and one for a minus sign. */
function countNumberBytes(text: string): number {
  return Math.ceil(countDigits(text) / 2) + 1 + (text.startsWith('-') ? 1 : 0)
}

/** Units of a read: `bytes` is the size of one item, or of a whole page. */
export function countReadUnits(bytes: number, isConsistent: boolean): number {
  const units = Math.max(1, Math.ceil(bytes / READ_UNIT_BYTES))
  return isConsistent ? units : units / 2
}

/** Units of a write: `bytes` is the larger size of the item before and after; one at least. */
export function countWriteUnits(bytes: number): number {
  return Math.max(1, Math.ceil(bytes / WRITE_UNIT_BYTES))
}

/** The part of an answer that reports used units, counted only if the request asks for them. */
type Consumed = { readonly ConsumedCapacity?: { TableName: string; CapacityUnits: number } }

export function reportUnits(
  { ReturnConsumedCapacity: asked }: { readonly ReturnConsumedCapacity?: string | undefined },
  TableName: string,
  units: () => number,
): Consumed {
  if (asked === undefined || asked === 'NONE') return {}
  return { ConsumedCapacity: { TableName, CapacityUnits: units() } }
}
