/**
 * A task as its owner reads and cancels it, at any door. Each read brings the task up to date: a
 * worker past its deadline is dead. Bound by docs/service.md, Tasks, and ADR 0110.
 *
 *   read     reads the head; a worker past its deadline is dead: end `failed` ─▶ refund
 *   cancel   end `cancelled` if it works ─▶ void; the worker's own end is refused, and it gives back, too
 * Cancel dies between head and void: the worker gives back when it ends, or the sweep after the deadline.
 */
import type { JsonObject } from '../../json/json.ts'
import { RPC_INTERNAL_ERROR } from '../../jsonrpc/message.ts'
import type { TaskView } from '../../mcp/revision.ts'
import type { StoredTask } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'

export type TaskRecordNeeds = Pick<Ports, 'clock' | 'digests' | 'log' | 'seals' | 'tasks'> & {
  readonly execute: Pick<Ports['execute'], 'voidCall'>
}

/** A task that its owner has found. */
export type FoundTask = { readonly taskId: string; readonly stored: StoredTask }

const TASK_ID = /^task_[A-Za-z0-9_-]{43}$/

export function taskHash({ digests }: Pick<Ports, 'digests'>, taskId: string): string | undefined {
  return TASK_ID.test(taskId) ? digests.sha256(`task:${taskId}`) : undefined
}

/** What seals the result of a task under its id. */
export const TASK_PURPOSE = 'task-result'

/** The error of a task whose worker ended without a result. */
export const INTERRUPTED: JsonObject = {
  code: RPC_INTERNAL_ERROR,
  message:
    'The task was interrupted and cost nothing. The service may have done the work anyway: check that before you call again.',
}

/**
 * Undefined for an id that no task has, and for a task of another key. Throws `Fault` if the store
 * fails.
 */
export async function findTask(
  ports: Pick<TaskRecordNeeds, 'digests' | 'tasks'>,
  taskId: string,
  keyHash: string | undefined,
): Promise<FoundTask | undefined> {
  const hash = taskHash(ports, taskId)
  if (hash === undefined || keyHash === undefined) return undefined
  const stored = await ports.tasks.read(hash)
  return stored?.keyHash === keyHash ? { taskId, stored } : undefined
}

/** The task as it stands now. Throws `Fault` if the store fails. */
export async function viewTask(ports: TaskRecordNeeds, found: FoundTask): Promise<TaskView> {
  const { taskId } = found
  const stored = await endDead(ports, found)
  const { createdAtMs, status, updatedAtMs } = stored
  return { taskId, status, createdAtMs, updatedAtMs, end: openEnd(ports, stored, taskId) }
}

/** Past its deadline nothing runs any more that could end the task: its process has died. */
async function endDead(
  ports: TaskRecordNeeds,
  { stored: task, taskId }: FoundTask,
): Promise<StoredTask> {
  const nowMs = ports.clock.nowMs()
  if (task.status !== 'working' || nowMs <= task.untilMs) return task
  const sealed = ports.seals.seal(taskId, TASK_PURPOSE, JSON.stringify({ error: INTERRUPTED }))
  const { hash, uid } = task
  const isFirst = await ports.tasks.end({ hash, status: 'failed', nowMs, sealed })
  if (!isFirst) return (await ports.tasks.read(hash)) ?? task
  ports.log.note('warn', 'task-died', { callId: task.callId, uid })
  await ports.execute.voidCall({ uid, callId: task.callId, reason: 'void' })
  return { ...task, status: 'failed', updatedAtMs: nowMs, sealed }
}

function openEnd(
  { seals }: Pick<Ports, 'seals'>,
  { sealed }: StoredTask,
  taskId: string,
): JsonObject {
  if (sealed === undefined) return {}
  // It opened under the id that we sealed it with, so it is the text that we wrote.
  return JSON.parse(seals.open(taskId, TASK_PURPOSE, sealed)) as JsonObject
}

/**
 * A task that has ended stays as it is, and its cancellation is answered as any other. Throws
 * `Fault` if the store fails.
 */
export async function cancelTask(
  ports: TaskRecordNeeds,
  { callId, hash, status, uid }: StoredTask,
): Promise<void> {
  if (status !== 'working') return
  const nowMs = ports.clock.nowMs()
  if (!(await ports.tasks.end({ hash, status: 'cancelled', nowMs }))) return
  await ports.execute.voidCall({ uid, callId, reason: 'cancelled' })
}
