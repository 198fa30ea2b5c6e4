/**
 * The actions of an open stream that core/session/stream-plan.ts finds due: heartbeat, ping,
 * renewal, check of the caller and for a changed tool list, void, drain, end. No action waits for the client to read,
 * so that a client that stopped reading is still found dead. Bound by docs/service.md, Streams.
 */
import { Fault } from '../../errors.ts'
import { writeNotification, writeRequest } from '../../jsonrpc/write-message.ts'
import { mustLeave } from '../../session/lease-end.ts'
import {
  ALIVE_MS,
  computeNextBeatMs,
  countWaiting,
  LIST_VERSION_AGE_MS_MAX,
  RENEW_MS,
  type StreamAction,
} from '../../session/stream-plan.ts'
import { COMMENT_BLOCK, writeMessageEvent } from '../../sse/frame.ts'
import { mayStay } from '../access/authenticate.ts'
import { chooseFirstVersion, readListState } from '../tools/tool-list-version.ts'
import { answerOverdue, voidOwedCall } from './answer-overdue.ts'
import { logDelays } from './reply-delays.ts'
import { endStream, type Stream, type StreamNeeds } from './stream.ts'

/** Starts an action unless the same one is still running. */
export function startAction(ports: StreamNeeds, stream: Stream, action: StreamAction): void {
  const key = 'seq' in action ? `${action.kind}#${action.seq}` : action.kind
  if (stream.underWay.has(key)) return
  const work = performWithLog(ports, stream, action).finally(() => stream.underWay.delete(key))
  stream.underWay.set(key, work)
}

/** A failing store must not end a stream: an action that failed is due again at the next beat. */
async function performWithLog(
  ports: StreamNeeds,
  stream: Stream,
  action: StreamAction,
): Promise<void> {
  try {
    await performAction(ports, stream, action)
  } catch (cause) {
    if (cause instanceof Fault) {
      ports.log.note('warn', 'stream-action-failed', { action: action.kind }, cause)
      return
    }
    stream.bug ??= cause
    stream.stop.abort()
  }
}

async function performAction(
  ports: StreamNeeds,
  stream: Stream,
  action: StreamAction,
): Promise<void> {
  switch (action.kind) {
    case 'heartbeat':
      return sendHeartbeat(ports, stream)
    case 'look':
      return look(ports, stream)
    case 'renew':
      return renew(ports, stream)
    case 'ping':
      return sendPing(stream)
    case 'answer-unanswered':
      await answerOverdue(ports, stream, action.seq, action.request)
      return startAction(ports, stream, { kind: 'void', seq: action.seq })
    case 'void':
      return voidOwedCall(ports, stream, action.seq)
    case 'forget':
      return forget(ports, stream, action.base)
    case 'drain':
      return drainStream(ports, stream)
    case 'rotate-if-quiet':
      return rotateIfQuiet(ports, stream)
    case 'end':
      return endStream(stream, action.why)
    default:
      return action satisfies never
  }
}

/**
 * Does not wait for the write: the beats go on while the client does not read, so that it is found
 * dead.
 */
function send(stream: Stream, block: string): void {
  // A check of the tool list may end after the stream.
  if (stream.stop.signal.aborted) return
  void stream.outlet.write(block)
}

function sendHeartbeat(ports: StreamNeeds, stream: Stream): void {
  send(stream, COMMENT_BLOCK)
  const nextHeartbeatAtMs = computeNextBeatMs(stream.state.nextHeartbeatAtMs, ports.clock.nowMs())
  stream.state = { ...stream.state, nextHeartbeatAtMs }
}

async function look(ports: StreamNeeds, stream: Stream): Promise<void> {
  if (!(await mayStay(ports, stream.opened.credential))) return endStream(stream, 'key-revoked')
  return checkToolList(ports, stream)
}

/**
 * Compares the version of the agent's tool list. The first check sets the version; a later one that
 * finds another version notifies the agent. A check that finds the user disabled ends the stream.
 */
