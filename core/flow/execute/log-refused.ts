/** The log's line of a call that was refused before it held credits. */
import type { Principal } from '../../access/principal.ts'
import type { Refusal } from '../../errors.ts'
import type { ExecuteNeeds, ExecuteRequest } from './execute-request.ts'

type RefusedCall = {
  readonly request: ExecuteRequest
  readonly principal: Principal
  readonly callId: string
  readonly startedAtMs: number
}

export function logRefused(
  ports: Pick<ExecuteNeeds, 'clock' | 'log'>,
  attempt: RefusedCall,
  refusal: Refusal,
): void {
  const { callId, principal, request, startedAtMs } = attempt
  ports.log.call({
    callId,
    uid: principal.uid,
    username: principal.username,
    skillId: request.body.skill.slice(0, 64),
    source: 'official',
    outcome: 'refused',
    code: refusal.code,
    upstreamStatus: undefined,
    upstreamMs: undefined,
    durationMs: ports.clock.nowMs() - startedAtMs,
    held: 0,
    charged: 0,
    refunded: 0,
    remaining: 0,
  })
}
