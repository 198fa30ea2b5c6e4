/**
 * minute:{minute}:{shard}/{keyHash}, the counts of a minute, as the sweep reads them; and
 * sweep:cursor, how far the sweep has come. An entry is the item of a count, so a call writes no
 * entry of its own. The sweep removes none: entries expire by TTL (docs/design/ledger.md#the-sweep).
 */
import { Fault } from '../../../core/errors.ts'
import { SWEEP_ENTRY_TTL_SEC } from '../../../core/ledger/limits.ts'
import type {
  SweepCursor,
  SweepEntries,
  SweepEntry,
  SweepEntryList,
} from '../../../core/ports/ledger.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, textAt } from '../client/item.ts'
import type { Permissions } from '../permission.ts'
import { enterInMinute } from '../records/minute-shards.ts'
import {
  MINUTE_PK,
  MINUTE_SHARDS,
  minuteShardPk,
  SWEEP_CURSOR_PK,
  sweepCursorKey,
} from '../table.ts'

export const SWEEP_ENTRIES_PERMISSIONS: Permissions<SweepEntries> = {
  put: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [MINUTE_PK] }],
  list: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [MINUTE_PK] }],
  readCursor: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [SWEEP_CURSOR_PK] }],
  writeCursor: [{ table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [SWEEP_CURSOR_PK] }],
}

const NOTHING_AHEAD = { from: 0, to: 0 }

/** Begins the places of users that `put` entered; a `#` differs from every key's hash. */
const ENTERED = 'uid#'
/** Sorts after every character of a uid. */
const LAST = '~'

const SHARDS = Array.from({ length: MINUTE_SHARDS }, (_, shard) => shard)

export function dynamoSweepEntries(store: DynamoStore): SweepEntries {
  const table = store.tables.gateway
  return {
    async put({ uid, minute }) {
      const values = { uid, ttl: minute * 60 + SWEEP_ENTRY_TTL_SEC }
      await enterInMinute(minute, `${ENTERED}${uid}`, (key) =>
        store.update(table, { key, set: 'SET #uid = :uid, #ttl = :ttl', values }),
      )
    },

    // A throttled partition does not delay the others: the next run lists its users.
    async list(minute, { after, entered, limit }) {
      const ofEach = Math.ceil(limit / MINUTE_SHARDS)
      const range = toRange(after, entered)
      const pages = SHARDS.map((shard) =>
        readPage(store, minuteShardPk(minute, shard), range, ofEach),
      )
      return joinPages(await Promise.allSettled(pages))
    },

    async readCursor() {
      const item = await store.get(table, sweepCursorKey(), 'consistent')
      return item === undefined ? undefined : readCursorItem(item)
    },

    // Two sweeps at once: the later cursor wins in either order, and the other write is refused.
    // Dying before: the next sweep visits the same entries again, which is harmless.
    async writeCursor({ minute, after, ahead = NOTHING_AHEAD }) {
      await store.update(table, {
        key: sweepCursorKey(),
        set: 'SET #minute = :minute, #after = :after, #aheadFrom = :from, #aheadTo = :to',
        if:
          'attribute_not_exists(#minute) OR #minute < :minute ' +
          'OR (#minute = :minute AND #after <= :after)',
        values: { minute, after, ...ahead },
      })
    },
  }
}

type Range = { readonly where: string; readonly values: { readonly [name: string]: string } }

/** BETWEEN includes its bounds: `!` sorts before every character of a uid, and after its end. */
function toRange(after: string, entered: true | undefined): Range {
  if (entered === true) {
    const from = after === '' ? ENTERED : `${after}!`
    return {
      where: '#pk = :pk AND #sk BETWEEN :from AND :to',
      values: { from, to: ENTERED + LAST },
    }
  }
  if (after === '') return { where: '#pk = :pk', values: {} }
  return { where: '#pk = :pk AND #sk > :after', values: { after } }
}

async function readPage(
  store: DynamoStore,
  pk: string,
  range: Range,
  limit: number,
): Promise<Page> {
  const items = await store.query(store.tables.gateway, {
    where: range.where,
    values: { pk, ...range.values },
    only: '#sk, #uid',
    limit,
  })
  // A count of requests that hold no credits has no `uid`.
  const entries = items
    .filter((item) => item['uid'] !== undefined)
    .map((item) => ({ uid: textAt(item, 'uid'), at: textAt(item, 'sk') }))
  const last = items.at(-1)
  const isEnd = items.length < limit || last === undefined
  return { entries, end: isEnd ? undefined : textAt(last, 'sk') }
}

/** Entries of one partition; `end`: the last place that was read, undefined if all were read. */
type Page = { readonly entries: readonly SweepEntry[]; readonly end: string | undefined }

/** Joins the pages in the order of places, up to the place that every page has reached. */
function joinPages(answers: readonly PromiseSettledResult<Page>[]): SweepEntryList {
  const pages = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
  const failed = answers.find((answer) => answer.status === 'rejected')
  if (failed !== undefined && !(failed.reason instanceof Fault)) throw failed.reason
  const next = pages.flatMap(({ end }) => (end === undefined ? [] : [end])).sort(comparePlaces)[0]
  const entries = pages
    .flatMap((page) => page.entries)
    .filter(({ at }) => next === undefined || at <= next)
    .sort((a, b) => comparePlaces(a.at, b.at))
  return { entries, next, ...(failed === undefined ? {} : { trouble: failed.reason }) }
}

function comparePlaces(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function readCursorItem(item: Item): SweepCursor {
  const [from, to] = [intAt(item, 'aheadFrom'), intAt(item, 'aheadTo')]
  const cursor = { minute: intAt(item, 'minute'), after: textAt(item, 'after') }
  return to === 0 ? cursor : { ...cursor, ahead: { from, to } }
}
