/**
 * A task as its owner reads and cancels it, at any door. Each read brings the task up to date: a
 * worker past its lease is dead, and the job of an upstream is asked about. Bound by
 * docs/service.md, Tasks, and ADR 0110.
 *
 *   read     reads the head; a worker past its lease is dead: end `failed` ─▶ refund
 *            a job that is stored is alive, whatever the lease says: its upstream is asked once per interval
 *   cancel   end `cancelled` if it works ─▶ void; the worker's own end is refused, and it gives back, too
 *            a job: ─▶ its upstream is told to stop
 * Cancel dies between head and void: the worker gives back when it ends, or the sweep after the
 * deadline.
 */
import type { JsonObject } from '../../json/json.ts'
import type { TaskView } from '../../mcp/revision.ts'
import { LATEST_MODERN } from '../../mcp/revisions.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import { type StoredTask, TASK_TTL_MS } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Step } from '../../ports/sessions.ts'
import type { Settings } from '../../settings.ts'
import { endDeadTask, TASK_PURPOSE } from './end-dead-task.ts'
import { listOpen, openQuestions } from './task-questions.ts'
import { toFailedResult } from './tool-outcome.ts'

export type TaskRecordNeeds = Pick<
  Ports,
  'clock' | 'digests' | 'jobVisits' | 'log' | 'seals' | 'tasks'
> & {
  readonly execute: Pick<Ports['execute'], 'voidCall'>
  readonly jobs: Pick<Ports['jobs'], 'read'>
}

/** What seals the key of a job's result under the task's id. */
export const RESULT_KEY_PURPOSE = 'task-result-key'

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

/**
 * The task as it stands now. Waits for the upstream of a job, if that is to be asked. Throws
 * `Fault` if the store fails.
 */
export async function viewTask(
  ports: TaskRecordNeeds,
  settings: Settings,
  found: FoundTask,
): Promise<TaskView> {
  const { taskId } = found
  const { asked, message, task } = await askJob(ports, found.stored)
  const unanswered = (callId: string) => {
    const result = toFailedResult(callId, { code: 'timed_out', detail: UNANSWERED })
    return LATEST_MODERN.results.callTool(result, makeServerInfo(settings))
  }
  const stored =
    task === 'alive' ? found.stored : await endDeadTask(ports, task, { taskId, unanswered })
  const { createdAtMs, status, ttlMs = TASK_TTL_MS, updatedAtMs } = stored
  const of = { taskId, createdAtMs, updatedAtMs, ttlMs, message }
  if (asked !== undefined) return { ...of, status: 'input_required', end: { inputRequests: asked } }
  return { ...of, status, end: await openEnd(ports, stored, taskId) }
}

type AskedTask = {
  /** `alive`: its job runs. */
  readonly task: StoredTask | 'alive'
  readonly message?: string | undefined
  /** What its upstream asks. */
  readonly asked?: JsonObject | undefined
}

/** A job that is not stored yet, or never was, is up to the lease. */
async function askJob(
  { jobVisits, tasks }: Pick<TaskRecordNeeds, 'jobVisits' | 'tasks'>,
  task: StoredTask,
): Promise<AskedTask> {
  if (task.job !== true || task.status !== 'working') return { task }
  const { callId, hash, uid } = task
  const news = await jobVisits.visit({ uid, callId, does: 'ask' })
  if (news.kind === 'running') {
    return { task: 'alive', message: news.message, asked: news.asked }
  }
  return { task: news.kind === 'none' ? task : ((await tasks.read(hash)) ?? task) }
}

async function openEnd(
  ports: Pick<TaskRecordNeeds, 'jobs' | 'seals'>,
  task: StoredTask,
  taskId: string,
): Promise<JsonObject> {
  const { seals } = ports
  const questions = openQuestions({ seals }, taskId, task)
  if (questions !== undefined) return { inputRequests: listOpen(questions) }
  const { sealed } = task
  if (sealed === undefined) return {}
  const key = await findResultKey(ports, task, taskId)
  // It opened under the key that we sealed it with, so it is the text that we wrote.
  return JSON.parse(seals.open(key, TASK_PURPOSE, sealed)) as JsonObject
}

/** Whoever ends a job may not know the task's id, which opens the key of its result. */
async function findResultKey(
  { jobs, seals }: Pick<TaskRecordNeeds, 'jobs' | 'seals'>,
  { callId, job, status }: StoredTask,
  taskId: string,
): Promise<string> {
  // A task that failed was ended by one who knows the id.
  if (job !== true || status === 'failed') return taskId
  const sealedKey = (await jobs.read(callId))?.sealedKey
  return sealedKey === undefined ? taskId : seals.open(taskId, RESULT_KEY_PURPOSE, sealedKey)
}

/**
 * A task that has ended stays as it is, and its cancellation is answered as any other. Returns the
 * steps behind the answer, so that the caller waits for no upstream. Throws `Fault` if the store
 * fails.
 */
export async function cancelTask(
  ports: TaskRecordNeeds,
  { callId, hash, job, status, uid }: StoredTask,
): Promise<readonly Step[]> {
  if (status !== 'working' && status !== 'input_required') return []
  const nowMs = ports.clock.nowMs()
  const ended = await ports.tasks.end({ hash, status: 'cancelled', nowMs, by: 'caller' })
  if (ended !== 'own') return []
  await ports.execute.voidCall({ uid, callId, reason: 'cancelled' })
  if (job !== true) return []
  const stop = async () => {
    await ports.jobVisits.visit({ uid, callId, does: 'stop' })
  }
  return [stop]
}
