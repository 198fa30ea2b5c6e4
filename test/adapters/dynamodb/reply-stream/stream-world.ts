/**
 * A Sessions table beside its stream, both with a clock that the test moves. A write is in the
 * partition at once and goes into the stream, by the shard of its session. The tails under test
 * read both.
 */

import { currentTraceId } from '../../../../adapters/config/trace.ts'
import { LOCAL_PACE, type ReadPace } from '../../../../adapters/dynamodb/reply-stream/read-pace.ts'
import type { ReaderSlots } from '../../../../adapters/dynamodb/reply-stream/reader-slots.ts'
import {
  makeStreamsTail,
  type StreamsTailNeeds,
} from '../../../../adapters/dynamodb/reply-stream/streams-tail.ts'
import { sessionKey } from '../../../../adapters/dynamodb/table.ts'
import type { Log } from '../../../../core/ports/outside.ts'
import { REPLY_TTL_SEC } from '../../../../core/session/limits.ts'
import type { Session, SessionNews, StoredReply } from '../../../../core/session/session.ts'
import { manualClock } from '../../../core/flow/manual-clock.ts'
import { fakeStream, type Shard, STREAM_ARN } from './fake-stream.ts'
import { removeRecord, replyRecord, sessionAt, sessionRecord } from './stream-records.ts'

type Partition = { session: Session; readonly replies: Map<number, StoredReply> }

export type StreamWorld = ReturnType<typeof streamWorld>

export function streamWorld(pace: ReadPace = LOCAL_PACE, log?: Pick<Log, 'note'>) {
  const clock = manualClock()
  const stream = fakeStream(clock)
  const partitions = new Map<string, Partition>()
  const world = {
    shard: stream.add() as Shard,
    /** While it is down, reads of partitions fail. */
    down: false,
    looks: 0,
    /** Whether this process gets one of the readers' slots. */
    place: true,
    /** How often it asked for a slot, and gave one up. */
    taken: 0,
    released: 0,
  }
  const troubles: unknown[] = []
  /** The trace in which each of them was reported. */
  const traces: (string | undefined)[] = []
  const notes: { readonly event: string; readonly fields: object; readonly cause: unknown }[] = []
  const at = (hash: string): Partition => {
    const partition = partitions.get(hash)
    if (partition === undefined) throw new Error(`no session ${hash}`)
    return partition
  }
  const reads: StreamsTailNeeds['reads'] = (hash) => ({
    readSession: async () => {
      world.looks += 1
      if (world.down) throw new Error('the store is down')
      return partitions.get(hash)?.session
    },
    repliesIn: async ({ after, upTo = Infinity }) => {
      if (world.down) throw new Error('the store is down')
      const all = [...(partitions.get(hash)?.replies.values() ?? [])]
      const replies = all.filter(({ seq }) => seq > after && seq <= upTo)
      return { replies, isCut: false }
    },
  })
  const slots: ReaderSlots = {
    take: async () => {
      world.taken += 1
      if (world.down) throw new Error('the store is down')
      return world.place
    },
    release: async () => {
      world.released += 1
    },
  }
  const tail = makeStreamsTail({
    client: stream.client,
    streamArn: STREAM_ARN,
    clock,
    random: () => 0,
    pace,
    reads,
    slots: pace.readersMax === undefined ? undefined : slots,
    log: {
      note: (level, event, fields = {}, cause) => {
        notes.push({ event, fields, cause })
        log?.note(level, event, fields, cause)
      },
    },
    onTrouble: (cause) => {
      troubles.push(cause)
      traces.push(currentTraceId())
    },
  })
  const change = (hash: string, more: Partial<Session>) => {
    const session = sessionAt(hash, { ...partitions.get(hash)?.session, ...more })
    const replies = partitions.get(hash)?.replies ?? new Map()
    partitions.set(hash, { session, replies })
    stream.write(world.shard, sessionRecord(session))
  }
  return {
    world,
    clock,
    stream,
    troubles,
    traces,
    notes,
    change,
    accept: (hash: string): number => {
      const seq = at(hash).session.seq + 1
      change(hash, { seq, lastPostAtMs: clock.nowMs() })
      return seq
    },
    answer: (hash: string, seq: number, parts = 1) => {
      const sealed = new Uint8Array([seq])
      at(hash).replies.set(seq, { seq, sealed })
      const ttl = Math.ceil(clock.nowMs() / 1_000) + REPLY_TTL_SEC
      stream.write(world.shard, replyRecord(hash, seq, sealed, { parts, ttl }))
    },
    remove: (hash: string) => {
      partitions.delete(hash)
      stream.write(world.shard, removeRecord(sessionKey(hash)))
    },
    follow: (hash: string) => follow(tail, hash),
    /** A tail whose stream was closed before it began. */
    followClosed: (hash: string) => follow(tail, hash, AbortSignal.abort()),
  }
}

type Tail = ReturnType<typeof makeStreamsTail>

function follow(tail: Tail, hash: string, closed?: AbortSignal) {
  const stop = new AbortController()
  const news: SessionNews[] = []
  let ended = false
  const run = async () => {
    for await (const one of tail(hash, closed ?? stop.signal)) news.push(one)
    ended = true
  }
  const done = run()
  return {
    news,
    stop: () => stop.abort(),
    done,
    ended: () => ended,
    seqs: () => news.flatMap((one) => (one.kind === 'reply' ? [one.seq] : [])),
  }
}