async function checkToolList(ports: StreamNeeds, stream: Stream): Promise<void> {
  const state = await readListState(ports, stream.opened.session.uid, LIST_VERSION_AGE_MS_MAX)
  if (state.disabled !== undefined) return endStream(stream, 'user-disabled')
  const lastVersion = stream.listSeen
  stream.listSeen =
    lastVersion === undefined ? chooseFirstVersion(state, ports.clock.nowMs()) : state.listVersion
  if (lastVersion === undefined || state.listVersion === lastVersion) return
  send(stream, writeMessageEvent(writeNotification('notifications/tools/list_changed')))
}

/**
 * Renews session and lease. A failed renewal is due again at the next beat, and a lease outlasts
 * two of them. If another stream has taken the slot, which the tail may not know yet, the stream
 * ends.
 */
async function renew(ports: StreamNeeds, stream: Stream): Promise<void> {
  logDelays(ports, stream)
  const nowMs = ports.clock.nowMs()
  const aliveUntilMs = nowMs + ALIVE_MS
  await Promise.all([
    ports.sessions.renew(stream.opened.session.hash, aliveUntilMs),
    renewLease(ports, stream, aliveUntilMs),
  ])
  stream.state = { ...stream.state, nextRenewAtMs: nowMs + RENEW_MS }
}

async function renewLease(ports: StreamNeeds, stream: Stream, untilMs: number): Promise<void> {
  const isRenewed = await ports.leases.renew({ ...stream.opened.lease, expiresAtMs: untilMs })
  if (!isRenewed) return endStream(stream, 'ended-elsewhere')
  // The answer came too late (lease-end.ts): another stream may have the slot.
  if (mustLeave(stream.state.leasedUntilMs, ports.clock.nowMs()))
    return endStream(stream, 'lease-lapsed')
  stream.state = { ...stream.state, leasedUntilMs: untilMs }
}

function sendPing(stream: Stream): void {
  const { pings, pingsSinceMs, session } = stream.state
  const count = pingsSinceMs === session.lastPostAtMs ? pings + 1 : 1
  stream.state = { ...stream.state, pings: count, pingsSinceMs: session.lastPostAtMs }
  const id = `"skillgate-ping-${session.lastPostAtMs}-${count}"`
  send(stream, writeMessageEvent(writeRequest(id, 'ping')))
}

/**
 * Removes delivered requests from the record. The own state is updated too: the tail may report the
 * new base late, and each try costs a write.
 */
async function forget(ports: StreamNeeds, stream: Stream, base: number): Promise<void> {
  const { hash, base: ifBase } = stream.state.session
  await ports.sessions.forget({ hash, ifBase, base })
  const { session } = stream.state
  if (session.base !== ifBase) return
  const pending = session.pending.slice(base - ifBase)
  stream.state = { ...stream.state, session: { ...session, base, pending } }
}

/**
 * Makes new POSTs get 404. The state is `under-way` before the write, because the tail may report
 * the end before the write returns and must not take it for an end by another stream.
 */
async function drainStream(ports: StreamNeeds, stream: Stream): Promise<void> {
  const { hash } = stream.opened.session
  stream.state = { ...stream.state, draining: 'under-way' }
  try {
    await ports.sessions.end({ hash, nowMs: ports.clock.nowMs() })
    stream.state = { ...stream.state, draining: 'done' }
  } catch (cause) {
    stream.state = { ...stream.state, draining: 'no' }
    throw cause
  }
}

/**
 * Ends the stream only if no request came after the tail's last news. While POSTs are accepted, the
 * store compares the sequence number. A drained session is read again, since the tail may lag
 * behind the last POST.
 */
async function rotateIfQuiet(ports: StreamNeeds, stream: Stream): Promise<void> {
  const { hash, seq } = stream.state.session
  if (stream.state.draining === 'done') {
    const last = await ports.sessions.read(hash)
    if (last !== undefined && last.seq > stream.state.session.seq) return
    if (countWaiting(stream.state) === 0) endStream(stream, 'rotated')
    return
  }
  if (await ports.sessions.end({ hash, nowMs: ports.clock.nowMs(), ifSeq: seq })) {
    endStream(stream, 'rotated')
  }
}
