/**
 * Runs a call whose price is on hold: the upstream within its deadline, then the end of the call in
 * the ledger. Every path writes an outcome, here or in `after`.
 */
import type { Profile } from '../../ledger/ledger.ts'
import type { ToolResult } from '../../mcp/content.ts'
import { creditsOf, logCall, placed } from './call-summary.ts'
import type { CircuitBreakers } from './circuit-breakers.ts'
import type { ExecuteNeeds, ExecuteRequest, ExecuteResponse } from './execute-request.ts'
import { askBack, failCall } from './refund-call.ts'
import { runWithDeadline, type UpstreamSeen } from './run-with-deadline.ts'
import { settleCall } from './settle-call.ts'
import type { ReadyCall } from './validate-call.ts'

export async function runCall(
  ports: ExecuteNeeds,
  upstreams: CircuitBreakers,
  call: ReadyCall,
  profile: Profile,
  request: ExecuteRequest,
): Promise<Omit<ExecuteResponse, 'headers'>> {
  const { asked, result, seen } = await runWithDeadline(ports, upstreams, call, request)
  if (result.ok) return succeed(ports, call, profile, result.value, seen)
  if ('inputRequests' in result.error) {
    const needing = await askBack(ports, call, profile, { ...result.error, request }, seen)
    return { ...needing, unasked: true }
  }
  const failed = await failCall(ports, call, profile, result.error, seen)
  return asked ? failed : { ...failed, unasked: true }
}

async function succeed(
  ports: ExecuteNeeds,
  call: ReadyCall,
  profile: Profile,
  result: ToolResult,
  seen: UpstreamSeen,
): Promise<Omit<ExecuteResponse, 'headers'>> {
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

/**
 * Never throws. If the outcome cannot be written, the sweep refunds the call: the success is free.
 */
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
