/**
 * Judges whether a request came through the stage's edge, by the values in a secret. Counts the
 * refused by address, so that a flood becomes a few lines of the log. Bound by ADR 0133.
 */
import type { EdgeConfig } from '../../adapters/config/config.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import type { RequestHeaders } from '../../adapters/http/events.ts'
import { ORIGIN_SECRET_RECHECK_MS } from '../../adapters/secrets/limits.ts'
import { makeOriginSecretReader } from '../../adapters/secrets/origin-secrets.ts'
import { createRefusalCounter } from '../../core/access/count-refusals.ts'
import type { OriginSecret } from '../../core/access/origin-secret.ts'
import { ok, type Result, refuse } from '../../core/errors.ts'
import type { Clock, Log } from '../../core/ports/outside.ts'
import { ORIGIN_SECRET_HEADER, VIEWER_ADDRESS_HEADER } from '../../core/settings/edge-headers.ts'

export type Addressed = { readonly headers: RequestHeaders; readonly address: string }

/**
 * Returns headers and address as the door may see them, or refuses with `forbidden`. Throws
 * `Fault('store_unavailable')` while the accepted values are unknown.
 */
export type EdgeCheck = (sent: Addressed) => Promise<Result<Addressed>>

type Outside = { readonly clock: Clock; readonly log: Log }

/** Begins to read the accepted values at once. */
export function startEdgeCheck(edge: EdgeConfig, { clock, log }: Outside): EdgeCheck {
  const onStale = (cause: unknown) => log.note('error', 'edge-secret-stale', {}, cause)
  const read = makeOriginSecretReader(edge, { clock, onStale })
  // A failure shows at the first request, which tries again.
  read().catch(() => {})
  return makeEdgeCheck(read, { clock, log, servesDirect: edge.servesDirect })
}

/** `read` returns the accepted values of at most an age, or throws a fault while they are unknown. */
export function makeEdgeCheck(
  read: (ageMsMax?: number) => Promise<OriginSecret>,
  { clock, log, servesDirect }: Outside & { readonly servesDirect: boolean },
): EdgeCheck {
  const refusals = createRefusalCounter()
  const refuseFrom = (from: string): Result<never> => {
    for (const one of refusals.count(from, clock.nowMs())) log.note('warn', 'edge-bypassed', one)
    // No hint: a client that guesses learns neither the header nor that there is an edge.
    return refuse('forbidden', 'Forbidden.')
  }
  return async ({ address, headers: all }) => {
    const { [ORIGIN_SECRET_HEADER]: sent, [VIEWER_ADDRESS_HEADER]: viewer, ...headers } = all
    // Nobody vouches for the address that a direct request names.
    if (sent === undefined) return servesDirect ? ok({ address, headers }) : refuseFrom(address)
    const accepted =
      isAccepted(sent, await read()) || isAccepted(sent, await read(ORIGIN_SECRET_RECHECK_MS))
    if (!accepted) return refuseFrom(address)
    for (const one of refusals.rest(clock.nowMs())) log.note('warn', 'edge-bypassed', one)
    return ok({ address: viewer ?? address, headers })
  }
}

const digests = nodeDigests()

/** Compares digests of equal length, and both of them: the time tells nothing of a value. */
function isAccepted(sent: string, { current, previous = current }: OriginSecret): boolean {
  const digest = digests.sha256(sent)
  const matches = [current, previous].map((value) => digests.equal(digest, digests.sha256(value)))
  return matches.includes(true)
}
