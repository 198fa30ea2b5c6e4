/**
 * Runs a call whose price is on hold: first the upstream within its deadline, then the end of the
 * call in the ledger. Every path writes an outcome: a failure here, a success in `settle`. Bound by
 * docs/service.md, Order of a call.
 */
import type { Refusal } from '../../errors.ts'
import type { Profile } from '../../ledger/ledger.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { Step } from '../../ports/sessions.ts'
import { recordCrossings } from '../events/note-crossings.ts'
import { logCall, toCallCredits, toPlacedCall } from './call-summary.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import {
  type EndedCall,
  type ExecuteNeeds,
  type ExecuteRequest,
  toProblemAnswer,
} from './execute-request.ts'
import { forgiveRepeat } from './forgive-repeat.ts'
import { failCall, returnQuestions } from './refund-call.ts'
import type { HeldCall } from './reserve-call.ts'
import { askInTask, toStopStep } from './run-as-task.ts'
import { runWithDeadline, type UpstreamStats } from './run-with-deadline.ts'
import { settleCall } from './settle-call.ts'
import type { BegunJob } from './start-job.ts'
import { withUnknownArguments } from './unknown-arguments.ts'

/** Never throws for a failure of the upstream or of the ledger. */
export async function runCall(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  held: HeldCall,
  request: ExecuteRequest,
): Promise<EndedCall> {
  const run = await runWithDeadline(ports, upstreams, held.call, request)
  const { begun, jobValues, mayHaveSent, sharedSent, stats } = run
  const result = withUnknownArguments(run.result, held.call.skill, request.body.arguments)
  const { secretsUsed } = stats
  const used = { sharedSent, ...(secretsUsed === undefined ? {} : { secretsUsed }) }
  if (begun !== undefined) return { ...toBegun(ports, held, begun, stats), ...used }
  if (result.ok) return { ...toSuccess(ports, held, result.value, stats), ...used }
  if ('inputRequests' in result.error) {
    const asked = await askInTask(ports, held, result.error, request)
    if (asked !== undefined && 'code' in asked) {
      return { ...(await failCall(ports, held, asked, stats)), ...used }
    }
    if (asked !== undefined) return { ...asked, ...used }
    const asking = await returnQuestions(ports, held, { ...result.error, request }, stats)
    return { ...asking, ...used, freesKey: true }
  }
  const failed = await failCall(ports, held, result.error, stats)
  const ended = { ...failed, ...used, ...(mayHaveSent ? {} : { freesKey: true as const }) }
  if (jobValues === undefined) return ended
  // A call that is refunded stops the job that it began, if its skill says how.
  const stop = toStopStep(ports, upstreams, held.call, jobValues)
  return { ...ended, after: [...(failed.after ?? []), stop] }
}

/** Nobody gets this answer: the caller gets the task. */
function toBegun(
  ports: ExecuteNeeds,
  held: HeldCall,
  begun: BegunJob,
  stats: UpstreamStats,
): EndedCall {
  const { callId, principal, record, skill, startedAtMs } = held.call
  const { facts } = toPlacedCall(held, stats, ports.clock.nowMs() - startedAtMs)
  const job = {
    ...begun,
    callId,
    uid: principal.uid,
    keyHash: principal.keyHash,
    username: principal.username,
    skillId: skill.skillId,
    source: skill.source,
    skillUid: skill.skillUid,
    version: record.version,
    startedAtMs,
    deadlineMs: startedAtMs + (skill.task?.maxSec ?? 0) * 1_000,
    pollMs: skill.task?.job?.pollMs ?? 0,
    facts: facts ?? held.origin,
  }
  return { ...toProblemAnswer(callId, GOES_ON), begun: job }
}

const GOES_ON: Refusal = { code: 'cancelled', detail: 'The call goes on as a task.' }

function toSuccess(
  ports: ExecuteNeeds,
  held: HeldCall,
  result: ToolResult,
  stats: UpstreamStats,
): EndedCall {
  const { call, profile } = held
  const { content, isError, structuredContent } = result
  const price = call.skill.priceMicroCredits
  const durationMs = ports.clock.nowMs() - call.startedAtMs
  let released: Profile | undefined
  const note = async () => {
    if (released === undefined) return
    await recordCrossings(ports, held.events, { profile: released, before: profile })
  }
  return {
    answer: {
      kind: 'success',
      body: {
        callId: call.callId,
        skillId: call.skill.skillId,
        source: call.skill.source,
        content,
        ...(structuredContent === undefined ? {} : { structuredContent }),
        isError,
        credits: toCallCredits(price, 0, profile.credits),
        durationMs,
      },
    },
    settle: async () => {
      released = await settleSuccess(ports, held, stats, durationMs)
    },
    after: [
      ...forgiveSteps(ports, held, () => released !== undefined),
      ...(held.events === undefined || !hasHold(held) ? [] : [note]),
    ],
  }
}

/** False for most free calls. */
function hasHold({ call, profile }: HeldCall): boolean {
  return Object.hasOwn(profile.holds, call.callId)
}

/** For skills with `config.repeat`; `isPaid` is known once the call has ended. */
function forgiveSteps(
  ports: ExecuteNeeds,
  { call, origin: { fingerprint } }: HeldCall,
  isPaid: () => boolean,
): readonly Step[] {
  const { callId, principal, skill, startedAtMs: arrivedAtMs } = call
  const isFree = skill.priceMicroCredits === 0
  if (isFree || skill.repeat === undefined || fingerprint === undefined) return []
  const { forgiveWithinSec: withinSec } = skill.repeat
  const later = { uid: principal.uid, callId, arrivedAtMs, fingerprint, withinSec }
  return [async () => (isPaid() ? forgiveRepeat(ports, later) : undefined)]
}

/**
 * Writes outcome and release of a success. Never throws: if the outcome cannot be written, the
 * sweep refunds the call, and the success is free. Returns the profile after the release, or
 * undefined if the call was not charged.
 */
async function settleSuccess(
  ports: ExecuteNeeds,
  held: HeldCall,
  stats: UpstreamStats,
  durationMs: number,
): Promise<Profile | undefined> {
  const { call, profile } = held
  const { upstreamStatus } = stats
  const price = call.skill.priceMicroCredits
  try {
    const { isPaid, profile: released } = await settleCall(
      ports,
      toPlacedCall(held, stats, durationMs),
      {
        state: 'settled',
        upstreamStatus,
        durationMs,
      },
    )
    const refunded = isPaid ? 0 : price
    const remaining = profile.credits + refunded
    const end = { durationMs, held: price, refunded, remaining, code: undefined }
    logCall(ports, call, end, stats)
    return isPaid ? released : undefined
  } catch (cause) {
    ports.log.note(
      'error',
      'settle-failed',
      { callId: call.callId, uid: call.principal.uid },
      cause,
    )
    return undefined
  }
}
