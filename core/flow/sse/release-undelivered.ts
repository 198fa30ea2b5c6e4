/**
 * Calls whose reply can no longer be written, because their stream has ended: each gets a tombstone in
 * its reply's place, and is voided. Bound by docs/service.md, Streams; the races are in ADR 0034.
 *
 *   loops stopped ─▶ session ended ─▶ record read ─▶ for each call that was not written:
 *   (no reply is     (no POST is      (all that         append tombstone#seq ─┬─▶ appended: a late reply is
 *    written)         accepted)        was accepted)                          │   refused, its writer voids too
 *                                                                            └─▶ taken: that reply is unread
 *                                                     void, whichever it was
 * A reply that the stream had begun to write counts as written: the client may have read it.
 * Dies before the voids: the messages door finds a tombstone in its place and voids. A reply that was
 * stored before it stays charged.
 */
import type { PendingRequest, StreamSession } from '../../session/session.ts'
import { hasDelivered } from '../../session/watermark.ts'
import { oweVoid } from './answer-overdue.ts'
import type { Stream, StreamNeeds } from './stream.ts'

/** After both loops and the session have ended. The voids are then owed, and not sent yet. */
export async function releaseUndelivered(ports: StreamNeeds, stream: Stream): Promise<void> {
  if (stream.opened.session.uid === undefined) return
  const session = await readAccepted(ports, stream)
  await Promise.all(
    undelivered(stream, session).map(async ({ request, seq }) => {
      oweVoid(ports, stream, seq, request)
      await putTombstone(ports, stream, seq)
    }),
  )
}

/** The tail may lag behind the last POST, so the record is read; the tail's news serve where that fails. */
async function readAccepted(ports: StreamNeeds, stream: Stream): Promise<StreamSession> {
  const last = stream.state.session
  const read = ports.sessions.read(last.hash)
  return (await read.catch((cause: unknown) => unwritten(ports, cause))) ?? last
}

function undelivered(
  { state }: Stream,
  session: StreamSession,
): readonly { readonly seq: number; readonly request: PendingRequest }[] {
  return session.pending
    .map((request, index) => ({ seq: session.base + 1 + index, request }))
    .filter(({ request, seq }) => request.calls && !hasDelivered(state.delivered, seq))
}

/** Without it the void still counts: only a late reply then stays in the store, unread. */
async function putTombstone(ports: StreamNeeds, stream: Stream, seq: number): Promise<void> {
  const { session, sessionId } = stream.opened
  const sealed = ports.seals.seal(sessionId, `reply#${seq}`, '')
  const append = ports.replies.append({ hash: session.hash, seq, sealed })
  await append.catch((cause: unknown) => unwritten(ports, cause))
}

function unwritten(ports: StreamNeeds, cause: unknown): undefined {
  ports.log.note('warn', 'stream-end-not-written', {}, cause)
}
