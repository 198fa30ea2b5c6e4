/**
 * Walks the shards of one stream, round after round: finds new shards, places iterators, reads each
 * shard once, and answers each error with its next step. Hands records on unread; the reader finds
 * their sessions. Bound by docs/service.md, Reply delivery.
 *
 * | error of AWS           | next                                                        |
 * |---|---|
 * | ExpiredIterator        | a new iterator after the last record that was seen          |
 * | TrimmedDataAccess      | continue at the oldest record that is left; `gap`           |
 * | ResourceNotFound       | forget the shard, list shards again soon; `gap`             |
 * | LimitExceeded and kin  | back off with jitter; report crowding to the reader         |
 * | any other error        | report, back off, and ask for a new iterator                |
 * `gap`: records may have been skipped, so every tail must look at its partition.
 */
import {
  type DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type _Record as StreamRecord,
} from '@aws-sdk/client-dynamodb-streams'
import { Fault } from '../../../core/errors.ts'
import type { Clock } from '../../../core/ports.ts'
import { faultOf } from '../client/store-fault.ts'
import { listShards } from './list-shards.ts'
import {
  childMissing,
  learnShards,
  readableShards,
  type Shard,
  type Shards,
  startOf,
} from './shards.ts'
import { backOffMs, streamErrorOf } from './stream-errors.ts'

/**
 * A shard that closes announces its children at once; this interval finds shards that appear
 * otherwise.
 */
export const DISCOVER_EVERY_MS = 30_000
/** The interval while a shard has closed and its children are not listed yet. */
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
  discoverAtMs: number
  discoverFailures: number
}

/**
 * `gap`: look at the partitions. `moved`: shards appeared or ended, so the next round is due at
 * once.
 */
export type Round = { gap: boolean; moved: boolean }

export function startWalk(nowMs: number): Walk {
  return { shards: new Map(), discoverAtMs: nowMs, discoverFailures: 0 }
}

export async function walkRound(
  needs: WalkNeeds,
  walk: Walk,
  abortSignal: AbortSignal,
): Promise<Round> {
  const round: Round = { gap: false, moved: false }
  const nowMs = needs.clock.nowMs()
  const shards = readableShards(walk.shards, nowMs)
  const reads = shards.map((shard) => readShard(needs, walk, shard, round, abortSignal))
  if (nowMs >= walk.discoverAtMs) reads.push(discover(needs, walk, round, abortSignal))
  await Promise.all(reads)
  return round
}

async function discover(
  needs: WalkNeeds,
  walk: Walk,
  round: Round,
  abortSignal: AbortSignal,
): Promise<void> {
  try {
    const listed = await listShards(needs.client, needs.streamArn, abortSignal)
    const nowMs = needs.clock.nowMs()
    const known = walk.shards.size
    learnShards(walk.shards, listed, nowMs)
    if (walk.shards.size > known) round.moved = true
    const everyMs = childMissing(walk.shards, nowMs) ? CHILD_EVERY_MS : DISCOVER_EVERY_MS
    walk.discoverAtMs = nowMs + everyMs
    walk.discoverFailures = 0
  } catch (cause) {
    if (abortSignal.aborted) return
    tell(needs, cause)
    walk.discoverAtMs = needs.clock.nowMs() + backOffMs(walk.discoverFailures, needs.random())
    walk.discoverFailures += 1
  }
}

async function readShard(
  needs: WalkNeeds,
  walk: Walk,
  shard: Shard,
  round: Round,
  abortSignal: AbortSignal,
): Promise<void> {
  try {
    shard.iterator ??= await place(needs, shard, round, abortSignal)
    const answer = await needs.client.send(
      new GetRecordsCommand({ ShardIterator: shard.iterator }),
      { abortSignal },
    )
    const records = answer.Records ?? []
    shard.seen = records.at(-1)?.dynamodb?.SequenceNumber ?? shard.seen
    shard.iterator = answer.NextShardIterator
    shard.failures = 0
    shard.readAtMs = needs.clock.nowMs()
    if (shard.iterator === undefined) drain(needs, walk, shard, round)
    needs.onRecords(records)
  } catch (cause) {
    if (!abortSignal.aborted) recover(needs, walk, shard, round, cause)
  }
}

/**
 * A gap is reported once the new iterator is there: only records after it are certain to be read.
 */
async function place(
  { client, streamArn }: WalkNeeds,
  shard: Shard,
  round: Round,
  abortSignal: AbortSignal,
): Promise<string> {
  const at = { StreamArn: streamArn, ShardId: shard.id, ...startOf(shard) }
  const answer = await client.send(new GetShardIteratorCommand(at), { abortSignal })
  if (answer.ShardIterator === undefined) throw new Fault('internal', 'stream: no iterator came')
  round.gap ||= shard.gap
  shard.gap = false
  return answer.ShardIterator
}

function drain(needs: WalkNeeds, walk: Walk, shard: Shard, round: Round): void {
  shard.drained = true
  shard.drainedAtMs = needs.clock.nowMs()
  walk.discoverAtMs = shard.drainedAtMs
  round.moved = true
}

function recover(needs: WalkNeeds, walk: Walk, shard: Shard, round: Round, cause: unknown): void {
  const trouble = streamErrorOf(cause)
  switch (trouble) {
    case 'expired':
      forgetIterator(shard)
      break
    case 'trimmed':
      forgetIterator(shard)
      shard.from = 'TRIM_HORIZON'
      shard.seen = undefined
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
      tell(needs, cause)
      shard.retryAtMs = needs.clock.nowMs() + backOffMs(shard.failures, needs.random())
      shard.failures += 1
      break
    default:
      trouble satisfies never
  }
}

/**
 * In a shard without a seen record there is no position to continue after: a new iterator at its
 * end is a gap.
 */
function forgetIterator(shard: Shard): void {
  shard.iterator = undefined
  shard.gap ||= shard.seen === undefined && shard.from === 'LATEST'
}

function tell(needs: WalkNeeds, cause: unknown): void {
  if (streamErrorOf(cause) === 'throttled') needs.onThrottled(cause)
  else needs.onTrouble(faultOf(cause))
}
