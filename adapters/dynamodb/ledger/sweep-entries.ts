/**
 * minute:{minute}:{shard}/{keyHash}, the counts of a minute, as the sweep reads them; and sweep:cursor, how far it
 * has come. An entry is the count's own item, so a call writes none, and none is removed: they end by their TTL
 * (ADR 0071).
 *
 * Releases before entered users apart, in sweep:{minute} and sweep:{minute}:{shard}:
 *   their functions write beside ours ─▶ `list` reads those, too, for {@link OLD_SWEEP_ENTRIES_MINUTES} from the first
 *   sweep of this release on, and again after a rollback, which their own cursor shows
 *   their sweep runs beside our functions ─▶ the cursor of this release begins as long before theirs
 */
import { minuteOf } from '../../../core/access/minute.ts'
import { Fault } from '../../../core/errors.ts'
import { SWEEP_ENTRY_TTL_SEC } from '../../../core/ledger/limits.ts'
import type { SweepCursor, SweepEntries, SweepEntry, SweepEntryList } from '../../../core/ports.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, optionalIntAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { enterInMinute } from '../records/minute-shards.ts'
import {
  MINUTE_PK,
  MINUTE_SHARDS,
  minuteShardPk,
  OLD_SWEEP_ENTRIES_PK,
  oldSweepPks,
  SWEEP_CURSOR_PK,
  sweepCursorKey,
} from '../table.ts'

export const SWEEP_ENTRIES_PERMISSIONS: Permissions<SweepEntries> = {
  put: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [MINUTE_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [MINUTE_PK, OLD_SWEEP_ENTRIES_PK] }],
  readCursor: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [SWEEP_CURSOR_PK] }],
  writeCursor: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [SWEEP_CURSOR_PK] }],
}

/** Longer than a deployment lasts, from its first function of this release to its sweep, and back. */
export const OLD_SWEEP_ENTRIES_MINUTES = 60

/** Entries of an earlier release that are read in one minute; it had no more in memory either. */
const OLD_ENTRIES_MAX = 20_000

const NOTHING_AHEAD = { from: 0, to: 0 }

const SHARDS = Array.from({ length: MINUTE_SHARDS }, (_, shard) => shard)

export function dynamoSweepEntries(store: DynamoStore): SweepEntries {
  const table = store.tables.gateway
  /** Minute of the first sweep of this release; undefined before it, and after a rollback. */
  let since: number | undefined
  const hasOldEntries = (minute: number) =>
    since === undefined || minute < since + OLD_SWEEP_ENTRIES_MINUTES
  return {
    // No key's hash has a `#`.
    async put({ uid, minute }) {
      const values = { uid, ttl: minute * 60 + SWEEP_ENTRY_TTL_SEC }
      await enterInMinute(minute, `uid#${uid}`, (key) =>
        store.update(table, { key, set: 'SET #uid = :uid, #ttl = :ttl', values }),
      )
    },

    // A partition that is throttled keeps no other one waiting: its users come with the next run.
    async list(minute, { after, limit }) {
      const ofEach = Math.ceil(limit / MINUTE_SHARDS)
      const pages = SHARDS.map((shard) =>
        pageOf(store, minuteShardPk(minute, shard), after, ofEach),
      )
      if (after === '' && hasOldEntries(minute)) {
        pages.push(...oldSweepPks(minute).map((pk) => oldEntries(store, pk)))
      }
      return joined(await Promise.allSettled(pages))
    },

    async readCursor() {
      const item = await store.get(table, sweepCursorKey(), 'consistent')
      const cursor = item === undefined ? undefined : cursorFrom(item)
      since = cursor?.since
      if (cursor === undefined) return undefined
      const { minute, after, ahead } = cursor
      return { minute, after, ...(ahead === undefined ? {} : { ahead }) }
    },

    // Two sweeps at once: the later cursor wins in either order; the other write is refused and changes
    // nothing. Dying before: the next sweep visits the same entries again, which is harmless. `minute` and
    // `shardedMinute` are what sweeps of earlier releases read after a rollback.
    async writeCursor({ minute, after, ahead = NOTHING_AHEAD }) {
      await store.update(table, {
        key: sweepCursorKey(),
        set:
          'SET #countedMinute = :minute, #countedAfter = :after, #countedSince = :since, ' +
          '#aheadFrom = :from, #aheadTo = :to, #minute = :minute, #shardedMinute = :minute',
        if:
          'attribute_not_exists(#countedMinute) OR #countedMinute < :minute ' +
          'OR (#countedMinute = :minute AND #countedAfter <= :after)',
        values: { minute, after, ...ahead, since: since ?? minuteOf(store.clock.nowMs()) },
      })
    },
  }
}

async function pageOf(store: DynamoStore, pk: string, after: string, limit: number): Promise<Page> {
  const items = await store.query(store.tables.gateway, {
    where: after === '' ? '#pk = :pk' : '#pk = :pk AND #sk > :after',
    values: { pk, ...(after === '' ? {} : { after }) },
    only: '#sk, #uid',
    limit,
  })
  // A count of what holds no credits has no user.
  const entries = items
    .filter((item) => item['uid'] !== undefined)
    .map((item) => ({ uid: textAt(item, 'uid'), at: textAt(item, 'sk') }))
  const last = items.at(-1)
  const isEnd = items.length < limit || last === undefined
  return { entries, end: isEnd ? undefined : textAt(last, 'sk') }
}

async function oldEntries(store: DynamoStore, pk: string): Promise<Page> {
  const query = { where: '#pk = :pk', values: { pk }, limit: OLD_ENTRIES_MAX }
  const items = await store.query(store.tables.gateway, query)
  return { entries: items.map((item) => ({ uid: textAt(item, 'uid'), at: '' })), end: undefined }
}

/** Entries of one partition; `end`: the place up to which they are known, undefined for all. */
type Page = { readonly entries: readonly SweepEntry[]; readonly end: string | undefined }

/** In the order of their places, as far as every partition that answered is known. */
function joined(answers: readonly PromiseSettledResult<Page>[]): SweepEntryList {
  const pages = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const failed = answers.find((answer) => answer.status === 'rejected')
  if (failed !== undefined && !(failed.reason instanceof Fault)) throw failed.reason
  const next = pages.flatMap(({ end }) => (end === undefined ? [] : [end])).sort(byPlace)[0]
  const entries = pages
    .flatMap((page) => page.entries)
    .filter(({ at }) => next === undefined || at <= next)
    .sort((a, b) => byPlace(a.at, b.at))
  return { entries, next, ...(failed === undefined ? {} : { trouble: failed.reason }) }
}

function byPlace(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function cursorFrom(item: Item): SweepCursor & { readonly since: number | undefined } {
  const minute = optionalIntAt(item, 'countedMinute')
  const sharded = optionalIntAt(item, 'shardedMinute')
  if (minute === undefined) {
    const before = sharded ?? intAt(item, 'minute') - OLD_SWEEP_ENTRIES_MINUTES
    return { minute: before - OLD_SWEEP_ENTRIES_MINUTES, after: '', since: undefined }
  }
  const isRolledBack = sharded !== undefined && sharded > minute
  const since = isRolledBack ? undefined : intAt(item, 'countedSince')
  const [from, to] = [intAt(item, 'aheadFrom'), intAt(item, 'aheadTo')]
  const ahead = to === 0 ? undefined : { from, to }
  return { minute, after: textAt(item, 'countedAfter'), ahead, since }
}
