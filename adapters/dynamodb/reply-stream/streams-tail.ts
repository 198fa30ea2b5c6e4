/**
 * The `dynamodb-streams` tail behind the port ReplyStream: one reader of the table's stream fans
 * out to all sessions of this process. AWS lets two processes read a stream at once. A third gets a
 * warning in its log and slow service from the partition. Bound by docs/service.md, Reply delivery,
 * ADR 0015.
 */
import { Fault } from '../../../core/errors.ts'
import type { Log, ReplyStream, StreamLeases } from '../../../core/ports.ts'
import type { SessionNews } from '../../../core/session/session.ts'
import { tailStream } from '../../../core/session/stream-tail.ts'
import type { PartitionReads } from '../../../core/session/tail-state.ts'
import { type ReaderNeeds, type StreamReader, streamReader } from './stream-reader.ts'

/** Throttling happens many times a second; the log mentions it this often. */
export const CROWDED_EVERY_MS = 60_000

export type StreamsTailNeeds = Omit<ReaderNeeds, 'onThrottled'> & {
  reads(hash: string): PartitionReads
  /** All open streams: they show how many other hosts may be reading. */
  readonly leases: Pick<StreamLeases, 'list'>
  readonly log: Pick<Log, 'note'>
}

export function streamsTail(needs: StreamsTailNeeds): ReplyStream['tail'] {
  const crowded = crowdedNote(needs)
  const reader = streamReader({ ...needs, onThrottled: (cause) => crowded('throttled', cause) })
  return (hash, signal) => follow(needs, reader, crowded, hash, signal)
}

async function* follow(
  needs: StreamsTailNeeds,
  reader: StreamReader,
  crowded: OnCrowded,
  hash: string,
  signal: AbortSignal,
): AsyncGenerator<SessionNews> {
  if (signal.aborted) return
  const { feed, stop } = reader.listen(hash)
  // Runs beside the tail, which must not wait for it.
  void countOthers(needs, reader, crowded).catch(needs.onTrouble)
  try {
    yield* tailStream(needs.reads(hash), feed, needs.clock, signal, needs.onTrouble)
  } finally {
    stop()
  }
}

/**
 * Each open stream that this process does not serve belongs to another host. A function serves one
 * stream, so their number is the number of readers. A host that serves many streams has one reader
 * for all, so the warning may be needless there.
 */
async function countOthers(
  { clock, leases, pace: { readersMax } }: StreamsTailNeeds,
  reader: StreamReader,
  crowded: OnCrowded,
): Promise<void> {
  if (readersMax === undefined) return
  const open = await leases.list(clock.nowMs())
  const others = open.filter(({ session }) => !reader.hears(session)).length
  if (others + 1 > readersMax) crowded('streams', undefined, others + 1)
}

type OnCrowded = (reason: 'streams' | 'throttled', cause: unknown, count?: number) => void

function crowdedNote({ clock, log, pace }: StreamsTailNeeds): OnCrowded {
  let notedAtMs = Number.NEGATIVE_INFINITY
  return (reason, cause, count) => {
    if (clock.nowMs() - notedAtMs < CROWDED_EVERY_MS) return
    notedAtMs = clock.nowMs()
    const remedy = new Fault(
      'store_unavailable',
      `stream: at most ${pace.readersMax ?? 'so many'} hosts can read it at once; set REPLY_TAIL=partition`,
      cause,
    )
    log.note('warn', 'stream-tail-crowded', { reason, count, max: pace.readersMax }, remedy)
  }
}
