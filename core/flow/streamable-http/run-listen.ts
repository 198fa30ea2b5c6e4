/**
 * `subscriptions/listen`: a stream that notifies the client when its tool list may have changed,
 * and of the tasks that it asked for. The stream begins with the acknowledgement, sends a comment
 * every five seconds, and ends with the result of the request. Another stream of the key may remove
 * its lease to take its slot; the next renewal finds the lease missing, and the stream ends. A
 * lease that cannot be renewed also ends the stream, shortly before the lease expires. Bound by MCP
 * 2026-07-28, basic/patterns/subscriptions, and ADR 0026.
 */
import { Fault } from '../../errors.ts'
import type { Work } from '../../mcp/classified.ts'
import type { SentNotifications } from '../../mcp/revision.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import type { Ports } from '../../ports/ports.ts'
import { createSleeper } from '../../session/bells.ts'
import type { StreamOutlet } from '../../session/stream-outlet.ts'
import {
  ANONYMOUS_IDLE_END_MS,
  DRAIN_BEFORE_DEADLINE_MS,
  HEARTBEAT_MS,
  ROTATE_AFTER_MS,
} from '../../session/stream-plan.ts'
import type { Settings } from '../../settings.ts'
import { COMMENT_BLOCK, writeMessageEvent } from '../../sse/frame.ts'
import { chooseFirstVersion } from '../tools/tool-list-version.ts'
import { LIST_POLL_EVERY_MS, type ListWatch } from '../tools/tool-list-watch.ts'
import { createLeaseKeeper, type LeaseKeeper } from './lease-keeper.ts'
import type { OpenedListen } from './open-listen.ts'
import { type CallerWatch, watchCaller } from './watch-caller.ts'
import { type TaskWatch, type WatchTasksNeeds, watchTasks } from './watch-tasks.ts'

export type ListenNeeds = WatchTasksNeeds &
  Pick<
    Ports,
    'toolListVersion' | 'changes' | 'clock' | 'digests' | 'keys' | 'leases' | 'log' | 'profiles'
  >

export type ListenEndReason =
  | 'closed'
  | 'deadline'
  | 'rotated'
  | 'idle'
  | 'ended-elsewhere'
  | 'lease-lapsed'
  | 'user-disabled'
  | 'key-revoked'

export type ListenStream = {
  readonly opened: OpenedListen
  readonly outlet: StreamOutlet
  readonly work: Work
  readonly watch: ListWatch
}

/** Runs until the stream ends and returns the reason. The caller ends the response. */
export async function runListen(
  ports: ListenNeeds,
  settings: Settings,
  listening: ListenStream,
): Promise<ListenEndReason> {
  const { opened, outlet, work } = listening
  try {
    const why = await listen(ports, settings, listening)
    const reply = work.revision.results.listenEnded(work.id, makeServerInfo(settings))
    // Not awaited: a client that does not read must not keep the slot.
    if (why !== 'closed') void outlet.write(writeMessageEvent(reply))
    return why
  } finally {
    await ports.leases.remove(opened.lease).catch((cause: unknown) => {
      ports.log.note('warn', 'stream-end-not-written', {}, cause)
    })
  }
}

async function listen(
  ports: ListenNeeds,
  settings: Settings,
  listening: ListenStream,
): Promise<ListenEndReason> {
  const { opened, outlet, watch, work } = listening
  const { notifications } = work.revision
  const sent = toSent(listening)
  const wantsTools = sent.toolsListChanged
  const { listenAcknowledged } = notifications
  if (listenAcknowledged === undefined) throw new Fault('internal', 'this revision has no listen')
  const changes = watchToolList(ports, listening, wantsTools)
  const lease = createLeaseKeeper(ports, listening.opened.lease)
  // Before the acknowledgement, since the client must get every change after it.
  await changes.check()
  const lost = lease.lossAt(ports.clock.nowMs())
  if (lost !== undefined) return lost
  void outlet.write(writeMessageEvent(listenAcknowledged(work.id, sent)))
  // The store reports a change in the context of the writer; a sleeper wakes in the stream's own.
  const { sleep, wake } = createSleeper()
  const unfollow = wantsTools ? watch.follow(ports, wake) : undefined
  const caller = watchCaller(ports, opened.credential)
  const tasks = watchTasks(ports, settings, { opened, outlet, wake, work })
  const pause = (ms: number) => sleep(ports.clock, ms, outlet.closed)
  try {
    return await runUntilEnd(ports, listening, { caller, changes, lease, pause, tasks })
  } finally {
    changes.stop()
    tasks.stop()
    unfollow?.()
  }
}

