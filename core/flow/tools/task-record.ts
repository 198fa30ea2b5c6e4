/**
 * A task as its owner reads and cancels it, at any door. Each read brings the task up to date: a
 * worker past its lease is dead. Bound by docs/service.md, Tasks, and ADR 0110.
 *
 *   read     reads the head; a worker past its lease is dead: end `failed` ─▶ refund
 *   cancel   end `cancelled` if it works ─▶ void; the worker's own end is refused, and it gives back, too
 * Cancel dies between head and void: the worker gives back when it ends, or the sweep after the deadline.
 */
import type { JsonObject } from '../../json/json.ts'
import type { TaskView } from '../../mcp/revision.ts'
import { LATEST_MODERN } from '../../mcp/revisions.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import type { StoredTask } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Settings } from '../../settings.ts'
import { endDeadTask, TASK_PURPOSE } from './end-dead-task.ts'
import { listOpen, openQuestions } from './task-questions.ts'
import { toFailedResult } from './tool-outcome.ts'

export type TaskRecordNeeds = Pick<Ports, 'clock' | 'digests' | 'log' | 'seals' | 'tasks'> & {
  readonly execute: Pick<Ports['execute'], 'voidCall'>
}

/** A task that its owner has found. */
export type FoundTask = { readonly taskId: string; readonly stored: StoredTask }

const TASK_ID = /^task_[A-Za-z0-9_-]{43}$/

export function taskHash({ digests }: Pick<Ports, 'digests'>, taskId: string): string | undefined {
  return TASK_ID.test(taskId) ? digests.sha256(`task:${taskId}`) : undefined
}

const UNANSWERED = 'It asked for input, and nobody answered within an hour.'

/** Undefined for a text that is no id, and for a task that is unknown or older than a day. */
export async function readTask(
  ports: Pick<TaskRecordNeeds, 'digests' | 'tasks'>,
  taskId: string,
): Promise<StoredTask | undefined> {
  const hash = taskHash(ports, taskId)
  return hash === undefined ? undefined : ports.tasks.read(hash)
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
  if (keyHash === undefined) return undefined
  const stored = await readTask(ports, taskId)
  return stored?.keyHash === keyHash ? { taskId, stored } : undefined
}

/** The task as it stands now. Throws `Fault` if the store fails. */
export async function viewTask(
  ports: TaskRecordNeeds,
  settings: Settings,
  { stored: task, taskId }: FoundTask,
): Promise<TaskView> {
  const unanswered = (callId: string) => {
    const result = toFailedResult(callId, { code: 'timed_out', detail: UNANSWERED })
    return LATEST_MODERN.results.callTool(result, makeServerInfo(settings))
  }
  const stored = await endDeadTask(ports, task, { taskId, unanswered })
  const { createdAtMs, status, updatedAtMs } = stored
  return { taskId, status, createdAtMs, updatedAtMs, end: openEnd(ports, stored, taskId) }
}

function openEnd({ seals }: Pick<Ports, 'seals'>, task: StoredTask, taskId: string): JsonObject {
  const questions = openQuestions({ seals }, taskId, task)
  if (questions !== undefined) return { inputRequests: listOpen(questions) }
  const { sealed } = task
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
  if (status !== 'working' && status !== 'input_required') return
  const nowMs = ports.clock.nowMs()
  const ended = await ports.tasks.end({ hash, status: 'cancelled', nowMs, by: 'caller' })
  if (ended !== 'own') return
  await ports.execute.voidCall({ uid, callId, reason: 'cancelled' })
}
