/**
 * What an open stream does when `stream-plan` says that it is due: heartbeat, ping, renewal, the
 * answer to what nobody answered, the end. Bound by design section 4 (Stream, tools/list).
 */
import { Fault } from '../errors.ts'
import { RPC_INTERNAL_ERROR } from '../jsonrpc/message.ts'
import { errorReply, notificationText, requestText } from '../jsonrpc/write-message.ts'
import { VOID_WINDOW_MS } from '../ledger/limits.ts'
import type { Ports } from '../ports.ts'
import { callIdOf } from '../session/call-id.ts'
import type { PendingRequest } from '../session/session.ts'
import {
  ALIVE_MS,
  HEARTBEAT_MS,
  RENEW_MS,
  type StreamAction,
  type StreamEndReason,
  type StreamState,
  UNANSWERED_MS,
} from '../session/stream-plan.ts'
import { COMMENT, messageEvent } from '../sse/frame.ts'
import type { OpenedSession } from './open-session.ts'

export type StreamNeeds = Pick<
  Ports,
  | 'broadcast'
  | 'clock'
  | 'digests'
  | 'execute'
  | 'leases'
  | 'log'
  | 'profiles'
  | 'replies'
  | 'seals'
  | 'sessions'
>

/** Where the stream's bytes go. `closed` aborts when the peer is known to be gone. */
export type StreamOutlet = {
  /** Writes one block whole, waits for back-pressure; a no-op once closed. */
  write(block: string): Promise<void>
  readonly closed: AbortSignal
  /** The host's hard end; undefined where there is none. */
  readonly deadlineMs: number | undefined
}

export type Stream = {
  readonly opened: OpenedSession
  readonly outlet: StreamOutlet
  readonly stop: AbortController
  state: StreamState
  why: StreamEndReason
  /** What the agent's tool list was last known to depend on; undefined before the first look. */
  listSeenMs: number | undefined
}

/** Store trouble must not end a stream: what failed is due again at the next beat. */
export async function performSafely(
  ports: StreamNeeds,
  stream: Stream,
  action: StreamAction,
): Promise<void> {
  try {
    await perform(ports, stream, action)
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    ports.log.note('warn', 'stream-action-failed', { action: action.kind }, cause)
  }
}

async function perform(ports: StreamNeeds, stream: Stream, action: StreamAction): Promise<void> {
  const { hash } = stream.opened.session
  switch (action.kind) {
    case 'heartbeat':
      return heartbeat(ports, stream)
    case 'renew':
      return renew(ports, stream)
    case 'ping':
      return ping(stream)
    case 'answer-unanswered':
      return answerUnanswered(ports, stream, action.seq, action.request)
    case 'forget':
      return ports.sessions.forget({ hash, ifBase: stream.state.session.base, base: action.base })
    case 'drain':
      await ports.sessions.end({ hash, nowMs: ports.clock.nowMs() })
      stream.state = { ...stream.state, draining: true }
      return
    case 'rotate-if-quiet':
      return rotateIfQuiet(ports, stream)
    case 'end':
      return endStream(stream, action.why)
    default:
      return action satisfies never
  }
}

async function heartbeat(ports: StreamNeeds, stream: Stream): Promise<void> {
  const nowMs = ports.clock.nowMs()
  stream.state = {
    ...stream.state,
    nextHeartbeatAtMs: nextBeatMs(stream.state.nextHeartbeatAtMs, nowMs),
  }
  await stream.outlet.write(COMMENT)
  const changedAtMs = await listChangedAtMs(ports, stream)
  const seenMs = stream.listSeenMs
  if (changedAtMs !== undefined) stream.listSeenMs = changedAtMs
  if (changedAtMs === undefined || seenMs === undefined || changedAtMs === seenMs) return
  await stream.outlet.write(messageEvent(notificationText('notifications/tools/list_changed')))
}

/** Keeps the rhythm: the next beat is counted from the last due time, not from a late wake-up. */
function nextBeatMs(dueMs: number, nowMs: number): number {
  const next = dueMs + HEARTBEAT_MS
  return next > nowMs ? next : nowMs + HEARTBEAT_MS
}

/** A number that changes when this agent's tool list may have; undefined when the store is silent. */
export async function listChangedAtMs(
  ports: StreamNeeds,
  stream: Stream,
): Promise<number | undefined> {
  const { uid } = stream.opened.session
  try {
    const [all, profile] = await Promise.all([
      ports.broadcast.read(),
      uid === undefined ? undefined : ports.profiles.read(uid),
    ])
    return all + (profile?.skillsChangedAtMs ?? 0)
  } catch (cause) {
    ports.log.note('warn', 'broadcast-not-read', {}, cause)
    return undefined
  }
}

async function renew(ports: StreamNeeds, stream: Stream): Promise<void> {
  const aliveUntilMs = ports.clock.nowMs() + ALIVE_MS
  stream.state = { ...stream.state, nextRenewAtMs: ports.clock.nowMs() + RENEW_MS }
  await Promise.all([
    ports.sessions.renew(stream.opened.session.hash, aliveUntilMs),
    ports.leases.put({ ...stream.opened.lease, expiresAtMs: aliveUntilMs }),
  ])
}

async function ping(stream: Stream): Promise<void> {
  const { pings, pingsSinceMs, session } = stream.state
  const count = pingsSinceMs === session.lastPostAtMs ? pings + 1 : 1
  stream.state = { ...stream.state, pings: count, pingsSinceMs: session.lastPostAtMs }
  await stream.outlet.write(
    messageEvent(requestText(`"skillgate-ping-${session.lastPostAtMs}-${count}"`, 'ping')),
  )
}

/**
 * Void first, then answer: a crash between the two leaves a free call, never a paid one that was
 * called failed. A void that fails is due again with the next beat, until its window has passed.
 */
async function answerUnanswered(
  ports: StreamNeeds,
  stream: Stream,
  seq: number,
  request: PendingRequest,
): Promise<void> {
  const { session, sessionId } = stream.opened
  const overdueMs = ports.clock.nowMs() - request.postedAtMs - UNANSWERED_MS
  if (request.calls && session.uid !== undefined && overdueMs < VOID_WINDOW_MS) {
    await ports.execute.voidCall({
      uid: session.uid,
      callId: callIdOf(ports.digests, session.hash, seq),
      reason: 'void',
    })
  }
  const text = errorReply(request.id, unansweredError(request))
  const sealed = ports.seals.seal(sessionId, `reply#${seq}`, text)
  const appended = await ports.replies.append({ hash: session.hash, seq, sealed })
  stream.state = { ...stream.state, answered: new Set(stream.state.answered).add(seq) }
  ports.log.note('warn', 'request-unanswered', { seq, appended })
}

export function unansweredError(request: PendingRequest): { code: number; message: string } {
  const refund = request.calls ? ' The call was voided: it costs nothing.' : ''
  return {
    code: RPC_INTERNAL_ERROR,
    message: `Nobody answered this request in time.${refund} Send it again.`,
  }
}

/** Ends only if no request came since the last look: the store compares the sequence number. */
async function rotateIfQuiet(ports: StreamNeeds, stream: Stream): Promise<void> {
  const { hash } = stream.opened.session
  const { draining, session } = stream.state
  const ended =
    draining || (await ports.sessions.end({ hash, nowMs: ports.clock.nowMs(), ifSeq: session.seq }))
  if (ended) endStream(stream, 'rotated')
}

export function endStream(stream: Stream, why: StreamEndReason): void {
  stream.why = why
  stream.stop.abort()
}
