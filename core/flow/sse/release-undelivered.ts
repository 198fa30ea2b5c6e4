/**
 * Voids calls whose reply can no longer be written, because their stream has ended. Each gets a
 * tombstone in place of its reply. Bound by docs/service.md, Streams; docs/design/streams.md#replies draws the races.
 *
 *   loops stopped ─▶ session ended ─▶ record read ─▶ for each call that was not written:
 *   (no reply is     (no POST is      (all that         append tombstone#seq, then void
 *    written)         accepted)        was accepted)
 *
 *   append ─┬─▶ appended: a late reply is refused, and its writer voids too
 *           └─▶ taken: the stored reply is never read
 *
 * A reply that the stream had begun to write is treated as written, because the client may have
 * read it. If the process dies before the voids, the messages door finds the tombstone and voids. A
 * reply that was stored before the tombstone stays charged.
 */
import type { PendingRequest, StreamSession } from '../../session/session.ts'
import { hasDelivered } from '../../session/watermark.ts'
import { scheduleVoid } from './answer-overdue.ts'
import type { Stream, StreamNeeds } from './stream.ts'

/**
 * Call it after both loops and the session have ended. The voids are owed then, and a later step
 * sends them.
 */
export async function releaseUndelivered(ports: StreamNeeds, stream: Stream): Promise<void> {
  if (stream.opened.session.uid === undefined) return
  const session = await readAccepted(ports, stream)
  await Promise.all(
    listUndelivered(stream, session).map(async ({ request, seq }) => {
      scheduleVoid(ports, stream, seq, request)
      await putTombstone(ports, stream, seq)
    }),
  )
}

/**
 * Reads the record, since the tail may lag behind the last POST. If that fails, returns the tail's
 * last record.
 */
async function readAccepted(ports: StreamNeeds, stream: Stream): Promise<StreamSession> {
  const last = stream.state.session
  const read = ports.sessions.read(last.hash)
  return (await read.catch((cause: unknown) => logUnwritten(ports, cause))) ?? last
}

function listUndelivered(
  { state }: Stream,
  session: StreamSession,
): readonly { readonly seq: number; readonly request: PendingRequest }[] {
  return session.pending
    .map((request, index) => ({ seq: session.base + 1 + index, request }))
    .filter(({ request, seq }) => request.calls && !hasDelivered(state.delivered, seq))
}

/** A failure does not prevent the void; only a late reply then stays in the store, unread. */
async function putTombstone(ports: StreamNeeds, stream: Stream, seq: number): Promise<void> {
  const { session, sessionId } = stream.opened
  const sealed = ports.seals.seal(sessionId, `reply#${seq}`, '')
  const append = ports.replies.append({ hash: session.hash, seq, sealed })
  await append.catch((cause: unknown) => logUnwritten(ports, cause))
}

function logUnwritten(ports: StreamNeeds, cause: unknown): undefined {
  ports.log.note('warn', 'stream-end-not-written', {}, cause)
}
