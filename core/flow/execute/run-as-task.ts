/**
 * The parts of a call that may go on as a task. The head of the task decides, and the ledger
 * follows it, so that no call is both cancelled and charged. Bound by ADR 0110.
 *
 *   kept     the task's head says `completed` ─▶ outcome settled ─▶ release
 *   cancelled, lost, unkept     it was cancelled, found dead, or not stored ─▶ outcome refunded ─▶ release
 *   taken    another worker has the task ─▶ nothing: the hold is that worker's
 *   direct   nobody was told of a task: the call ends as every call, behind its answer
 * Dies between head and outcome: the hold is stale after its deadline, and the call was free.
 */
import { loadOnce } from '../../cache/load-once.ts'
import { TASK_END_MS } from '../../ledger/limits.ts'
import { TASK_ASK_MS, TASK_ROUNDS_MAX, TASK_TTL_MS } from '../../mcp/task.ts'
import type { StartedJob } from '../../ports/jobs.ts'
import type { Step } from '../../ports/sessions.ts'
import type { TaskEnding, TaskTaker } from '../../ports/tasks.ts'
import type { JobValues } from '../../request/job-skill.ts'
import type { InputQuestions } from '../../response/input-required.ts'
import { toCallCredits } from './call-summary.ts'
import type { CallFailure } from './check-result.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import type { EndedCall, ExecuteNeeds, ExecuteRequest } from './execute-request.ts'
import { prolongHold } from './hold-credits.ts'
import { isTakenBack, type KeyedCall, keepTask } from './idempotent-call.ts'
import { sealState } from './input-state.ts'
import type { HeldCall } from './reserve-call.ts'
import type { ReadyCall } from './validate-call.ts'
import { voidCall } from './void-call.ts'

export function beginTask(
  ports: ExecuteNeeds,
  { task }: Pick<ExecuteRequest, 'task'>,
  { callId, principal, record, skill, startedAtMs, untilMs }: ReadyCall,
  keyed: KeyedCall | undefined,
): void {
  if (untilMs === undefined) return
  const { keyHash, uid } = principal
  const { skillId, source } = record
  const keep = keyed && ((taskId: string) => keepTask(ports, keyed, { taskId, skillId, source }))
  const begun = { callId, keyHash, uid, untilMs, keep }
  if (skill.task?.job === undefined) task?.begin(begun)
  // The result of a job that takes hours is kept for a day after the latest end.
  else task?.begin({ ...begun, job: true, ttlMs: untilMs - startedAtMs + TASK_TTL_MS })
}

/**
 * Hands a job that the upstream has begun to its task, whose hold stands until the job's deadline.
 *
 *   head `working` ─▶ job ─▶ lease to the deadline ─▶ this process is done     tasks/get, or the sweep, ends the task
 *   not stored, or the task has ended ─▶ refunded ─▶ the upstream is told to stop
 * Dies before the job is stored: the task fails when it is read, and the hold ends with its
 * deadline. Returns the steps behind the answer.
 */
export async function handOverJob(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  task: TaskTaker,
  of: { readonly reservation: HeldCall; readonly begun: StartedJob },
): Promise<readonly Step[]> {
  const { begun, reservation } = of
  const handed = await task.handOver(begun)
  if (handed === 'kept') return []
  const { callId, uid, values } = begun
  await giveBack(ports, { uid, callId, ended: handed })
  return [toStopStep(ports, upstreams, reservation.call, values)]
}

/** The step that tells the upstream to stop a job. Few calls begin jobs, so its code is loaded late. */
export function toStopStep(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  call: ReadyCall,
  values: JobValues,
): Step {
  return async () => (await loadStop()).stopUpstream(ports, upstreams, call, values)
}

const loadStop = loadOnce(() => import('./reach-job.ts'))

/**
 * The upstream asks behind the answer of its call: the task asks its client, and its price stays on
 * hold. Returns undefined if the caller still waits; a failure if the task cannot ask. Never
 * throws.
 *
 *   deadline of the hold: in an hour ─▶ the task asks ─▶ … ─▶ a worker claims it ─▶ deadline: max_sec ─▶ upstream
 * Dies in between: the task's lease ends it, and the hold is given back.
 */
export async function askInTask(
  ports: ExecuteNeeds,
  { call, profile }: HeldCall,
  { inputRequests, requestState }: InputQuestions,
  { body, task }: ExecuteRequest,
): Promise<EndedCall | CallFailure | undefined> {
  const { callId, principal, record, skill, untilMs } = call
  const placement = profile.holds[callId]?.placement
  if (task === undefined || untilMs === undefined || placement === undefined) return undefined
  const { sealingKey, uid } = principal
  const state =
    requestState === undefined
      ? undefined
      : sealState(ports, { body, sealingKey, ttlMs: STATE_TTL_MS }, record.toolName, requestState)
  const { capabilities } = body.input ?? {}
  const asking = await task.ask({
    call: { name: body.skill, arguments: body.arguments, capabilities, state },
    requests: inputRequests,
    prolong: async (toMs) =>
      (await prolongHold(ports, { uid, callId, placement, untilMs: toMs })) !== undefined,
  })
  switch (asking) {
    case 'direct':
      return undefined
    case 'lost':
      return { code: 'cancelled', detail: 'The task has ended.' }
    case 'often':
      return { code: 'upstream_failed', detail: ASKED_OFTEN }
    case 'asked':
    case 'taken': {
      const { skillId, source } = skill
      const credits = toCallCredits(skill.priceMicroCredits, 0, profile.credits)
      const durationMs = ports.clock.nowMs() - call.startedAtMs
      const ended = { callId, skillId, source, credits, durationMs }
      return {
        answer: { kind: 'input', body: { ...ended, resultType: 'input_required', inputRequests } },
      }
    }
    default:
      return asking satisfies never
  }
}

/** An answer in the last second of the hour still finds the state. */
const STATE_TTL_MS = TASK_ASK_MS + TASK_END_MS

const ASKED_OFTEN = `It asked more than ${TASK_ROUNDS_MAX} times.`

/**
 * True if the call has ended in the ledger, too. `keep` keeps its answer under its Idempotency-Key,
 * between the head and the outcome. Never throws.
 */
export async function endTask(
  ports: ExecuteNeeds,
  task: TaskTaker,
  { callId, principal: { uid } }: ReadyCall,
  { answer, keep, settle }: EndedCall & { keep(): Promise<void> },
): Promise<boolean> {
  const ended = await task.end(answer)
  if (ended === 'direct') return false
  if (ended === 'asked') return true
  if (ended === 'kept' && !isTakenBack(answer)) await keep()
  // A failure is refunded already.
  if (settle === undefined || ended === 'taken') return true
  if (ended === 'kept') {
    await settle()
    return true
  }
  await giveBack(ports, { uid, callId, ended })
  return true
}

/** Never throws. */
async function giveBack(
  ports: ExecuteNeeds,
  of: { readonly uid: string; readonly callId: string; readonly ended: TaskEnding },
): Promise<void> {
  const { callId, ended, uid } = of
  const reason = ended === 'cancelled' ? ended : 'crashed'
  await voidCall(ports, { uid, callId, reason }).catch((cause: unknown) => {
    // The sweep gives the hold back after its deadline.
    ports.log.note('error', 'refund-delayed', { callId, uid }, cause)
  })
}
