/**
 * Classifies the failed status of an upstream: a rejected secret, a denied access, or a request for
 * a pause. The class decides the advice to the caller.
 */
import { readRetryAfter } from '../call/retry.ts'
import type { UpstreamResponse } from '../call/upstream.ts'
import type { FailureClass } from '../errors.ts'

/** Longest `Retry-After` that is passed on: some servers send dates that are years ahead. */
export const RETRY_AFTER_SEC_MAX = 86_400

export type StatusFailure = {
  readonly upstreamFault?: FailureClass
  /** Whole seconds, at least 1. */
  readonly retryAfterSec?: number
}

/** `sentSecrets`: the request had a stored secret, or a token that was requested with one. */
export function classifyStatus(
  { retryAfter, status }: Pick<UpstreamResponse, 'retryAfter' | 'status'>,
  { nowMs, sentSecrets }: { readonly nowMs: number; readonly sentSecrets: boolean },
): StatusFailure {
  if (status === 401 || status === 403) {
    return { upstreamFault: sentSecrets ? 'secret_rejected' : 'access_denied' }
  }
  if (status !== 429 && status !== 503) return {}
  const waitMs = retryAfter === undefined ? undefined : readRetryAfter(retryAfter, nowMs)
  if (waitMs !== undefined) return { upstreamFault: 'busy', retryAfterSec: toSeconds(waitMs) }
  return status === 429 ? { upstreamFault: 'busy' } : {}
}

function toSeconds(waitMs: number): number {
  return Math.min(RETRY_AFTER_SEC_MAX, Math.max(1, Math.ceil(waitMs / 1_000)))
}
