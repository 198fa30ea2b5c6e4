/**
 * tasks/get, tasks/update and tasks/cancel, for the key that made the task. They are free, and none waits for the
 * call. Bound by MCP 2026-07-28, ext-tasks, and ADR 0110.
 *
 *   get      reads the head; a worker past its lease is dead: end `failed` ─▶ refund
 *   cancel   end `cancelled` if it works ─▶ void; the worker's own end is refused, and it gives back, too
 * Cancel dies between head and void: the worker gives back when it ends, or the sweep after the deadline.
 */

import { ERRORS } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { RPC_INVALID_PARAMS } from '../../jsonrpc/message.ts'
import { writeErrorReply, writeResultReply } from '../../jsonrpc/write-message.ts'
import type { Work } from '../../mcp/classified.ts'
import type { TaskIntent } from '../../mcp/intent.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import { REQUIRED_TASKS, type StoredTask } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import { authenticate } from '../access/authenticate.ts'
import { toFailedResult } from '../tools/tool-outcome.ts'
import { type AnswerTaskNeeds, answerTask } from './answer-task.ts'
import { endDeadTask } from './end-dead-task.ts'
import type { HttpReply, PostedRequest } from './http-post.ts'
import type { McpContext } from './mcp-caches.ts'
import { readTask } from './task-call.ts'
import { listOpen, openQuestions } from './task-questions.ts'
import { TASK_PURPOSE } from './task-worker.ts'

export type ServeTaskNeeds = AnswerTaskNeeds & Pick<Ports, 'execute' | 'keys'>

type TaskWork = Work & { readonly intent: TaskIntent }

/** Throws `Fault` if the store fails. */
export async function serveTask(
  context: McpContext<ServeTaskNeeds>,
  work: TaskWork,
  posted: PostedRequest,
): Promise<HttpReply> {
  const { ports, settings } = context
  const { credential } = posted
  const { id, intent, revision } = work
  const authentication = await authenticate(ports, credential)
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
  const unanswered = (callId: string) =>
    results.callTool(toFailedResult(callId, { code: 'timed_out', detail: UNANSWERED }), server)
  if (intent.action === 'get') {
    const read = await endDeadTask(ports, task, { taskId: intent.taskId, unanswered })
    const { createdAtMs, status, updatedAtMs } = read
    const end = openEnd(ports, read, intent.taskId)
    const view = { taskId: intent.taskId, status, createdAtMs, updatedAtMs, end }
    return {
      kind: 'reply',
      status: 200,
      text: writeResultReply(id, results.task(view, 'get', server)),
    }
  }
  if (intent.action === 'cancel') await cancel(ports, task)
  if (intent.action === 'update') {
    const { responses = {}, taskId } = intent
    await answerTask(context, work, posted, { task, taskId, responses })
  }
  return { kind: 'reply', status: 200, text: writeResultReply(id, results.empty(server)) }
}

const UNDECLARED =
  'Tasks are an extension: declare io.modelcontextprotocol/tasks in the extensions of the client capabilities of this request.'
const UNANSWERED = 'It asked for input, and nobody answered within an hour.'
const UNKNOWN_TASK =
  'params.taskId: there is no such task for this key. A task can be read for a day after its call, with the key that made it.'

async function findTask(
  ports: ServeTaskNeeds,
  taskId: string,
  keyHash: string | undefined,
): Promise<StoredTask | undefined> {
  if (keyHash === undefined) return undefined
  const task = await readTask(ports, taskId)
  return task?.keyHash === keyHash ? task : undefined
}

function openEnd({ seals }: Pick<Ports, 'seals'>, task: StoredTask, taskId: string): JsonObject {
  const questions = openQuestions({ seals }, taskId, task)
  if (questions !== undefined) return { inputRequests: listOpen(questions) }
  const { sealed } = task
  if (sealed === undefined) return {}
  // It opened under the id that we sealed it with, so it is the text that we wrote.
  return JSON.parse(seals.open(taskId, TASK_PURPOSE, sealed)) as JsonObject
}

/** A task that has ended stays as it is, and its cancellation is answered as any other. */
async function cancel(ports: ServeTaskNeeds, { callId, hash, status, uid }: StoredTask) {
  if (status !== 'working' && status !== 'input_required') return
  const nowMs = ports.clock.nowMs()
  const ended = await ports.tasks.end({ hash, status: 'cancelled', nowMs, by: 'caller' })
  if (ended !== 'own') return
  await ports.execute.voidCall({ uid, callId, reason: 'cancelled' })
}
