/**
 * tasks/get, tasks/update and tasks/cancel, for the key that made the task. They are free, and
 * neither waits for the call. Bound by MCP 2026-07-28, ext-tasks, and ADR 0110.
 */
import { ERRORS } from '../../errors.ts'
import { RPC_INVALID_PARAMS, type RpcError } from '../../jsonrpc/message.ts'
import { writeErrorReply, writeResultReply } from '../../jsonrpc/write-message.ts'
import type { Work } from '../../mcp/classified.ts'
import type { TaskIntent } from '../../mcp/intent.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import { REQUIRED_TASKS } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import { authenticate } from '../access/authenticate.ts'
import {
  cancelTask,
  type FoundTask,
  findTask,
  type TaskRecordNeeds,
  taskHash,
  viewTask,
} from '../tools/task-record.ts'
import { toErrorReply } from './error-reply.ts'
import type { HttpReply, PostedRequest } from './http-post.ts'
import type { McpContext } from './mcp-caches.ts'
import { refuseMissingScope } from './missing-scope.ts'
import { type UpdateTaskNeeds, updateTask } from './update-task.ts'

export type ServeTaskNeeds = UpdateTaskNeeds & TaskRecordNeeds & Pick<Ports, 'keys'>

type TaskWork = Work & { readonly intent: TaskIntent }

/** Throws `Fault` if the store fails. */
export async function serveTask(
  context: McpContext<ServeTaskNeeds>,
  work: TaskWork,
  posted: PostedRequest,
): Promise<HttpReply> {
  const { ports, settings } = context
  const { id, intent, revision } = work
  const authentication = await authenticate(ports, posted.credential)
  if (authentication.kind === 'refused') return authentication
  if (!intent.declared) {
    const { status } = ERRORS.client_capability_missing
    return { kind: 'reply', status, text: writeErrorReply(id, TASKS_UNDECLARED) }
  }
  const principal = authentication.kind === 'principal' ? authentication.principal : undefined
  if (principal?.isReadOnly === true && intent.action !== 'get') {
    return refuseMissingScope(settings, work)
  }
  const keyHash = principal?.keyHash
  const refused = countPoll(context, intent, keyHash)
  if (refused !== undefined) return toErrorReply(work, refused)
  const found = await findTask(ports, intent.taskId, keyHash)
  const { results } = revision
  if (found === undefined || results.task === undefined) {
    return toErrorReply(work, { code: RPC_INVALID_PARAMS, message: UNKNOWN_TASK })
  }
  const server = makeServerInfo(settings)
  if (intent.action === 'get') {
    const view = await viewTask(ports, settings, found)
    const text = writeResultReply(id, results.task(view, 'get', server))
    return { kind: 'reply', status: 200, text }
  }
  // Behind the answer: the caller waits for no upstream.
  if (intent.action === 'cancel') posted.scope.follow(await cancelTask(ports, found.stored))
  if (intent.action === 'update') await updateFound(context, work, posted, found)
  return { kind: 'reply', status: 200, text: writeResultReply(id, results.empty(server)) }
}

/** The questions of a job are its upstream's; all others are those of the call. */
async function updateFound(
  context: McpContext<ServeTaskNeeds>,
  { intent, revision }: TaskWork,
  posted: PostedRequest,
  { stored, taskId }: FoundTask,
): Promise<void> {
  const { responses = {} } = intent
  const { callId, job, status, uid } = stored
  if (job === true && status === 'working') {
    await context.ports.jobVisits.answer?.({ uid, callId, responses })
  } else await updateTask(context, { revision }, posted, { task: stored, taskId, responses })
}

/** The error of a request about tasks that does not declare the extension. */
export const TASKS_UNDECLARED: RpcError = {
  code: ERRORS.client_capability_missing.rpcCode,
  message:
    'Tasks are an extension: declare io.modelcontextprotocol/tasks in the extensions of the client capabilities of this request.',
  data: { requiredCapabilities: REQUIRED_TASKS },
}
const UNKNOWN_TASK =
  'params.taskId: there is no such task for this key. A task can be read for a day after its call, with the key that made it.'

/** Counts `tasks/get` alone: a cancellation must never be refused. */
function countPoll(
  { caches, ports }: McpContext<ServeTaskNeeds>,
  { action, taskId }: TaskIntent,
  keyHash: string | undefined,
): RpcError | undefined {
  const hash = taskHash(ports, taskId)
  if (action !== 'get' || hash === undefined || keyHash === undefined) return undefined
  const counted = caches.polls.count({ keyHash, hash, nowMs: ports.clock.nowMs() })
  if (counted.ok) return undefined
  const { code, detail } = counted.error
  return { code: ERRORS[code].rpcCode, message: detail, data: { code } }
}
