/**
 * sweep:{minute}:{shard}/{uid}: where the sweep looks for holds without an outcome, and sweep:cursor: the
 * minute it has reached. Sweep entries have no TTL: an entry that expired unread would leave money
 * held.
 *
 * A release without shards wrote sweep:{minute}/{uid}, and its sweep read nothing else (ADR 0067):
 *   its functions write beside ours ─▶ `list` reads its key, too, in every minute that it is asked for
 *   its sweep runs beside our functions, and its cursor passes our entries ─▶ the sweep of this release keeps a
 *   cursor of its own, and begins {@link UNSHARDED_SWEEP_MINUTES} before the other one
 * Both may go in a release that is deployed over this one alone, once this one has run for a day
 * (SWEEP_FIRST_MINUTES) and the last `sweep-done` of the stage says `backlogMinutes` 0.
 */
import { Fault } from '../../../core/errors.ts'
import type { SweepEntries, SweepEntryList } from '../../../core/ports.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { intAt, optionalIntAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import {
  SWEEP_CURSOR_PK,
  SWEEP_ENTRIES_PK,
  SWEEP_SHARDS,
  sweepCursorKey,
  sweepEntryKey,
  sweepShardPk,
  unshardedSweepEntryKey,
} from '../table.ts'

export const SWEEP_ENTRIES_PERMISSIONS: Permissions<SweepEntries> = {
  put: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [SWEEP_ENTRIES_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [SWEEP_ENTRIES_PK] }],
  remove: [{ table: 'gateway', actions: ['DeleteItem'], keyPrefixes: [SWEEP_ENTRIES_PK] }],
  readCursor: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [SWEEP_CURSOR_PK] }],
  writeCursor: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [SWEEP_CURSOR_PK] }],
}

/** Longer than a deployment lasts, from its first function with shards to its sweep with shards. */
export const UNSHARDED_SWEEP_MINUTES = 60

const SHARDS = Array.from({ length: SWEEP_SHARDS }, (_, shard) => shard)

export function dynamoSweepEntries(store: DynamoStore): SweepEntries {
  const table = store.tables.gateway
  const uidsIn = async (pk: string, limit: number) => {
    const items = await store.query(table, { where: '#pk = :pk', values: { pk }, limit })
    return items.map((item) => textAt(item, 'uid'))
  }
  return {
    async put({ uid, minute }) {
      await store.put(table, { item: { ...sweepEntryKey(minute, uid), uid } })
    },

    // A partition that is throttled keeps no other one waiting: its users come with the next run.
    async list(minute, limit) {
      const pks = SHARDS.map((shard) => sweepShardPk(minute, shard))
      const parts = [...pks, unshardedSweepEntryKey(minute, '-').pk]
      const answers = await Promise.allSettled(parts.map((pk) => uidsIn(pk, limit + 1)))
      return joined(answers, limit)
    },

    // An entry that is not in its shard is of a release without shards.
    async remove({ uid, minute }) {
      const removed = await store.remove(table, sweepEntryKey(minute, uid))
      if (removed === undefined) await store.remove(table, unshardedSweepEntryKey(minute, uid))
    },

    async readCursor() {
      const item = await store.get(table, sweepCursorKey(), 'consistent')
      if (item === undefined) return undefined
      return optionalIntAt(item, 'shardedMinute') ?? intAt(item, 'minute') - UNSHARDED_SWEEP_MINUTES
    },

    // Two sweeps at once: the later minute wins in either order; the other write is refused and
    // changes nothing. Dying before: the next sweep visits the same minutes again, which is
    // harmless. `minute` is what a sweep without shards reads after a rollback.
    async writeCursor(minute) {
      await store.update(table, {
        key: sweepCursorKey(),
        set: 'SET #minute = :minute, #shardedMinute = :minute',
        if: 'attribute_not_exists(#shardedMinute) OR #shardedMinute < :minute',
        values: { minute },
      })
    },
  }
}

/** The partitions take turns, so that neither reads nor deletes of many entries meet in one of them. */
function joined(
  answers: readonly PromiseSettledResult<readonly string[]>[],
  limit: number,
): SweepEntryList {
  const read = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const failed = answers.find((answer) => answer.status === 'rejected')
  if (failed !== undefined && !(failed.reason instanceof Fault)) throw failed.reason
  const found = read.reduce((sum, part) => sum + part.length, 0)
  const longest = Math.max(0, ...read.map((part) => part.length))
  const uids: string[] = []
  for (let at = 0; at < longest && uids.length < limit; at += 1) {
    uids.push(...read.flatMap((part) => part.slice(at, at + 1)))
  }
  const list = { uids: uids.slice(0, limit), isWhole: failed === undefined && found <= limit }
  return failed === undefined ? list : { ...list, trouble: failed.reason }
}
