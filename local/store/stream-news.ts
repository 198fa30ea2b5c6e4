/**
 * The port LedgerNews over the stream of the Gateway table, for a twin on DynamoDB: what the event source
 * mapping does on AWS. Entries wait in memory until they are archived; up to there the place is kept.
 *
 *   stream ─▶ poll: waiting ─ pages and sums ─▶ … ─▶ archive ─ done: place kept
 *                    ✘ a new process polls from the kept place again, which changes nothing
 */
import type {
  DynamoDBStreamsClient,
  _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams'
import {
  startWalk,
  type Walk,
  walkRound,
} from '../../adapters/dynamodb/reply-stream/walk-shards.ts'
import { entryOf } from '../../adapters/dynamodb/usage/ledger-record.ts'
import type { ArchiveEntry } from '../../core/archive/archive-entry.ts'
import { Fault } from '../../core/errors.ts'
import type { Clock, LedgerNews, Log } from '../../core/ports.ts'

/** Entries of a kilobyte each: a poll brings 1,000 at most, and the archive takes 5,000 at once. */
export const WAITING_MAX = 20_000
/** Records of other kinds move the place too, but not each of them writes the file. */
export const KEEP_EVERY_MS = 60_000

export type Seen = ReadonlyMap<string, string>

export type StreamNewsNeeds = {
  readonly client: DynamoDBStreamsClient
  readonly streamArn: string
  readonly clock: Clock
  readonly log: Pick<Log, 'note'>
  /** What an earlier process archived: the last record of each shard. */
  readonly seen: Seen
  /** Keeps that for the next process. */
  keep(seen: Seen): void
}

type Waiting = { readonly number: number; readonly entry: ArchiveEntry }
/** Once all up to `number` is archived, a new process may go on behind `seen`. */
type Mark = { readonly number: number; readonly seen: Seen }

type Polling = {
  readonly needs: StreamNewsNeeds
  readonly walk: Walk
  /** Entries are numbered in the order in which they came, from 1. */
  number: number
  keptAtMs: number
  waiting: readonly Waiting[]
  marks: readonly Mark[]
}

export function streamNews(needs: StreamNewsNeeds): LedgerNews {
  const nowMs = needs.clock.nowMs()
  const walk = startWalk(nowMs, needs.seen)
  const polling: Polling = { needs, walk, number: 0, keptAtMs: nowMs, waiting: [], marks: [] }
  return {
    read: async ({ after, limit, upTo }) => {
      if (upTo === undefined) await poll(polling)
      const [from, to] = [after?.calls ?? 0, upTo?.calls ?? polling.number]
      const found = polling.waiting
        .filter(({ number }) => number > from && number <= to)
        .slice(0, limit)
      const last = found.at(-1)?.number ?? from
      return {
        entries: found.map(({ entry }) => entry),
        upTo: { calls: last, grants: last },
      }
    },
    done: async ({ calls }) => {
      polling.waiting = polling.waiting.filter(({ number }) => number > calls)
      const mark = polling.marks.findLast(({ number }) => number <= calls)
      polling.marks = polling.marks.filter(({ number }) => number > calls)
      if (mark !== undefined) keep(polling, mark.seen)
    },
    // The table's time to live does it.
    removeCold: async () => 0,
  }
}

/** One read of each shard. Trouble with the store is noted, and the next poll tries again. */
async function poll(polling: Polling): Promise<void> {
  const { needs, walk } = polling
  if (polling.waiting.length >= WAITING_MAX) return
  const trouble = (cause: unknown) => needs.log.note('warn', 'store-trouble', {}, cause)
  const came: ArchiveEntry[] = []
  const walkNeeds = {
    client: needs.client,
    streamArn: needs.streamArn,
    clock: needs.clock,
    random: Math.random,
    onRecords: (records: readonly StreamRecord[]) => came.push(...entriesOf(needs.log, records)),
    onThrottled: trouble,
    onTrouble: trouble,
  }
  // The first round lists the shards, and only the next one reads them.
  const rounds = walk.shards.size === 0 ? 2 : 1
  for (let round = 0; round < rounds; round += 1) {
    const { gap } = await walkRound(walkNeeds, walk, new AbortController().signal)
    if (gap) trouble(LOST)
  }
  take(polling, came)
}

const LOST = new Fault(
  'internal',
  'stream: records expired before they were read; the lists of calls lack some that the ledger has',
)

function take(polling: Polling, came: readonly ArchiveEntry[]): void {
  const numbered = came.map((entry, index) => ({ number: polling.number + index + 1, entry }))
  polling.number += came.length
  polling.waiting = [...polling.waiting, ...numbered]
  const seen = seenBy(polling.walk)
  if (came.length > 0) polling.marks = [...polling.marks, { number: polling.number, seen }]
  const nowMs = polling.needs.clock.nowMs()
  const idle = polling.waiting.length === 0 && nowMs - polling.keptAtMs >= KEEP_EVERY_MS
  if (idle) keep(polling, seen)
}

function seenBy({ shards }: Walk): Seen {
  return new Map(
    [...shards.values()].flatMap(({ id, lastSequenceNumber }) =>
      lastSequenceNumber === undefined ? [] : [[id, lastSequenceNumber] as const],
    ),
  )
}

/** A place that was not kept is an older one: more is read again. */
function keep(polling: Polling, seen: Seen): void {
  const { needs } = polling
  polling.keptAtMs = needs.clock.nowMs()
  try {
    needs.keep(seen)
  } catch (cause) {
    needs.log.note('warn', 'store-trouble', {}, cause)
  }
}

/** A record that cannot be read is named and left out, as the function sets it apart. */
function entriesOf(
  log: Pick<Log, 'note'>,
  records: readonly StreamRecord[],
): readonly ArchiveEntry[] {
  return records.flatMap((record) => {
    try {
      const entry = entryOf(record)
      return entry === undefined ? [] : [entry]
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause
      const sequence = record.dynamodb?.SequenceNumber
      log.note('error', 'usage-unreadable', { sequence }, cause)
      return []
    }
  })
}
