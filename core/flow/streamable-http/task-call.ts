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
import {
  type StoredTask,
  TASK_AFTER_MS,
  TASK_LEASE_MS,
  TASK_RESULT_BYTES_MAX,
  type TaskEnd,
} from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CallScope } from '../../ports/sessions.ts'
import type { BegunTask, TaskEnding } from '../../ports/tasks.ts'
import type { Settings } from '../../settings.ts'
import { type StoppableTask, toSuccess } from '../tools/call-tool.ts'
import {
  type ToolOutcome,
  toFailedResult,
  toModelResult,
  toRefusedOutcome,
  toResultOutcome,
} from '../tools/tool-outcome.ts'

import { keepLease } from './task-lease.ts'

export type TaskCallNeeds = Pick<Ports, 'clock' | 'digests' | 'ids' | 'log' | 'seals' | 'tasks'>

export type TaskCall = StoppableTask & {
  /** Resolves when the client is to get a task for its answer; undefined if it could not be stored. */
  readonly created: Promise<TaskView | undefined>
  /** True if the client gets the task of an earlier call with its Idempotency-Key. */
  isTold(): boolean
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

function taskHash({ digests }: Pick<Ports, 'digests'>, taskId: string): string | undefined {
  return TASK_ID.test(taskId) ? digests.sha256(`task:${taskId}`) : undefined
}

/** Undefined for a text that is no id, and for a task that is unknown or older than a day. */
export async function readTask(
  ports: Pick<Ports, 'digests' | 'tasks'>,
  taskId: string,
): Promise<StoredTask | undefined> {
  const hash = taskHash(ports, taskId)
  return hash === undefined ? undefined : ports.tasks.read(hash)
}

/** What seals the result of a task under its id. */
export const TASK_PURPOSE = 'task-result'

export function startTaskCall(ports: TaskCallNeeds, settings: Settings, called: Called): TaskCall {
  const { acceptedAtMs, gone, scope } = called
  const stop = new AbortController()
  const worker = ports.ids.token(WORKER_BYTES)
  let leave = () => {}
  const created = Promise.withResolvers<TaskView | undefined>()
  let isTold = false
  let isEnding = false
  let storing: Promise<StoredId | undefined> | undefined
  let endWaiting = () => {}
  // Until it is a task, a call ends with its connection, as every call does.
  const onGone = () => {
    if (storing === undefined || gone?.reason === SERVER_STOPS) stop.abort(gone?.reason)
  }
  gone?.addEventListener('abort', onGone)
  const store = async (begun: BegunTask): Promise<StoredId | undefined> => {
    const stored = await storeTask(ports, begun, worker)
    if (stored === undefined) stop.abort(NOT_STORED)
    else if (!isEnding) {
      const worked = { hash: stored.hash, worker, callId: begun.callId }
      leave = keepLease(ports, scope, worked, () => stop.abort(ENDED))
    }
    created.resolve(stored?.view)
    return stored
  }
  return {
    created: created.promise,
    stopped: stop.signal,
    isTold: () => isTold,
    repeat: async (taskId) => {
      const task = await readTask(ports, taskId)
      if (task === undefined) return
      const { createdAtMs, status, updatedAtMs } = task
      isTold = true
      created.resolve({ taskId, status, createdAtMs, updatedAtMs, end: {} })
    },
    begin: (begun) => {
      const leftMs = Math.max(0, acceptedAtMs + TASK_AFTER_MS - ports.clock.nowMs())
      endWaiting = scope.alarm(leftMs, () => {
        storing = store(begun)
      })
    },
    end: async (answer) => {
      isEnding = true
      leave()
      endWaiting()
      gone?.removeEventListener('abort', onGone)
      if (storing === undefined) return 'direct'
      const stored = await storing
      if (stored === undefined) return 'unkept'
      return endTask(ports, settings, called, { ...stored, worker, answer })
    },
  }
}

/** Random bytes of a worker's name. */
const WORKER_BYTES = 9

const NOT_STORED = 'not stored'
const ENDED = 'the task has ended'

type StoredId = { readonly hash: string; readonly view: TaskView }

/** Undefined if the store failed. The task may stand there all the same: nobody knows its id. */
async function storeTask(
  ports: TaskCallNeeds,
  { keep, ...begun }: BegunTask,
  worker: string,
): Promise<StoredId | undefined> {
  const taskId = `task_${ports.ids.token(TASK_ID_BYTES)}`
  const hash = taskHash(ports, taskId) ?? ''
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
    end: {},
  } as const
  return { hash, view }
}

/** Never rejects: a result that cannot be stored is lost, and its call is free. */
async function endTask(
  ports: TaskCallNeeds,
  settings: Settings,
  { name, revision }: Called,
  of: StoredId & { readonly answer: ExecuteAnswer; readonly worker: string },
): Promise<TaskEnding> {
  const { answer, hash, worker } = of
  const { taskId } = of.view
  const outcome = toOutcome(settings, name, answer)
  const ended = endOf(settings, revision, outcome)
  const isTooLong = countBytes(JSON.stringify(ended.end)) > TASK_RESULT_BYTES_MAX
  const { end, status } = isTooLong
    ? endOf(settings, revision, tooLong(answer.body.callId ?? ''))
    : ended
  try {
    const sealed = ports.seals.seal(taskId, TASK_PURPOSE, JSON.stringify(end))
    const nowMs = ports.clock.nowMs()
    const found = await ports.tasks.end({ hash, status, nowMs, by: { worker }, sealed })
    if (found === 'own') return isTooLong ? 'unkept' : 'kept'
    return found === 'over' ? 'lost' : found
  } catch (cause) {
    ports.log.note('error', 'task-not-ended', { callId: answer.body.callId }, cause)
    return 'unkept'
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
