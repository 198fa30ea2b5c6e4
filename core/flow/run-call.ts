/**
 * The call itself, once its price is on hold: upstream under the guard, then the way its end takes
 * through the ledger. Every way out writes an outcome, now or in `after`.
 */

import type { CallCredits } from '../call/execute.ts'
import type { Refusal } from '../errors.ts'
import { creditsNumber } from '../ledger/amount.ts'
import type { MicroCredits, Profile } from '../ledger/ledger.ts'
import type { ToolResult } from '../mcp/content.ts'
import type { CallLine } from '../ports.ts'
import {
  type Executed,
  type ExecuteNeeds,
  type ExecuteRequest,
  problemAnswer,
} from './execute-request.ts'
import { type Failure, runGuarded, type UpstreamSeen } from './guard-upstream.ts'
import type { ReadyCall } from './prepare-call.ts'
import { type Ending, type PlacedCall, settleCall } from './settle-call.ts'
import type { UpstreamMemory } from './upstream-memory.ts'

export async function runCall(
  ports: ExecuteNeeds,
  upstreams: UpstreamMemory,
  call: ReadyCall,
  profile: Profile,
  request: ExecuteRequest,
): Promise<Omit<Executed, 'headers'>> {
  const { asked, result, seen } = await runGuarded(ports, upstreams, call, request)
  if (result.ok) return succeed(ports, call, profile, result.value, seen)
  const failed = await fail(ports, call, profile, result.error, seen)
  return asked ? failed : { ...failed, unasked: true }
}

async function succeed(
  ports: ExecuteNeeds,
  call: ReadyCall,
  profile: Profile,
  result: ToolResult,
  seen: UpstreamSeen,
): Promise<Omit<Executed, 'headers'>> {
  const { content, structuredContent } = result
  const price = call.skill.priceMicroCredits
  const durationMs = ports.clock.nowMs() - call.startedAtMs
  return {
    answer: {
      kind: 'success',
      body: {
        callId: call.callId,
        skillId: call.skill.skillId,
        source: call.skill.source,
        content,
        ...(structuredContent === undefined ? {} : { structuredContent }),
        isError: false,
        credits: creditsOf(price, 0, profile.credits),
        durationMs,
      },
    },
    after: () => settleAfter(ports, call, profile, seen, durationMs),
  }
}

/** Never throws: a success whose outcome could not be written is refunded by the sweep, and free. */
async function settleAfter(
  ports: ExecuteNeeds,
  call: ReadyCall,
  profile: Profile,
  seen: UpstreamSeen,
  durationMs: number,
): Promise<void> {
  const price = call.skill.priceMicroCredits
  try {
    const { isPaid } = await settleCall(ports, placed(call, profile), {
      state: 'settled',
      upstreamStatus: seen.upstreamStatus,
      durationMs,
    })
    const refunded = isPaid ? 0 : price
    logCall(ports, call, {
      ...seen,
      durationMs,
      held: price,
      refunded,
      remaining: profile.credits + refunded,
      code: undefined,
    })
  } catch (cause) {
    ports.log.note(
      'error',
      'settle-failed',
      { callId: call.callId, uid: call.principal.uid },
      cause,
    )
  }
}

async function fail(
  ports: ExecuteNeeds,
  call: ReadyCall,
  held: Profile,
  failure: Failure,
  seen: UpstreamSeen,
): Promise<Omit<Executed, 'headers'>> {
  const price = call.skill.priceMicroCredits
  const durationMs = ports.clock.nowMs() - call.startedAtMs
  const { upstreamStatus } = seen
  const ending: Ending = { state: 'refunded', reason: failure.code, upstreamStatus, durationMs }
  const end = await settleCall(ports, placed(call, held), ending).catch((cause: unknown) => {
    // The hold stays and the sweep gives it back: the answer may say so already.
    ports.log.note(
      'error',
      'refund-delayed',
      { callId: call.callId, uid: call.principal.uid },
      cause,
    )
    return { outcome: undefined, profile: { ...held, credits: held.credits + price } }
  })
  if (end.outcome?.state === 'settled') return problemAnswer(call.callId, CHARGED_ALREADY)
  const profile = end.profile ?? held
  logCall(ports, call, {
    ...seen,
    durationMs,
    held: end.outcome === undefined ? 0 : price,
    refunded: price,
    remaining: profile.credits,
    code: failure.code,
  })
  return problemAnswer(call.callId, failure, creditsOf(price, price, profile.credits))
}

/**
 * Another attempt of this call id succeeded and is paid for; this one's hold is back. As with a hold
 * that another attempt has, the caller must void (ADR 0008): a failure told here would be charged.
 */
const CHARGED_ALREADY: Refusal = {
  code: 'conflict',
  detail: 'call id: another attempt of this call has succeeded and was charged.',
}

/** `held` is the profile as the hold left it; without one for a free call. */
function placed(call: ReadyCall, held: Profile): PlacedCall {
  return {
    uid: call.principal.uid,
    callId: call.callId,
    skillId: call.skill.skillId,
    source: call.skill.source,
    skillVersion: call.record.version,
    amount: call.skill.priceMicroCredits,
    placement: held.holds[call.callId]?.placement ?? 0,
    createdAtMs: call.startedAtMs,
  }
}

function creditsOf(
  charged: MicroCredits,
  refunded: MicroCredits,
  remaining: MicroCredits,
): CallCredits {
  return {
    charged: creditsNumber(charged),
    refunded: creditsNumber(refunded),
    remaining: creditsNumber(remaining),
  }
}

function logCall(
  ports: ExecuteNeeds,
  call: ReadyCall,
  end: Pick<
    CallLine,
    'code' | 'durationMs' | 'held' | 'refunded' | 'remaining' | 'upstreamMs' | 'upstreamStatus'
  >,
): void {
  const price = call.skill.priceMicroCredits
  const outcome = price === 0 ? 'free' : end.refunded > 0 ? 'refunded' : 'settled'
  ports.log.call({
    callId: call.callId,
    uid: call.principal.uid,
    username: call.principal.username,
    skillId: call.skill.skillId,
    source: call.skill.source,
    outcome,
    charged: price,
    ...end,
  })
}
