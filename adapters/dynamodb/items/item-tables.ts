/** What the engine's operations need from a store of items, and the checks of its keys. */
import { type Key, SORT_KEY_BYTES_MAX } from '../table.ts'
import { makeValidationError } from './refused.ts'
import { countItemBytes, PARTITION_KEY_BYTES_MAX } from './size.ts'
import type { ValueMap } from './value.ts'

/** An item with its size as DynamoDB counts it. */
export type StoredItem = { readonly item: ValueMap; readonly bytes: number }

export type Consistency = 'consistent' | 'eventual'

/** Items of one partition in the order of their sort keys, or its reverse. */
export type Range = {
  readonly pk: string
  /** Smallest and largest sort key, both included; undefined: no bound. */
  readonly from: string | undefined
  readonly to: string | undefined
  readonly backwards: boolean
  /** Begins after this sort key, whether or not an item has it. */
  readonly after: string | undefined
}

/** Nothing else runs between the reads and writes of one operation. */
export type ItemTables = {
  get(table: string, key: Key, read: Consistency): StoredItem | undefined
  /** `stored` undefined removes the item. `old` is what `get` returned. */
  put(table: string, key: Key, stored: StoredItem | undefined, old: StoredItem | undefined): void
  range(table: string, range: Range, read: Consistency): Iterable<StoredItem>
  /** The items after a key, in an order that stays the same. */
  scan(table: string, after: Key | undefined): Iterable<StoredItem>
}

/** Transactions that were carried out, by their token; `atMs` is when. */
export type Tokens = Map<string, { readonly actions: object | undefined; readonly atMs: number }>

export type Engine = {
  readonly tables: ItemTables
  readonly tokens: Tokens
  nowMs(): number
  /** Tests simulate small pages and keys that a batch leaves out with these two. */
  readonly pageItemsMax?: number
  leavesOut?(): boolean
}

export function toStored(item: ValueMap): StoredItem {
  return { item, bytes: countItemBytes(item) }
}

/**
 * Reads the key in an item or a request. Throws `RefusedRequest` if it is no key of these tables.
 */
export function readKey(map: { readonly [name: string]: unknown } | undefined): Key {
  const [pk, sk] = [map?.['pk'], map?.['sk']]
  if (typeof pk !== 'string' || typeof sk !== 'string') {
    throw makeValidationError('The provided key element does not match the schema')
  }
  if (pk === '' || sk === '') {
    throw makeValidationError(
      'One or more parameter values are not valid: a key contains an empty string value',
    )
  }
  if (isLonger(pk, PARTITION_KEY_BYTES_MAX) || isLonger(sk, SORT_KEY_BYTES_MAX)) {
    throw makeValidationError(
      `One or more parameter values were invalid: a partition key has at most ${PARTITION_KEY_BYTES_MAX} bytes, a sort key ${SORT_KEY_BYTES_MAX}`,
    )
  }
  return { pk, sk }
}

/** Counts bytes only if needed: each UTF-16 unit of a text takes three bytes of UTF-8 at most. */
function isLonger(text: string, bytesMax: number): boolean {
  return text.length * 3 > bytesMax && Buffer.byteLength(text) > bytesMax
}
