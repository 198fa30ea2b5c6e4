/**
 * A call whose client takes a task for its answer. If the call has not ended a second after its
 * POST, the task is stored and then the client gets its id; the call goes on in the same
 * invocation. Bound by ADR 0110.
 *
 *   hold ─▶ 1 s ─▶ store the task ─▶ answer with its id ─▶ … upstream ends ─▶ end the task ─▶ settle, or refund
 *     └─ upstream ends: answered directly, no task       └─ not stored: the call is stopped, and free
 * The call ends while the task is being stored: it waits for that, and then ends the task.
 */
import { SERVER_STOPS } from '../../call/no-answer.ts'
import type { Revision, TaskView } from '../../mcp/revision.ts'
import { TASK_AFTER_MS, TASK_LEASE_MS, TASK_TTL_MS } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CallScope } from '../../ports/sessions.ts'
import type { BegunTask } from '../../ports/tasks.ts'
import type { Settings } from '../../settings.ts'
import type { StoppableTask } from '../tools/call-tool.ts'
import { readTask, taskHash } from '../tools/task-record.ts'
import { startTaskWorker, type TaskWorker } from './task-worker.ts'

export type TaskCallNeeds = Pick<
  Ports,
  'clock' | 'digests' | 'ids' | 'jobs' | 'log' | 'seals' | 'tasks'
>

export type TaskCall = StoppableTask & {
  /**
   * Resolves when the client is to get a task for its answer; undefined if it could not be stored.
   */
  readonly created: Promise<TaskView | undefined>
  /**
   * True if the client gets a task, whatever the call answers: that of an earlier call with its
   * Idempotency-Key, or one that an upstream's job goes on as.
   */
  isTold(): boolean
}

type Called = {
  readonly name: string
  readonly acceptedAtMs: number
  readonly scope: CallScope
  readonly revision: Revision
  /** Ends the call until it is a task. */
  readonly cancelled: AbortSignal | undefined
  /** Aborts also when the client has left, which a task survives. A server that stops ends it. */
  readonly gone: AbortSignal | undefined
  /** The client knows no tasks: it takes one only if the skill requires it. */
  readonly ifRequired: boolean
}

/** Random bytes of a task's id. */
const TASK_ID_BYTES = 32

export function startTaskCall(ports: TaskCallNeeds, settings: Settings, called: Called): TaskCall {
  const { acceptedAtMs, cancelled, gone, ifRequired, name, revision, scope } = called
  const stop = new AbortController()
  const created = Promise.withResolvers<TaskView | undefined>()
  let isTold = false
  let begunTask: BegunTask | undefined
  let storing: Promise<TaskWorker | undefined> | undefined
  let endWaiting = () => {}
  const onCancelled = () => {
    if (storing === undefined) stop.abort(cancelled?.reason)
  }
  const onGone = () => {
    if (gone?.reason === SERVER_STOPS) stop.abort(SERVER_STOPS)
  }
  const store = async (begun: BegunTask): Promise<TaskWorker | undefined> => {
    const stored = await storeTask(ports, begun)
    created.resolve(stored?.view)
    if (stored === undefined) {
      stop.abort(NOT_STORED)
      return undefined
    }
    const { hash, view, worker } = stored
    const { taskId } = view
    const worked = { hash, worker, callId: begun.callId, taskId, name, revision, rounds: 0, scope }
    return startTaskWorker(ports, settings, worked, () => stop.abort(ENDED))
  }
  const leave = () => {
    endWaiting()
    cancelled?.removeEventListener('abort', onCancelled)
    gone?.removeEventListener('abort', onGone)
    return storing
  }
  return {
    created: created.promise,
    stopped: stop.signal,
    isTold: () => isTold,
    ...(ifRequired ? { ifRequired } : {}),
    repeat: async (taskId) => {
      const task = await readTask(ports, taskId)
      if (task === undefined) return
      const { createdAtMs, status, ttlMs = TASK_TTL_MS, updatedAtMs } = task
      isTold = true
      created.resolve({ taskId, status, createdAtMs, updatedAtMs, ttlMs, end: {} })
    },
    begin: (begun) => {
      begunTask = begun
      cancelled?.addEventListener('abort', onCancelled)
      gone?.addEventListener('abort', onGone)
      const leftMs = Math.max(0, acceptedAtMs + TASK_AFTER_MS - ports.clock.nowMs())
      endWaiting = scope.alarm(leftMs, () => {
        storing = store(begun)
      })
    },
    ask: async (question) => {
      const stored = leave()
      if (stored === undefined) return 'direct'
      return (await stored)?.ask(question) ?? 'lost'
    },
    handOver: async (job) => {
      isTold = true
      if (begunTask !== undefined) storing ??= store(begunTask)
      return (await leave())?.handOver(job) ?? 'lost'
    },
    end: async (answer) => {
      const stored = leave()
      if (stored === undefined) return 'direct'
      return (await stored)?.end(answer) ?? 'unkept'
    },
  }
}

/** Random bytes of a worker's name. */
export const WORKER_BYTES = 9

const NOT_STORED = 'not stored'
const ENDED = 'the task has ended'

type StoredId = { readonly hash: string; readonly worker: string; readonly view: TaskView }

/** Undefined if the store failed. The task may stand there all the same: nobody knows its id. */
async function storeTask(
  ports: TaskCallNeeds,
  { keep, ...begun }: BegunTask,
): Promise<StoredId | undefined> {
  const taskId = `task_${ports.ids.token(TASK_ID_BYTES)}`
  const hash = taskHash(ports, taskId) ?? ''
  const worker = ports.ids.token(WORKER_BYTES)
  const createdAtMs = ports.clock.nowMs()
  try {
    const aliveUntilMs = createdAtMs + TASK_LEASE_MS
    await ports.tasks.create({ ...begun, hash, createdAtMs, worker, aliveUntilMs })
    if (keep !== undefined && !(await keep(taskId))) return undefined
  } catch (cause) {
    ports.log.note('error', 'task-not-stored', { callId: begun.callId, uid: begun.uid }, cause)
    return undefined
  }
  const view = {
    taskId,
    status: 'working',
    createdAtMs,
    updatedAtMs: createdAtMs,
    ttlMs: begun.ttlMs ?? TASK_TTL_MS,
    end: {},
  } as const
  return { hash, worker, view }
}
