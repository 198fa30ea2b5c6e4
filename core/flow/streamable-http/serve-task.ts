/**
 * tasks/get, tasks/update and tasks/cancel, for the key that made the task. They are free, and neither waits for
 * the call. Bound by MCP 2026-07-28, ext-tasks, and ADR 0110.
 *
 *   get      reads the head; a worker past its deadline is dead: end `failed` ─▶ refund
 *   cancel   end `cancelled` if it works ─▶ void; the worker's own end is refused, and it gives back, too
 * Cancel dies between head and void: the worker gives back when it ends, or the sweep after the deadline.
 */

import { ERRORS } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { RPC_INVALID_PARAMS } from '../../jsonrpc/message.ts'
import { writeErrorReply, writeResultReply } from '../../jsonrpc/write-message.ts'
import { STALE_HOLD_MS } from '../../ledger/limits.ts'
import type { Work } from '../../mcp/classified.ts'
import type { TaskIntent } from '../../mcp/intent.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import { REQUIRED_TASKS, type StoredTask, TASK_TTL_MS } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import { authenticate } from '../access/authenticate.ts'
import type { HttpReply, PostedRequest } from './http-post.ts'
import type { McpContext } from './mcp-caches.ts'
import {
  INTERRUPTED,
  RESULT_KEY_PURPOSE,
  TASK_PURPOSE,
  type TaskCallNeeds,
  taskHash,
} from './task-call.ts'

export type ServeTaskNeeds = TaskCallNeeds & Pick<Ports, 'execute' | 'jobVisits' | 'keys'>

type TaskWork = Work & { readonly intent: TaskIntent }

/** Throws `Fault` if the store fails. */
export async function serveTask(
  { ports, settings }: McpContext<ServeTaskNeeds>,
  work: TaskWork,
  { authorization, scope }: PostedRequest,
): Promise<HttpReply> {
  const { id, intent, revision } = work
  const authentication = await authenticate(ports, authorization)
  if (authentication.kind === 'refused') return authentication
  if (!intent.declared) {
    const { rpcCode, status } = ERRORS.client_capability_missing
    const data = { requiredCapabilities: REQUIRED_TASKS }
    return {
      kind: 'reply',
      status,
      text: writeErrorReply(id, { code: rpcCode, message: UNDECLARED, data }),
    }
  }
  const keyHash = authentication.kind === 'principal' ? authentication.principal.keyHash : undefined
  const task = await findTask(ports, intent.taskId, keyHash)
  const { results } = revision
  if (task === undefined || results.task === undefined) {
    const error = { code: RPC_INVALID_PARAMS, message: UNKNOWN_TASK }
    return { kind: 'reply', status: 200, text: writeErrorReply(id, error) }
  }
  const server = makeServerInfo(settings)
  if (intent.action === 'get') {
    const { message, task: read } = await readOrEnd(ports, task, intent.taskId)
    const { createdAtMs, status, ttlMs = TASK_TTL_MS, updatedAtMs } = read
    const end = await openEnd(ports, read, intent.taskId)
    const view = { taskId: intent.taskId, status, createdAtMs, updatedAtMs, ttlMs, message, end }
    return {
      kind: 'reply',
      status: 200,
      text: writeResultReply(id, results.task(view, 'get', server)),
    }
  }
  if (intent.action === 'cancel') await cancel(ports, task, scope)
  return { kind: 'reply', status: 200, text: writeResultReply(id, results.empty(server)) }
}

const UNDECLARED =
  'Tasks are an extension: declare io.modelcontextprotocol/tasks in the extensions of the client capabilities of this request.'
const UNKNOWN_TASK =
  'params.taskId: there is no such task for this key. A task can be read for a day after its call, with the key that made it.'

async function findTask(
  ports: ServeTaskNeeds,
  taskId: string,
  keyHash: string | undefined,
): Promise<StoredTask | undefined> {
  const hash = taskHash(ports, taskId)
  if (hash === undefined || keyHash === undefined) return undefined
  const task = await ports.tasks.read(hash)
  return task?.keyHash === keyHash ? task : undefined
}

type ReadTask = { readonly task: StoredTask; readonly message?: string | undefined }

/** Asks about a job, and ends a task whose process has died. */
async function readOrEnd(
  ports: ServeTaskNeeds,
  task: StoredTask,
  taskId: string,
): Promise<ReadTask> {
  if (task.status !== 'working') return { task }
  const { callId, createdAtMs, hash, uid, untilMs } = task
  if (task.job !== true) return { task: await endDead(ports, task, taskId, untilMs) }
  const news = await ports.jobVisits.visit({ uid, callId, does: 'ask' })
  if (news.kind === 'running') return { task, message: news.message }
  if (news.kind === 'ended') return { task: (await ports.tasks.read(hash)) ?? task }
  // Its start has not ended, or its process died before the job was stored.
  return { task: await endDead(ports, task, taskId, createdAtMs + STALE_HOLD_MS) }
}

/** Past its deadline nothing runs any more that could end the task: its process has died. */
async function endDead(
  ports: ServeTaskNeeds,
  task: StoredTask,
  taskId: string,
  aliveUntilMs: number,
): Promise<StoredTask> {
  const nowMs = ports.clock.nowMs()
  if (nowMs <= aliveUntilMs) return task
  const sealed = ports.seals.seal(taskId, TASK_PURPOSE, JSON.stringify({ error: INTERRUPTED }))
  const { hash, uid } = task
  const isFirst = await ports.tasks.end({ hash, status: 'failed', nowMs, sealed })
  if (!isFirst) return (await ports.tasks.read(hash)) ?? task
  ports.log.note('warn', 'task-died', { callId: task.callId, uid })
  await ports.execute.voidCall({ uid, callId: task.callId, reason: 'void' })
  return { ...task, status: 'failed', updatedAtMs: nowMs, sealed }
}

async function openEnd(
  ports: Pick<Ports, 'jobs' | 'seals'>,
  { callId, job, sealed }: StoredTask,
  taskId: string,
): Promise<JsonObject> {
  if (sealed === undefined) return {}
  const { seals } = ports
  const sealedKey = job === true ? (await ports.jobs.read(callId))?.sealedKey : undefined
  // Whoever ends a job may not know the task's id, which opens the key of its result.
  const key = sealedKey === undefined ? taskId : seals.open(taskId, RESULT_KEY_PURPOSE, sealedKey)
  // It opened under the id that we sealed it with, so it is the text that we wrote.
  return JSON.parse(seals.open(key, TASK_PURPOSE, sealed)) as JsonObject
}

/** A task that has ended stays as it is, and its cancellation is answered as any other. */
async function cancel(
  ports: ServeTaskNeeds,
  { callId, hash, job, status, uid }: StoredTask,
  scope: PostedRequest['scope'],
) {
  if (status !== 'working') return
  const nowMs = ports.clock.nowMs()
  if (!(await ports.tasks.end({ hash, status: 'cancelled', nowMs }))) return
  await ports.execute.voidCall({ uid, callId, reason: 'cancelled' })
  if (job !== true) return
  // Behind the answer: the caller waits for no upstream.
  const stop = async () => {
    await ports.jobVisits.visit({ uid, callId, does: 'stop' })
  }
  scope.follow([stop])
}
