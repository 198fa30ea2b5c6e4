/**
 * `subscriptions/listen`: a stream that says when the caller's tool list may have changed. First
 * the acknowledgement, then a comment every five seconds, and at its end the result that says so.
 * Another stream of the key may remove its lease to have its place: the next renewal finds it gone
 * and the stream ends. Bound by MCP 2026-07-28, basic/patterns/subscriptions, and ADR 0026.
 */
import { Fault } from '../../errors.ts'
import type { Work } from '../../mcp/classified.ts'
import { serverInfo } from '../../mcp/server-info.ts'
import type { Ports } from '../../ports.ts'
import type { StreamLease } from '../../session/session.ts'
import type { StreamOutlet } from '../../session/stream-outlet.ts'
import {
  ALIVE_MS,
  ANONYMOUS_IDLE_END_MS,
  DRAIN_BEFORE_DEADLINE_MS,
  HEARTBEAT_MS,
  RENEW_MS,
  ROTATE_AFTER_MS,
} from '../../session/stream-plan.ts'
import type { Settings } from '../../settings.ts'
import { COMMENT, messageEvent } from '../../sse/frame.ts'
import { seenAtFirst } from '../tools/tool-list-version.ts'
import { type ListWatch, LOOK_EVERY_MS } from '../tools/tool-list-watch.ts'
import type { OpenedListen } from './open-listen.ts'

export type ListenNeeds = Pick<Ports, 'toolListVersion' | 'clock' | 'leases' | 'log' | 'profiles'>

export type ListenEndReason = 'closed' | 'deadline' | 'rotated' | 'idle' | 'ended-elsewhere'

/** What one listen stream is made of. */
export type ListenStream = {
  readonly opened: OpenedListen
  readonly outlet: StreamOutlet
  readonly work: Work
  readonly watch: ListWatch
}

/** Runs until the stream ends; answers why. The caller ends the response. */
export async function runListen(
  ports: ListenNeeds,
  settings: Settings,
  listening: ListenStream,
): Promise<ListenEndReason> {
  const { opened, outlet, work } = listening
  try {
    const why = await listen(ports, listening)
    const reply = work.revision.results.listenEnded(work.id, serverInfo(settings))
    if (why !== 'closed') await outlet.write(messageEvent(reply))
    return why
  } finally {
    await ports.leases.remove(opened.lease).catch((cause: unknown) => {
      ports.log.note('warn', 'stream-end-not-written', {}, cause)
    })
  }
}

async function listen(ports: ListenNeeds, listening: ListenStream): Promise<ListenEndReason> {
  const { opened, outlet, work } = listening
  const { notifications } = work.revision
  const wantsTools = work.intent.kind === 'listen' && work.intent.toolsListChanged
  const look = wantsTools ? changeLook(ports, listening) : async () => {}
  // Before the acknowledgement: a change after it must be told.
  await look()
  const { listenAcknowledged } = notifications
  if (listenAcknowledged === undefined) throw new Fault('internal', 'this revision has no listen')
  await outlet.write(messageEvent(listenAcknowledged(work.id, wantsTools)))
  const end = endOf(opened, outlet)
  const lease = leaseKeeper(ports, opened.lease)
  let commentAtMs = ports.clock.nowMs() + HEARTBEAT_MS
  for (;;) {
    await ports.clock.sleep(LOOK_EVERY_MS, outlet.closed)
    const nowMs = ports.clock.nowMs()
    if (outlet.closed.aborted) return 'closed'
    if (nowMs >= end.atMs) return end.why
    if (lease.isGone()) return 'ended-elsewhere'
    // Nothing here waits for the store, nor for a reader that stopped reading: beats go on.
    void look()
    lease.keep(nowMs)
    if (nowMs < commentAtMs) continue
    void outlet.write(COMMENT)
    commentAtMs = nowMs + HEARTBEAT_MS
  }
}

/** The first look only remembers (seenAtFirst); a later one that sees a change tells it. Trouble is waited out. */
function changeLook(
  ports: ListenNeeds,
  { opened, outlet, watch, work }: ListenStream,
): () => Promise<void> {
  const notice = messageEvent(work.revision.notifications.toolsListChanged(work.id))
  let seen: number | undefined
  return async () => {
    try {
      const state = await watch(ports, opened.uid)
      const isNews = seen !== undefined && state.listVersion !== seen
      seen = seen === undefined ? seenAtFirst(state, ports.clock.nowMs()) : state.listVersion
      if (isNews) void outlet.write(notice)
    } catch (cause) {
      ports.log.note('warn', 'stream-action-failed', { action: 'look' }, cause)
    }
  }
}

/** An anonymous one costs a function and pays nothing; others end before their host ends them. */
function endOf(
  { lease, uid }: OpenedListen,
  { deadlineMs }: StreamOutlet,
): { readonly atMs: number; readonly why: ListenEndReason } {
  const { openedAtMs } = lease
  if (uid === undefined) return { atMs: openedAtMs + ANONYMOUS_IDLE_END_MS, why: 'idle' }
  if (deadlineMs === undefined) return { atMs: Number.POSITIVE_INFINITY, why: 'rotated' }
  const lastMs = deadlineMs - DRAIN_BEFORE_DEADLINE_MS
  const rotateMs = openedAtMs + ROTATE_AFTER_MS
  return lastMs < rotateMs ? { atMs: lastMs, why: 'deadline' } : { atMs: rotateMs, why: 'rotated' }
}

/** Renews twice a minute; one that failed is tried again: two lost renewals end nothing. */
function leaseKeeper(
  ports: ListenNeeds,
  lease: StreamLease,
): { keep(nowMs: number): void; isGone(): boolean } {
  let isGone = false
  let dueAtMs = lease.openedAtMs + RENEW_MS
  const renew = async (nowMs: number) => {
    const all = await ports.leases.list(nowMs)
    isGone = !all.some((one) => one.session === lease.session)
    if (!isGone) await ports.leases.put({ ...lease, expiresAtMs: nowMs + ALIVE_MS })
  }
  return {
    isGone: () => isGone,
    keep: (nowMs) => {
      if (nowMs < dueAtMs) return
      dueAtMs = nowMs + RENEW_MS
      renew(nowMs).catch((cause: unknown) => {
        ports.log.note('warn', 'stream-action-failed', { action: 'renew' }, cause)
      })
    },
  }
}
