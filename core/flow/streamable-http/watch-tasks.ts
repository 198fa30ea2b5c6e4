/**
 * Tasks on a listen stream: each change of state is sent as the whole task, and a task that no
 * longer works is sent once at the beginning. A task is read when the store announces a change, and
 * every TASK_WATCH_MS besides, until it has ended. Another key never gets here (open-listen.ts).
 * Bound by MCP 2026-07-28, ext-tasks, and docs/service.md, Tasks.
 */
import type { Work } from '../../mcp/classified.ts'
import type { TaskView } from '../../mcp/revision.ts'
import { TASK_WATCH_MS } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import type { StreamOutlet } from '../../session/stream-outlet.ts'
import type { Settings } from '../../settings.ts'
import { writeMessageEvent } from '../../sse/frame.ts'
import { type FoundTask, findTask, type TaskRecordNeeds, viewTask } from '../tools/task-record.ts'
import type { OpenedListen } from './open-listen.ts'

export type WatchTasksNeeds = TaskRecordNeeds & Pick<Ports, 'changes'>

export type TaskWatch = {
  /** Reads the tasks that are due, without waiting for them. Never throws. */
  check(): void
  /** From then on a read that is still running writes nothing. */
  stop(): void
}

type Watched = {
  readonly taskId: string
  readonly hash: string
  readonly keyHash: string
  /** The task as it was found when the stream opened, until the first read. */
  fresh: FoundTask | undefined
  /** The state that the client knows; undefined until the first read. */
  told: Pick<TaskView, 'status' | 'updatedAtMs'> | undefined
  /** 0 if the store announced a change. */
  dueAtMs: number
  isReading: boolean
}

type Watching = {
  readonly opened: Pick<OpenedListen, 'tasks'>
  readonly outlet: Pick<StreamOutlet, 'write'>
  readonly work: Work
  /** Called when a task may have changed, so that `check` is due. */
  readonly wake: () => void
}

/**
 * The first `check` sends the tasks that no longer work. A task that changes between its first read
 * and the first `check` is read again after TASK_WATCH_MS.
 */
export function watchTasks(
  ports: WatchTasksNeeds,
  settings: Settings,
  watching: Watching,
): TaskWatch {
  const { opened, outlet, wake, work } = watching
  const { tasks } = opened
  const watched = new Set(tasks.map(toWatched))
  let isStopped = false
  const stops = [...watched].map((one) =>
    ports.changes.listen(`task:${one.hash}`, () => {
      one.dueAtMs = 0
      wake()
    }),
  )
  const tell = (one: Watched, view: TaskView) => {
    const { told } = one
    if (isStopped) return
    if (hasEnded(view)) watched.delete(one)
    one.told = view
    if (!isNews(told, view)) return
    const notice = work.revision.notifications.task?.(work.id, view)
    if (notice !== undefined) void outlet.write(writeMessageEvent(notice))
  }
  const read = async (one: Watched) => {
    const { fresh, keyHash, taskId } = one
    one.dueAtMs = ports.clock.nowMs() + TASK_WATCH_MS
    one.isReading = true
    one.fresh = undefined
    try {
      const now = fresh ?? (await findTask(ports, taskId, keyHash))
      if (now === undefined) watched.delete(one)
      else tell(one, await viewTask(ports, settings, now))
    } catch (cause) {
      ports.log.note('warn', 'stream-action-failed', { action: 'look' }, cause)
    } finally {
      one.isReading = false
      // A change that was announced during the read may have come after it.
      if (one.dueAtMs === 0) wake()
    }
  }
  return {
    check: () => {
      const nowMs = ports.clock.nowMs()
      for (const one of watched) {
        if (!one.isReading && nowMs >= one.dueAtMs) void read(one)
      }
    },
    stop: () => {
      isStopped = true
      for (const stop of stops) stop()
    },
  }
}

function toWatched(found: FoundTask): Watched {
  const { hash, keyHash } = found.stored
  const { taskId } = found
  return { taskId, hash, keyHash, fresh: found, told: undefined, dueAtMs: 0, isReading: false }
}

/** A client knows of a task that it works. */
function isNews(told: Watched['told'], { status, updatedAtMs }: TaskView): boolean {
  if (told === undefined) return status !== 'working'
  return told.status !== status || told.updatedAtMs !== updatedAtMs
}

function hasEnded({ status }: Pick<TaskView, 'status'>): boolean {
  return status === 'completed' || status === 'failed' || status === 'cancelled'
}
