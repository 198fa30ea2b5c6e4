/** The items that a request wrote, and what its answer waits for. */
import type { StoredItem } from '../items/item-tables.ts'
import type { Key } from '../table.ts'
import type { RowTable } from './schema.ts'

/** The last write of an item; `stored` is undefined if it was removed. */
export type WrittenItem = {
  readonly table: RowTable
  readonly key: Key
  readonly stored: StoredItem | undefined
  /** The item before the turn. */
  readonly old: StoredItem | undefined
}

/**
 * What the answer of a request waits for. `nothing`: it touched only committed items. `turn`: the
 * commit. `behind`: the commit, and a flush starts after it. `flush`: the commit and the flush.
 */
export type AnswerWait = 'nothing' | 'turn' | 'behind' | 'flush'
