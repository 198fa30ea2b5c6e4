/** What a request leaves behind: the items that it wrote, and what its answer waits for. */
import type { Stored } from '../items/item-tables.ts'
import type { Key } from '../table.ts'
import type { RowTable } from './schema.ts'

/** An item as it was written last; `undefined` where it was removed. */
export type Written = {
  readonly table: RowTable
  readonly key: Key
  readonly stored: Stored | undefined
  /** As it was before the turn. */
  readonly old: Stored | undefined
}

/**
 * What a request did: nothing that others do not know, or something of this turn, or what is flushed behind its answer, or what
 * must survive before it.
 */
export type Touched = 'nothing' | 'turn' | 'behind' | 'flush'
