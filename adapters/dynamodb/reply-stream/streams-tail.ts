/**
 * The `dynamodb-streams` tail of the port ReplyStream: one reader of the table's stream serves all
 * sessions of this process. AWS lets two processes read a stream at once. Sessions of a third
 * process read their partitions, and a log note counts them. Bound by docs/service.md, Reply
 * delivery, docs/design/streams.md#tails.
 */
import { Fault } from '../../../core/errors.ts'
import type { Log } from '../../../core/ports/outside.ts'
import type { ReplyStream } from '../../../core/ports/sessions.ts'
import { tailPartition } from '../../../core/session/partition-tail.ts'
import type { SessionNews } from '../../../core/session/session.ts'
import { tailStream } from '../../../core/session/stream-tail.ts'
import type { PartitionReads } from '../../../core/session/tail-state.ts'
import { type ReaderSlots, type SharedReaderSlot, shareReaderSlot } from './reader-slots.ts'
import { makeStreamReader, type ReaderNeeds, type StreamReader } from './stream-reader.ts'

/** Throttling happens many times a second; the log has one note in this time. */
export const CROWDED_EVERY_MS = 60_000

export type StreamsTailNeeds = Omit<ReaderNeeds, 'onThrottled'> & {
  reads(hash: string): PartitionReads
  /** Undefined if the pace has no limit of readers. */
  readonly slots: ReaderSlots | undefined
  readonly log: Pick<Log, 'note'>
}

export function makeStreamsTail(needs: StreamsTailNeeds): ReplyStream['tail'] {
  const { clock, onTrouble, slots } = needs
  const reader = makeStreamReader({ ...needs, onThrottled: noteCrowding(needs) })
  const onRenewed = (held: boolean) => (held ? reader.resume() : reader.pause())
  const slot = shareReaderSlot({ slots, clock, onTrouble, onRenewed })
  return (hash, signal) => follow({ needs, reader, slot }, hash, signal)
}

type FollowNeeds = {
  readonly needs: StreamsTailNeeds
  readonly reader: StreamReader
  readonly slot: SharedReaderSlot
}

async function* follow(
  { needs, reader, slot }: FollowNeeds,
  hash: string,
  signal: AbortSignal,
): AsyncGenerator<SessionNews> {
  if (signal.aborted) return
  const { clock, log, onTrouble, pace } = needs
  const reads = needs.reads(hash)
  if (!(await slot.enter())) {
    log.note('info', 'stream-tail-moved', { count: 1, max: pace.readersMax })
    yield* tailPartition(reads, clock, signal, { onTrouble })
    return
  }
  const { feed, stop } = reader.listen(hash)
  try {
    yield* tailStream({ reads, feed, clock, onTrouble }, signal)
  } finally {
    stop()
    await slot.leave()
  }
}

/** Notes a throttle: then a reader without a slot reads the stream too. */
function noteCrowding({ clock, log, pace }: StreamsTailNeeds): ReaderNeeds['onThrottled'] {
  let notedAtMs = Number.NEGATIVE_INFINITY
  return (cause) => {
    if (clock.nowMs() - notedAtMs < CROWDED_EVERY_MS) return
    notedAtMs = clock.nowMs()
    const remedy = new Fault(
      'store_unavailable',
      `stream: at most ${pace.readersMax ?? 'so many'} hosts can read it at once; set REPLY_TAIL=partition`,
      cause,
    )
    log.note('warn', 'stream-tail-crowded', { max: pace.readersMax }, remedy)
  }
}
