/** The origin of a call (key, door, client, first phases), and the facts that its record keeps. */

import type { Principal } from '../../access/principal.ts'
import {
  type CallFacts,
  type CallPhases,
  fitFacts,
  PHASES,
  type Phase,
  shortenClient,
  shortenHost,
} from '../../ledger/call-facts.ts'
import type { ExecuteRequest } from './execute-request.ts'
import type { UpstreamStats } from './run-with-deadline.ts'
import type { ReadyCall } from './validate-call.ts'

export type CallOrigin = Omit<CallFacts, 'upstreamHost'>

/**
 * A call without terms came over REST. Terms that name no door mean `mcp`. The three times are
 * milliseconds of the clock; `authMs` is a duration.
 */
export function toCallOrigin(
  {
    authMs,
    principal,
    request,
    startedAtMs,
  }: {
    readonly authMs: number
    readonly principal: Principal
    readonly request: ExecuteRequest
    readonly startedAtMs: number
  },
  { heldAtMs, readyAtMs }: { readonly readyAtMs: number; readonly heldAtMs: number },
): CallOrigin {
  const { terms, traceId } = request
  const client = shortenClient(terms === undefined ? request.client : terms.client)
  const clientCallId = terms?.clientCallId
  const limits = readyAtMs - startedAtMs - authMs
  return {
    keyId: principal.keyHash,
    door: terms === undefined ? 'rest' : (terms.door ?? 'mcp'),
    ...(client === undefined ? {} : { client }),
    ...(clientCallId === undefined ? {} : { clientCallId }),
    ...(traceId === undefined ? {} : { traceId }),
    phases: { auth: authMs, limits, hold: heldAtMs - readyAtMs },
  }
}

/** The facts for the record of an ended call, shortened to the record's limits. */
export function toCallFacts(
  { callId, principal, skill, startedAtMs }: ReadyCall,
  origin: CallOrigin,
  stats: UpstreamStats,
  durationMs: number,
): CallFacts {
  const { endedAtMs } = stats
  const answer =
    endedAtMs === undefined ? {} : { answer: Math.max(0, startedAtMs + durationMs - endedAtMs) }
  const phases = roundPhases({ ...origin.phases, ...stats.phases, ...answer })
  const { upstreamHost } = stats
  const host = upstreamHost === undefined ? {} : { upstreamHost: shortenHost(upstreamHost) }
  const sources = [...new Set(stats.secretsUsed?.map(({ from }) => from))].sort()
  const secrets = sources.length === 0 ? {} : { secretsUsed: sources.join(', ') }
  const ids = { uid: principal.uid, callId, skillId: skill.skillId }
  return fitFacts({ ...origin, ...host, ...secrets, phases }, ids)
}

/** Rounds to whole milliseconds, since the clock may return fractions. */
export function roundPhases(phases: CallPhases): CallPhases {
  const rounded: { [phase in Phase]?: number } = {}
  for (const phase of PHASES) {
    const ms = phases[phase]
    if (ms !== undefined) rounded[phase] = Math.round(ms)
  }
  return rounded
}
