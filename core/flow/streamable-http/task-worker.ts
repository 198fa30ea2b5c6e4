/**
 * The process that works on a task: it renews its lease, and leaves the task with the result of its
 * call or with its questions. Bound by ADR 0110.
 *
 *   working ─ end ─▶ completed or failed         working ─ ask ─▶ input_required, for an hour ─ claim ─▶ working
 * Each is one write of the head, under the worker's name: a cancellation or a reader that came
 * first stands.
 */
import type { ExecuteAnswer } from '../../call/execute.ts'
import type { JsonObject } from '../../json/json.ts'
import { countBytes } from '../../json/text-bytes.ts'
import { TASK_END_MS } from '../../ledger/limits.ts'
import type { Revision } from '../../mcp/revision.ts'
import { LATEST_MODERN } from '../../mcp/revisions.ts'
import { makeServerInfo } from '../../mcp/server-info.ts'
import {
  TASK_ASK_MS,
  TASK_RESULT_BYTES_MAX,
  TASK_ROUNDS_MAX,
  type TaskEnd,
} from '../../mcp/task.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CallScope } from '../../ports/sessions.ts'
import type { TaskTaker } from '../../ports/tasks.ts'
import type { Settings } from '../../settings.ts'
import { toSuccess } from '../tools/call-tool.ts'
import { INTERRUPTED, TASK_PURPOSE } from '../tools/end-dead-task.ts'
import { makeQuestions, sealQuestions } from '../tools/task-questions.ts'
import {
  type ToolOutcome,
  toFailedResult,
  toModelResult,
  toRefusedOutcome,
  toResultOutcome,
} from '../tools/tool-outcome.ts'
import { handOverTask } from './hand-over-task.ts'
import { keepLease, type WorkedTask } from './task-lease.ts'

type Needs = Pick<Ports, 'clock' | 'ids' | 'jobs' | 'log' | 'seals' | 'tasks'>

export type Worked = WorkedTask & {
  readonly taskId: string
  readonly name: string
  readonly revision: Revision
  /** Questions that the task has asked before. */
  readonly rounds: number
}

export type TaskWorker = Pick<TaskTaker, 'ask' | 'end' | 'handOver'> & {
  /** True once the worker has left its task. */
  hasLeft(): boolean
  /** Ends the task with the outcome of a call that was refused before it began. Never rejects. */
  close(outcome: ToolOutcome): Promise<void>
}

/**
 * Starts with the lease that the task was stored or claimed with. `over`: the task has ended
 * without its worker.
 */
export function startTaskWorker(
  ports: Needs,
  settings: Settings,
  worked: Worked & { readonly scope: Pick<CallScope, 'alarm'> },
  over: () => void,
): TaskWorker {
  const endLease = keepLease(ports, worked.scope, worked, over)
  let left: 'asked' | 'ended' | 'handed' | undefined
  return {
    hasLeft: () => left !== undefined,
    ask: async (question) => {
      if (worked.rounds >= TASK_ROUNDS_MAX) return 'often'
      const asking = await ask(ports, worked, question)
      if (asking !== 'lost') {
        endLease()
        left = 'asked'
      }
      return asking
    },
    handOver: async (job) => {
      left = 'handed'
      endLease()
      return handOverTask(ports, worked, job)
    },
    end: async (answer) => {
      if (left === 'asked') return 'asked'
      left = 'ended'
      endLease()
      return endTask(ports, settings, worked, toOutcome(settings, worked.name, answer))
    },
    close: async (outcome) => {
      left = 'ended'
      endLease()
      await endTask(ports, settings, worked, outcome)
    },
  }
}

/** Never rejects: questions that cannot be stored are lost. */
async function ask(
  { clock, log, seals, tasks }: Needs,
  { callId, hash, rounds, taskId, worker }: Worked,
  { call, prolong, requests }: Parameters<TaskTaker['ask']>[0],
): Promise<'asked' | 'lost' | 'taken'> {
  try {
    const nowMs = clock.nowMs()
    const aliveUntilMs = nowMs + TASK_ASK_MS
    if (!(await prolong(aliveUntilMs + TASK_END_MS))) return 'lost'
    const sealed = sealQuestions({ seals }, taskId, makeQuestions(call, requests, rounds + 1))
    const found = await tasks.ask({ hash, worker, nowMs, aliveUntilMs, sealed })
    if (found === 'own') return 'asked'
    return found === 'taken' ? found : 'lost'
  } catch (cause) {
    log.note('error', 'task-not-asked', { callId }, cause)
    return 'lost'
  }
}

/** Never rejects: a result that cannot be stored is lost, and its call is free. */
async function endTask(
  ports: Needs,
  settings: Settings,
  { callId, hash, revision, taskId, worker }: Worked,
  outcome: ToolOutcome,
): Promise<'kept' | 'cancelled' | 'lost' | 'unkept' | 'taken'> {
  const { end, isTooLong, status } = writeTaskEnd(settings, revision, { callId, outcome })
  try {
    const sealed = ports.seals.seal(taskId, TASK_PURPOSE, JSON.stringify(end))
    const nowMs = ports.clock.nowMs()
    const found = await ports.tasks.end({ hash, status, nowMs, by: { worker }, sealed })
    if (found === 'own') return isTooLong ? 'unkept' : 'kept'
    return found === 'over' ? 'lost' : found
  } catch (cause) {
    ports.log.note('error', 'task-not-ended', { callId }, cause)
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
        : // A client that takes tasks declares its capabilities with each request.
          toRefusedOutcome({ callId, name, declares: true }, { body: answer.body }, settings)
    default:
      return answer satisfies never
  }
}

/**
 * How a task ends with this outcome: if its result is too long to be kept, with words about that.
 */
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
  revision: Revision,
  outcome: ToolOutcome,
): { readonly status: TaskEnd; readonly end: JsonObject } {
  if (outcome.kind === 'cancelled') return { status: 'failed', end: { error: INTERRUPTED } }
  const said = toModelResult(outcome)
  // A task of an earlier revision is read by a built-in tool, which writes it in its reader's form.
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