function toSent({ opened, work: { intent } }: ListenStream): SentNotifications {
  if (intent.kind !== 'listen') return { toolsListChanged: false }
  const { tasks, toolsListChanged } = intent
  if (tasks === undefined) return { toolsListChanged }
  return { toolsListChanged, taskIds: opened.tasks.map(({ taskId }) => taskId) }
}

type Duties = {
  readonly caller: CallerWatch
  readonly changes: ChangeCheck
  readonly lease: LeaseKeeper
  readonly tasks: TaskWatch
  pause(ms: number): Promise<void>
}

async function runUntilEnd(
  ports: ListenNeeds,
  { opened, outlet }: ListenStream,
  { caller, changes, lease, pause, tasks }: Duties,
): Promise<ListenEndReason> {
  const end = planEnd(opened, outlet)
  tasks.check()
  let commentAtMs = ports.clock.nowMs() + HEARTBEAT_MS
  for (;;) {
    await pause(Math.max(1, Math.min(LIST_POLL_EVERY_MS, lease.leaveAtMs() - ports.clock.nowMs())))
    const nowMs = ports.clock.nowMs()
    if (outlet.closed.aborted) return 'closed'
    if (nowMs >= end.atMs) return end.why
    const lost = lease.lossAt(nowMs) ?? findLoss(changes, caller)
    if (lost !== undefined) return lost
    // No await from here on: comments go on while the store hangs or the client does not read.
    void changes.check()
    caller.check(nowMs)
    tasks.check()
    lease.keep(nowMs)
    if (nowMs < commentAtMs) continue
    void outlet.write(COMMENT_BLOCK)
    commentAtMs = nowMs + HEARTBEAT_MS
  }
}

/** Why the caller may not listen any more. */
function findLoss(changes: ChangeCheck, caller: CallerWatch): ListenEndReason | undefined {
  if (changes.isDisabled()) return 'user-disabled'
  return caller.isOut() ? 'key-revoked' : undefined
}

type ChangeCheck = {
  readonly check: () => Promise<void>
  /** True if the last check found the user disabled. */
  readonly isDisabled: () => boolean
  /** From then on a check that is still running writes nothing. */
  stop(): void
}

/**
 * Compares the version of the tool list. The first check sets the version; a later one that finds
 * another version notifies the client, if it wants notifications. A failed check is logged, and the
 * next one follows.
 */
function watchToolList(
  ports: ListenNeeds,
  { opened, outlet, watch, work }: ListenStream,
  wantsTools: boolean,
): ChangeCheck {
  const notice = writeMessageEvent(work.revision.notifications.toolsListChanged(work.id))
  let lastVersion: number | undefined
  let isDisabled = false
  let isStopped = false
  const check = async () => {
    // An anonymous stream that wants no notifications has nothing to check.
    if (!wantsTools && opened.uid === undefined) return
    try {
      const state = await watch.state(ports, opened.uid)
      isDisabled = state.disabled !== undefined
      const isNews = lastVersion !== undefined && state.listVersion !== lastVersion
      lastVersion =
        lastVersion === undefined
          ? chooseFirstVersion(state, ports.clock.nowMs())
          : state.listVersion
      if (isNews && wantsTools && !isStopped) void outlet.write(notice)
    } catch (cause) {
      ports.log.note('warn', 'stream-action-failed', { action: 'look' }, cause)
    }
  }
  const stop = () => {
    isStopped = true
  }
  return { check, isDisabled: () => isDisabled, stop }
}

/**
 * When and why the stream ends. An anonymous stream ends early, since it keeps a function busy and
 * pays nothing. Any other ends before its host ends it.
 */
function planEnd(
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
