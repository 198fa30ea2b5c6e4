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
import type { Revision, TaskView } from '../../mcp/revision.ts'
import { LATEST_MODERN } from '../../mcp/revisions.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import { TASK_AFTER_MS, TASK_RESULT_BYTES_MAX, type TaskEnd } from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CallScope } from '../../ports/sessions.ts'
import type { BegunTask } from '../../ports/tasks.ts'
import type { Settings } from '../../settings.ts'
import { type StoppableTask, toSuccess } from '../tools/call-tool.ts'
import { INTERRUPTED, TASK_PURPOSE, taskHash } from '../tools/task-record.ts'
import {
  type ToolOutcome,
  toFailedResult,
  toModelResult,
  toRefusedOutcome,
  toResultOutcome,
} from '../tools/tool-outcome.ts'

export type TaskCallNeeds = Pick<Ports, 'clock' | 'digests' | 'ids' | 'log' | 'seals' | 'tasks'>

export type TaskCall = StoppableTask & {
  /** Resolves when the client is to get a task for its answer; undefined if it could not be stored. */
  readonly created: Promise<TaskView | undefined>
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
  const { acceptedAtMs, cancelled, gone, ifRequired, scope } = called
  const stop = new AbortController()
  const created = Promise.withResolvers<TaskView | undefined>()
  let storing: Promise<StoredId | undefined> | undefined
  let endWaiting = () => {}
  const onCancelled = () => {
    if (storing === undefined) stop.abort(cancelled?.reason)
  }
  const onGone = () => {
    if (gone?.reason === SERVER_STOPS) stop.abort(SERVER_STOPS)
  }
  const store = async (begun: BegunTask): Promise<StoredId | undefined> => {
    const stored = await storeTask(ports, begun)
    if (stored === undefined) stop.abort(NOT_STORED)
    created.resolve(stored?.view)
    return stored
  }
  return {
    created: created.promise,
    stopped: stop.signal,
    ...(ifRequired ? { ifRequired } : {}),
    begin: (begun) => {
      cancelled?.addEventListener('abort', onCancelled)
      gone?.addEventListener('abort', onGone)
      const leftMs = Math.max(0, acceptedAtMs + TASK_AFTER_MS - ports.clock.nowMs())
      endWaiting = scope.alarm(leftMs, () => {
        storing = store(begun)
      })
    },
    end: async (answer) => {
      endWaiting()
      cancelled?.removeEventListener('abort', onCancelled)
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
    end: {},
  } as const
  return { hash, view }
}

/** Never rejects: a result that cannot be stored is lost, and its call is free. */
async function endTask(
  ports: TaskCallNeeds,
  settings: Settings,
  { name, revision }: Called,
  { answer, hash, view: { taskId } }: StoredId & { readonly answer: ExecuteAnswer },
): Promise<'kept' | 'lost'> {
  const outcome = toOutcome(settings, name, answer)
  const ended = endOf(settings, revision, outcome)
  const isTooLong = countBytes(JSON.stringify(ended.end)) > TASK_RESULT_BYTES_MAX
  const { end, status } = isTooLong
    ? endOf(settings, revision, tooLong(answer.body.callId ?? ''))
    : ended
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
        : // A client that takes tasks declares its capabilities with each request.
          toRefusedOutcome({ callId, name, declares: true }, { body: answer.body }, settings)
    default:
      return answer satisfies never
  }
}

/** The member of a task that has ended. A call without any result has failed. */
function endOf(
  settings: Settings,
  revision: Revision,
  outcome: ToolOutcome,
): { readonly status: TaskEnd; readonly end: JsonObject } {
  if (outcome.kind === 'cancelled') return { status: 'failed', end: { error: INTERRUPTED } }
  const said = toModelResult(outcome)
  // A task of an earlier revision is read by a built-in tool, which writes it in its reader's shape.
  const { results } = revision.results.task === undefined ? LATEST_MODERN : revision
  if (said.ok) {
    const result = results.callTool(said.value, makeServerInfo(settings))
    return { status: 'completed', end: { result } }
  }
  const { code, data, message } = said.error
  const error = { code, message, ...(data === undefined ? {} : { data }) }
  return { status: 'failed', end: { error } }
}

function tooLong(callId: string): ToolOutcome {
  const detail = `The result is over ${TASK_RESULT_BYTES_MAX} bytes, the most that is kept of a task. Ask for less of it.`
  return toResultOutcome(toFailedResult(callId, { code: 'upstream_failed', detail }))
}
