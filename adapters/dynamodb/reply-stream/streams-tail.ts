/**
 * The `dynamodb-streams` tail behind the port ReplyStream: one reader of the table's stream fans
 * out to all sessions of this process. AWS lets two processes read a stream at once; sessions of a
 * third read their partitions, and a note counts them. Bound by docs/service.md, Reply delivery,
 * ADR 0015, ADR 0037.
 */
import { Fault } from '../../../core/errors.ts'
import type { Log } from '../../../core/ports/outside.ts'
import type { ReplyStream } from '../../../core/ports/sessions.ts'
import { tailPartition } from '../../../core/session/partition-tail.ts'
import type { SessionNews } from '../../../core/session/session.ts'
import { tailStream } from '../../../core/session/stream-tail.ts'
import type { PartitionReads } from '../../../core/session/tail-state.ts'
import { type ReaderPlace, readerPlace } from './reader-place.ts'
import type { ReaderSlots } from './reader-slots.ts'
import { type ReaderNeeds, type StreamReader, streamReader } from './stream-reader.ts'

/** Throttling happens many times a second; the log mentions it this often. */
export const CROWDED_EVERY_MS = 60_000

export type StreamsTailNeeds = Omit<ReaderNeeds, 'onThrottled'> & {
  reads(hash: string): PartitionReads
  /** Undefined where the pace has no limit of readers. */
  readonly slots: ReaderSlots | undefined
  readonly log: Pick<Log, 'note'>
}

export function streamsTail(needs: StreamsTailNeeds): ReplyStream['tail'] {
  const { clock, onTrouble, slots } = needs
  const reader = streamReader({ ...needs, onThrottled: crowdedNote(needs) })
  const onRenewed = (held: boolean) => (held ? reader.resume() : reader.pause())
  const place = readerPlace({ slots, clock, onTrouble, onRenewed })
  return (hash, signal) => follow({ needs, reader, place }, hash, signal)
}

type FollowNeeds = {
  readonly needs: StreamsTailNeeds
  readonly reader: StreamReader
  readonly place: ReaderPlace
}

async function* follow(
  { needs, reader, place }: FollowNeeds,
  hash: string,
  signal: AbortSignal,
): AsyncGenerator<SessionNews> {
  if (signal.aborted) return
  const { clock, log, onTrouble, pace } = needs
  const reads = needs.reads(hash)
  if (!(await place.enter())) {
    log.note('info', 'stream-tail-moved', { count: 1, max: pace.readersMax })
    yield* tailPartition(reads, clock, signal, { onTrouble })
    return
  }
  const { feed, stop } = reader.listen(hash)
  try {
    yield* tailStream({ reads, feed, clock, onTrouble }, signal)
  } finally {
    stop()
    await place.leave()
  }
}

/** Something that takes no slot reads the stream as well. */
function crowdedNote({ clock, log, pace }: StreamsTailNeeds): ReaderNeeds['onThrottled'] {
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
