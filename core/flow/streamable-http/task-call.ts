/**
 * A call whose client takes a task for its answer. If the call has not ended a second after its POST, the task is
 * stored and then the client gets its id; the call goes on in the same invocation. Bound by ADR 0110.
 *
 *   hold ─▶ 1 s ─▶ store the task ─▶ answer with its id ─▶ … upstream ends ─▶ end the task ─▶ settle, or refund
 *     └─ upstream ends: answered directly, no task       └─ not stored: the call is stopped, and free
 * The call ends while the task is being stored: it waits for that, and then ends the task.
 */
import type { ExecuteAnswer } from '../../call/execute.ts'
import { SERVER_STOPS } from '../../call/no-answer.ts'
import type { JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import { RPC_INTERNAL_ERROR } from '../../jsonrpc/message.ts'
import type { Revision, TaskView } from '../../mcp/revision.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import { TASK_AFTER_MS, TASK_RESULT_BYTES_MAX, TASK_TTL_MS, type TaskEnd } from '../../mcp/task.ts'
import type { StartedJob } from '../../ports/jobs.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CallScope } from '../../ports/sessions.ts'
import type { BegunTask } from '../../ports/tasks.ts'
import type { Settings } from '../../settings.ts'
import { type StoppableTask, toSuccess } from '../tools/call-tool.ts'
import {
  type ToolOutcome,
  toFailedResult,
  toModelResult,
  toRefusedOutcome,
  toResultOutcome,
} from '../tools/tool-outcome.ts'

export type TaskCallNeeds = Pick<
  Ports,
  'clock' | 'digests' | 'ids' | 'jobs' | 'log' | 'seals' | 'tasks'
>

export type TaskCall = StoppableTask & {
  /** Resolves when the client is to get a task for its answer; undefined if it could not be stored. */
  readonly created: Promise<TaskView | undefined>
  /** True once an upstream's job goes on without this process: the call itself has no answer. */
  isHandedOver(): boolean
}

type Called = {
  readonly name: string
  readonly acceptedAtMs: number
  readonly scope: CallScope
  readonly revision: Revision
  /** Aborts when the client has left, which a task survives, or the server stops. */
  readonly gone: AbortSignal | undefined
}

/** Random bytes of a task's id. */
const TASK_ID_BYTES = 32
const TASK_ID = /^task_[A-Za-z0-9_-]{43}$/

export function taskHash({ digests }: Pick<Ports, 'digests'>, taskId: string): string | undefined {
  return TASK_ID.test(taskId) ? digests.sha256(`task:${taskId}`) : undefined
}

/** What seals the result of a task under its id. */
export const TASK_PURPOSE = 'task-result'

export function startTaskCall(ports: TaskCallNeeds, settings: Settings, called: Called): TaskCall {
  const { acceptedAtMs, gone, scope } = called
  const stop = new AbortController()
  const created = Promise.withResolvers<TaskView | undefined>()
  let storing: Promise<StoredId | undefined> | undefined
  let endWaiting = () => {}
  let begunTask: BegunTask | undefined
  let isHandedOver = false
  // Until it is a task, a call ends with its connection, as every call does.
  const onGone = () => {
    if (storing === undefined || gone?.reason === SERVER_STOPS) stop.abort(gone?.reason)
  }
  gone?.addEventListener('abort', onGone)
  const store = async (begun: BegunTask): Promise<StoredId | undefined> => {
    const stored = await storeTask(ports, begun)
    if (stored === undefined) stop.abort(NOT_STORED)
    created.resolve(stored?.view)
    return stored
  }
  return {
    created: created.promise,
    stopped: stop.signal,
    isHandedOver: () => isHandedOver,
    begin: (begun) => {
      begunTask = begun
      const leftMs = Math.max(0, acceptedAtMs + TASK_AFTER_MS - ports.clock.nowMs())
      endWaiting = scope.alarm(leftMs, () => {
        storing = store(begun)
      })
    },
    handOver: async (job) => {
      endWaiting()
      isHandedOver = true
      if (begunTask !== undefined) storing ??= store(begunTask)
      const stored = await storing
      gone?.removeEventListener('abort', onGone)
      return stored !== undefined && storeJob(ports, called, stored, job)
    },
    end: async (answer) => {
      endWaiting()
      gone?.removeEventListener('abort', onGone)
      if (storing === undefined) return 'direct'
      const stored = await storing
      return stored === undefined ? 'lost' : endTask(ports, settings, called, { ...stored, answer })
    },
  }
}

const NOT_STORED = 'not stored'

type StoredId = { readonly hash: string; readonly view: TaskView }

/** Undefined if the store failed. The task may stand there all the same: nobody knows its id. */
async function storeTask(ports: TaskCallNeeds, begun: BegunTask): Promise<StoredId | undefined> {
  const taskId = `task_${ports.ids.token(TASK_ID_BYTES)}`
  const hash = taskHash(ports, taskId) ?? ''
  const createdAtMs = ports.clock.nowMs()
  try {
    await ports.tasks.create({ ...begun, hash, createdAtMs })
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
  return { hash, view }
}

/** Random bytes of the key that seals the result of a job, whoever ends it. */
const RESULT_KEY_BYTES = 32
export const RESULT_KEY_PURPOSE = 'task-result-key'

/** False if the store failed: then the task has ended, or is dead when it is read. Never rejects. */
async function storeJob(
  ports: TaskCallNeeds,
  { name, revision }: Called,
  { hash, view: { taskId } }: StoredId,
  job: StartedJob,
): Promise<boolean> {
  const { callId, uid } = job
  const resultKey = ports.ids.token(RESULT_KEY_BYTES)
  const sealedKey = ports.seals.seal(taskId, RESULT_KEY_PURPOSE, resultKey)
  const more = { taskHash: hash, revision: revision.version, toolName: name, resultKey, sealedKey }
  try {
    await ports.jobs.create({ ...job, ...more })
    return true
  } catch (cause) {
    ports.log.note('error', 'task-not-stored', { callId, uid }, cause)
  }
  const sealed = ports.seals.seal(taskId, TASK_PURPOSE, JSON.stringify({ error: INTERRUPTED }))
  const end = { hash, status: 'failed', nowMs: ports.clock.nowMs(), sealed } as const
  await ports.tasks.end(end).catch((cause: unknown) => {
    ports.log.note('error', 'task-not-ended', { callId }, cause)
  })
  return false
}

/** Never rejects: a result that cannot be stored is lost, and its call is free. */
async function endTask(
  ports: TaskCallNeeds,
  settings: Settings,
  { name, revision }: Called,
  { answer, hash, view: { taskId } }: StoredId & { readonly answer: ExecuteAnswer },
): Promise<'kept' | 'lost'> {
  const outcome = toOutcome(settings, name, answer)
  const { end, isTooLong, status } = writeTaskEnd(settings, revision, {
    outcome,
    callId: answer.body.callId ?? '',
  })
  try {
    const sealed = ports.seals.seal(taskId, TASK_PURPOSE, JSON.stringify(end))
    const isFirst = await ports.tasks.end({ hash, status, nowMs: ports.clock.nowMs(), sealed })
    return isFirst && !isTooLong ? 'kept' : 'lost'
  } catch (cause) {
    ports.log.note('error', 'task-not-ended', { callId: answer.body.callId }, cause)
    return 'lost'
  }
}

function toOutcome(settings: Settings, name: string, answer: ExecuteAnswer): ToolOutcome {
  const callId = answer.body.callId ?? ''
  switch (answer.kind) {
    case 'success':
      return toSuccess(answer.body, undefined)
    case 'input': {
      const { inputRequests, requestState } = answer.body
      return { kind: 'input', input: { callId, requests: inputRequests, state: requestState } }
    }
    case 'problem':
      return answer.body.code === 'cancelled'
        ? { kind: 'cancelled', callId }
        : toRefusedOutcome({ callId, name }, { body: answer.body }, settings)
    default:
      return answer satisfies never
  }
}

/** How a task ends with this outcome: if its result is too long to be kept, with words about that. */
export function writeTaskEnd(
  settings: Settings,
  revision: Revision,
  { callId, outcome }: { readonly callId: string; readonly outcome: ToolOutcome },
) {
  const ended = endOf(settings, revision, outcome)
  const isTooLong = countBytes(JSON.stringify(ended.end)) > TASK_RESULT_BYTES_MAX
  return isTooLong
    ? { ...endOf(settings, revision, tooLong(callId)), isTooLong }
    : { ...ended, isTooLong }
}

/** The member of a task that has ended. A call without any result has failed. */
function endOf(
  settings: Settings,
  { results }: Revision,
  outcome: ToolOutcome,
): { readonly status: TaskEnd; readonly end: JsonObject } {
  if (outcome.kind === 'cancelled') return { status: 'failed', end: { error: INTERRUPTED } }
  const said = toModelResult(outcome)
  if (said.ok) {
    const result = results.callTool(said.value, makeServerInfo(settings))
    return { status: 'completed', end: { result } }
  }
  const { code, data, message } = said.error
  const error = { code, message, ...(data === undefined ? {} : { data }) }
  return { status: 'failed', end: { error } }
}

/** The error of a task whose worker ended without a result. */
export const INTERRUPTED: JsonObject = {
  code: RPC_INTERNAL_ERROR,
  message:
    'The task was interrupted and cost nothing. The service may have done the work anyway: check that before you call again.',
}

function tooLong(callId: string): ToolOutcome {
  const detail = `The result is over ${TASK_RESULT_BYTES_MAX} bytes, the most that is kept of a task. Ask for less of it.`
  return toResultOutcome(toFailedResult(callId, { code: 'upstream_failed', detail }))
}
