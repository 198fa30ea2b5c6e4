/**
 * Refuses requests that did not come through the stage's edge, before anything else looks at them,
 * with a 403 that says nothing. A request that came through it gets its client's address in place
 * of the distribution's, because limits by address would otherwise meet everybody. Internal URLs
 * are not behind the edge: their requests are signed. Bound by docs/edge.md and ADR 0133.
 */
import type { EdgeConfig } from '../../adapters/config/config.ts'
import type { FunctionUrlEvent, StreamingHandler } from '../../adapters/http/events.ts'
import { guardDoor } from '../../adapters/http/guarded.ts'
import { answerProblem } from '../../adapters/http/problem.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import type { Addressed, EdgeCheck } from './edge-check.ts'

type Parts = {
  readonly config: { readonly edge: EdgeConfig | undefined }
  readonly clock: Clock
  readonly log: Log
}

/**
 * Begins to read the accepted values, so that the start of a function and its warm-up go on
 * meanwhile. Undefined in a stage without an edge, which loads nothing of this.
 */
export function openEdgeCheck({ config, ...outside }: Parts): EdgeCheck | undefined {
  const { edge } = config
  if (edge === undefined) return undefined
  const opening = import('./edge-check.ts').then((loaded) => loaded.startEdgeCheck(edge, outside))
  return async (sent) => (await opening)(sent)
}

/** The door behind the check; the door itself in a stage without an edge. */
export function putBehindEdge(
  door: StreamingHandler,
  check: EdgeCheck | undefined,
  log: Log,
): StreamingHandler {
  if (check === undefined) return door
  return guardDoor({ log }, async (event, out, context) => {
    // AWS adds this to requests of the internal URL alone, whose signature it has checked.
    if (event.requestContext.authorizer?.iam !== undefined) return door(event, out, context)
    const { sourceIp } = event.requestContext.http
    const admitted = await check({ headers: event.headers, address: sourceIp })
    if (!admitted.ok) return answerProblem(out, admitted.error)
    return door(toAdmittedEvent(event, admitted.value), out, context)
  })
}

function toAdmittedEvent(
  event: FunctionUrlEvent,
  { address, headers }: Addressed,
): FunctionUrlEvent {
  const { http } = event.requestContext
  const requestContext = { ...event.requestContext, http: { ...http, sourceIp: address } }
  return { ...event, headers, requestContext }
}
