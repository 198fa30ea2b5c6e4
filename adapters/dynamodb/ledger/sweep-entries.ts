/**
 * sweep:{minute}/{uid}: where the sweep looks for holds without an outcome, and sweep:cursor: the
 * minute it has reached. Sweep entries have no TTL: an entry that expired unread would leave money
 * held.
 */
import type { SweepEntries } from '../../../core/ports.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { SWEEP_CURSOR_PK, SWEEP_ENTRIES_PK, sweepCursorKey, sweepEntryKey } from '../table.ts'

export const SWEEP_ENTRIES_PERMISSIONS: Permissions<SweepEntries> = {
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [SWEEP_ENTRIES_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [SWEEP_ENTRIES_PK] }],
  remove: [{ table: 'gateway', actions: ['DeleteItem'], keyPrefixes: [SWEEP_ENTRIES_PK] }],
  readCursor: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [SWEEP_CURSOR_PK] }],
  writeCursor: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [SWEEP_CURSOR_PK] }],
}

export function dynamoSweepEntries(store: DynamoStore): SweepEntries {
  const table = store.tables.gateway
  return {
    async put({ uid, minute }) {
      await store.put(table, { item: { ...sweepEntryKey(minute, uid), uid } })
    },

    async list(minute, limit) {
      const { pk } = sweepEntryKey(minute, '-')
      const items = await store.query(table, { where: '#pk = :pk', values: { pk }, limit })
      return items.map((item) => textAt(item, 'uid'))
    },

    async remove({ uid, minute }) {
      await store.remove(table, sweepEntryKey(minute, uid))
    },

    async readCursor() {
      const item = await store.get(table, sweepCursorKey(), 'consistent')
      return item === undefined ? undefined : intAt(item, 'minute')
    },

    // Two sweeps at once: the later minute wins in either order; the other write is refused and
    // changes nothing. Dying before: the next sweep visits the same minutes again, which is
    // harmless.
    async writeCursor(minute) {
      await store.update(table, {
        key: sweepCursorKey(),
        set: 'SET #minute = :minute',
        if: 'attribute_not_exists(#pk) OR #minute < :minute',
        values: { minute },
      })
    },
  }
}
