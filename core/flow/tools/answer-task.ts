/**
 * Answers calls of the built-in tools `<prefix>_task` and `<prefix>_cancel_task`. Loaded with the
 * first call by show-task.ts.
 */
import type { JsonObject } from '../../json/json.ts'
import type { ContentBlock, ToolResult } from '../../mcp/content.ts'
import type { TaskView } from '../../mcp/revision.ts'
import { TASK_POLL_MS } from '../../mcp/task.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import type { JobErrand, JobNews } from '../../ports/jobs.ts'
import type { BuiltInPorts, UserRequest } from './built-in-tool.ts'
import { cancelTask, type FoundTask, findTask, viewTask } from './task-record.ts'

/**
 * The state in words, or the result of the call as it was. Bad arguments are a result with
 * `isError`. Throws `Fault` if the store fails.
 */
export async function showTask(request: UserRequest, ports: BuiltInPorts): Promise<ToolResult> {
  const found = await findAsked(request, ports)
  if (found === undefined) return UNKNOWN
  const view = await viewTask(withShortVisits(ports), request.settings, found)
  return toResult(view, request.settings.prefix)
}

/** Stops the task if it works. Throws `Fault` if the store fails. */
export async function stopTask(request: UserRequest, ports: BuiltInPorts): Promise<ToolResult> {
  const found = await findAsked(request, ports)
  if (found === undefined) return UNKNOWN
  for (const step of await cancelTask(withShortVisits(ports), found.stored)) {
    await step().catch((cause: unknown) => {
      const { callId, uid } = found.stored
      ports.log.note('warn', 'job-not-visited', { uid, callId }, cause)
    })
  }
  const { status, taskId } = await viewTask(ports, request.settings, await findAgain(ports, found))
  if (status === 'cancelled')
    return makeTextResult(`${taskId} is cancelled and cost nothing.`, false)
  return makeTextResult(
    `${taskId} had ended before: it is ${status}. ${request.settings.prefix}_task shows its result.`,
    false,
  )
}

/**
 * A built-in tool answers within STORE_WAIT_MS, which has to be enough for its reads of the store,
 * too.
 */
export const TOOL_VISIT_MS = 1_500

/**
 * A visit to the upstream of a job that takes longer goes on, and the answer is what is known so
 * far.
 */
function withShortVisits(ports: BuiltInPorts): BuiltInPorts {
  const { clock, jobVisits } = ports
  const visit = (errand: JobErrand): Promise<JobNews> =>
    new Promise((resolve, reject) => {
      const stop = clock.alarm(TOOL_VISIT_MS, () =>
        resolve({ kind: 'running', message: undefined, asked: undefined }),
      )
      jobVisits.visit(errand).then(resolve, reject).finally(stop)
    })
  return { ...ports, jobVisits: { ...jobVisits, visit } }
}

function findAsked({ arguments: args, caller }: UserRequest, ports: BuiltInPorts) {
  const { task_id: taskId, ...unknown } = args
  if (typeof taskId !== 'string' || Object.keys(unknown).length > 0) return undefined
  return findTask(ports, taskId, caller.principal.keyHash)
}

async function findAgain(ports: BuiltInPorts, found: FoundTask): Promise<FoundTask> {
  return (await findTask(ports, found.taskId, found.stored.keyHash)) ?? found
}

const UNKNOWN = makeTextResult(
  'task_id: there is no such task for this key. Send {"task_id": the id that the call answered}. A task can be read for a day after its call, with the key that made it.',
  true,
)

/** A result that is given again belongs to the call, which alone was charged. */
function toResult({ end, message, status, taskId }: TaskView, prefix: string): ToolResult {
  switch (status) {
    case 'completed':
      return { ...readResult(end['result'] as JsonObject), replayed: true }
    case 'failed': {
      const { message } = end['error'] as JsonObject
      return { ...makeTextResult(`${taskId} has failed. ${String(message)}`, true), replayed: true }
    }
    case 'cancelled':
      return makeTextResult(`${taskId} was cancelled and cost nothing.`, false)
    default:
      return makeTextResult(
        `${taskId} is ${status}${message === undefined ? '' : ` (${message})`}. Call ${prefix}_task again after ${TASK_POLL_MS / 1_000} s or later; ${prefix}_cancel_task stops it.`,
        false,
      )
  }
}

/** Our own text, in the shape of the newest revision (task-call.ts). */
function readResult({ content, isError, structuredContent }: JsonObject): ToolResult {
  return {
    content: content as readonly ContentBlock[],
    isError: isError === true,
    ...(structuredContent === undefined ? {} : { structuredContent }),
  }
}
