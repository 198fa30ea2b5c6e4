/**
 * sweep:{minute}/{uid}: where the sweep looks for holds that nobody settled, and sweep:cursor: how
 * far it has come. Marks have no TTL: one that expired unread would leave money held.
 */
import type { SweepMarks } from '../../../core/ports.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt, textAt } from '../client/item.ts'
import type { Touches } from '../permission.ts'
import { SWEEP_CURSOR_PK, SWEEP_MARKS_PK, sweepCursorKey, sweepMarkKey } from '../table.ts'

export const SWEEP_MARKS_TOUCHES: Touches<SweepMarks> = {
  mark: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [SWEEP_MARKS_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [SWEEP_MARKS_PK] }],
  remove: [{ table: 'gateway', actions: ['DeleteItem'], keyPrefixes: [SWEEP_MARKS_PK] }],
  readCursor: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [SWEEP_CURSOR_PK] }],
  writeCursor: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [SWEEP_CURSOR_PK] }],
}

export function dynamoSweepMarks(store: DynamoStore): SweepMarks {
  const table = store.tables.gateway
  return {
    async mark({ uid, minute }) {
      await store.put(table, { item: { ...sweepMarkKey(minute, uid), uid } })
    },

    async list(minute, limit) {
      const { pk } = sweepMarkKey(minute, '-')
      const items = await store.query(table, { where: '#pk = :pk', values: { pk }, limit })
      return items.map((item) => textAt(item, 'uid'))
    },

    async remove({ uid, minute }) {
      await store.remove(table, sweepMarkKey(minute, uid))
    },

    async readCursor() {
      const item = await store.get(table, sweepCursorKey(), 'consistent')
      return item === undefined ? undefined : intAt(item, 'minute')
    },

    // Two sweeps at once: the one that came further wins in either order; the other is refused and
    // changes nothing. Dying before: the next sweep visits the same minutes again, harmlessly.
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
