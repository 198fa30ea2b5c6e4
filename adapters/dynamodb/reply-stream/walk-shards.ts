/**
 * Walks the shards of one stream, round after round: finds new shards, places iterators, reads each
 * shard once, and recovers from errors. The stream reader interprets the records. Bound by
 * docs/service.md, Reply delivery.
 *
 * | error of AWS           | next                                                        |
 * |---|---|
 * | ExpiredIterator        | a new iterator after the last record that was seen          |
 * | TrimmedDataAccess      | continue at the oldest remaining record; `gap`              |
 * | ResourceNotFound       | forget the shard, list shards again soon; `gap`             |
 * | LimitExceeded and such | back off with jitter; report crowding to the reader         |
 * | any other error        | report, back off, and request a new iterator                |
 * `gap`: records may have been skipped, so every tail must read its partition.
 */
import {
  DescribeStreamCommand,
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams'
import { Fault } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports/outside.ts'
import { toStoreFault } from '../client/retry-conflicts.ts'
import {
  addShards,
  isChildMissing,
  type ListedShard,
  listReadableShards,
  makeIteratorStart,
  type Shard,
  type Shards,
} from './shards.ts'
import { backOffMs, classifyStreamError } from './stream-errors.ts'

/**
 * A shard that closes makes the walk list its children at once; this interval finds other shards.
 */
export const DISCOVER_EVERY_MS = 30_000
/** The interval while a shard is closed and its children are not listed yet. */
export const CHILD_EVERY_MS = 1_000

export type WalkNeeds = {
  readonly client: DynamoDBStreamsClient
  readonly streamArn: string
  readonly clock: Clock
  /** From 0 to 1. */
  random(): number
  onRecords(records: readonly StreamRecord[]): void
  onThrottled(cause: unknown): void
  onTrouble(cause: unknown): void
}

export type Walk = {
  readonly shards: Shards
  /**
   * The last record of each shard that an earlier process read; undefined: read only new records.
   */
  readonly seen: ReadonlyMap<string, string> | undefined
  discoverAtMs: number
  discoverFailures: number
}

/** `gap`: tails must read their partitions. `moved`: shards changed, so the next round is due. */
export type Round = { gap: boolean; moved: boolean }

export function startWalk(nowMs: number, seen?: ReadonlyMap<string, string>): Walk {
  return { shards: new Map(), seen, discoverAtMs: nowMs, discoverFailures: 0 }
}

/** Reads each readable shard once, and lists the shards if that is due. Never rejects. */
export async function runWalkRound(
  needs: WalkNeeds,
  walk: Walk,
  abortSignal: AbortSignal,
): Promise<Round> {
  const round: Round = { gap: false, moved: false }
  const at = { needs, walk, round, abortSignal }
  const nowMs = needs.clock.nowMs()
  const shards = listReadableShards(walk.shards, nowMs)
  const reads = shards.map((shard) => readShard(at, shard))
  if (nowMs >= walk.discoverAtMs) reads.push(discoverShards(at))
  await Promise.all(reads)
  return round
}

type CurrentRound = {
  readonly needs: WalkNeeds
  readonly walk: Walk
  readonly round: Round
  readonly abortSignal: AbortSignal
}

async function discoverShards({ needs, walk, round, abortSignal }: CurrentRound): Promise<void> {
  try {
    const listed = await listShards(needs.client, needs.streamArn, abortSignal)
    const nowMs = needs.clock.nowMs()
    const known = walk.shards.size
    addShards(walk.shards, listed, nowMs, walk.seen)
    if (walk.shards.size > known) round.moved = true
    const everyMs = isChildMissing(walk.shards, nowMs) ? CHILD_EVERY_MS : DISCOVER_EVERY_MS
    walk.discoverAtMs = nowMs + everyMs
    walk.discoverFailures = 0
  } catch (cause) {
    if (abortSignal.aborted) return
    report(needs, cause)
    walk.discoverAtMs = needs.clock.nowMs() + backOffMs(walk.discoverFailures, needs.random())
    walk.discoverFailures += 1
  }
}

async function readShard(at: CurrentRound, shard: Shard): Promise<void> {
  const { needs, abortSignal } = at
  try {
    shard.iterator ??= await requestIterator(at, shard)
    const answer = await needs.client.send(
      new GetRecordsCommand({ ShardIterator: shard.iterator }),
      { abortSignal },
    )
    const records = answer.Records ?? []
    shard.lastSequenceNumber = records.at(-1)?.dynamodb?.SequenceNumber ?? shard.lastSequenceNumber
    shard.iterator = answer.NextShardIterator
    shard.failures = 0
    shard.readAtMs = needs.clock.nowMs()
    if (shard.iterator === undefined) markDrained(at, shard)
    needs.onRecords(records)
  } catch (cause) {
    if (!abortSignal.aborted) recover(at, shard, cause)
  }
}

/** A gap is reported when the new iterator exists: only records after it are certain to be read. */
async function requestIterator(
  { needs: { client, streamArn }, round, abortSignal }: CurrentRound,
  shard: Shard,
): Promise<string> {
  const at = { StreamArn: streamArn, ShardId: shard.id, ...makeIteratorStart(shard) }
  const answer = await client.send(new GetShardIteratorCommand(at), { abortSignal })
  if (answer.ShardIterator === undefined) throw new Fault('internal', 'stream: no iterator came')
  round.gap ||= shard.gap
  shard.gap = false
  return answer.ShardIterator
}

function markDrained({ needs, walk, round }: CurrentRound, shard: Shard): void {
  shard.drained = true
  shard.drainedAtMs = needs.clock.nowMs()
  walk.discoverAtMs = shard.drainedAtMs
  round.moved = true
}

function recover(at: CurrentRound, shard: Shard, cause: unknown): void {
  const { needs, walk, round } = at
  const trouble = classifyStreamError(cause)
  switch (trouble) {
    case 'expired':
      forgetIterator(shard)
      break
    case 'trimmed':
      forgetIterator(shard)
      shard.from = 'TRIM_HORIZON'
      shard.lastSequenceNumber = undefined
      shard.gap = true
      break
    case 'gone':
      walk.shards.delete(shard.id)
      walk.discoverAtMs = Math.min(walk.discoverAtMs, needs.clock.nowMs() + CHILD_EVERY_MS)
      round.gap = true
      break
    case 'throttled':
    case 'unknown':
      if (trouble === 'unknown') forgetIterator(shard)
      report(needs, cause)
      shard.retryAtMs = needs.clock.nowMs() + backOffMs(shard.failures, needs.random())
      shard.failures += 1
      break
    default:
      trouble satisfies never
  }
}

/**
 * If no record of the shard was read, a new iterator at its end may skip records: that is a gap.
 */
function forgetIterator(shard: Shard): void {
  shard.iterator = undefined
  shard.gap ||= shard.lastSequenceNumber === undefined && shard.from === 'LATEST'
}

function report(needs: WalkNeeds, cause: unknown): void {
  if (classifyStreamError(cause) === 'throttled') needs.onThrottled(cause)
  else needs.onTrouble(toStoreFault(cause))
}

/** Pages of shards: 2,000 shards mean a table with far more streams than this tail serves. */
export const PAGES_MAX = 20
const PAGE_SHARDS = 100

/** Lists all shards of a stream, page after page. Throws `Fault('internal')` past PAGES_MAX. */
export async function listShards(
  client: DynamoDBStreamsClient,
  streamArn: string,
  abortSignal: AbortSignal,
): Promise<readonly ListedShard[]> {
  const listed: ListedShard[] = []
  let from: string | undefined
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const input = {
      StreamArn: streamArn,
      Limit: PAGE_SHARDS,
      ...(from === undefined ? {} : { ExclusiveStartShardId: from }),
    }
    const { StreamDescription } = await client.send(new DescribeStreamCommand(input), {
      abortSignal,
    })
    for (const { ShardId, ParentShardId, SequenceNumberRange } of StreamDescription?.Shards ?? []) {
      if (ShardId === undefined) continue
      const closed = SequenceNumberRange?.EndingSequenceNumber !== undefined
      listed.push({ id: ShardId, parent: ParentShardId, closed })
    }
    from = StreamDescription?.LastEvaluatedShardId
    if (from === undefined) return listed
  }
  throw new Fault(
    'internal',
    `stream: has over ${PAGES_MAX * PAGE_SHARDS} shards, more than this tail reads; set REPLY_TAIL=partition`,
  )
}
