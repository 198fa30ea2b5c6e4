/**
 * Which refunded calls say that a tool fails. Faults of a caller, such as wrong arguments or a
 * missing secret, say nothing of a tool. Bound by ADR 0143.
 */
import type { RefundReason } from '../ledger/ledger.ts'
import type { CallRow } from './call-row.ts'

/** Refunds of calls whose upstream failed. All other reasons are the caller's or the gateway's. */
const FAILURES: ReadonlySet<string> = new Set<RefundReason>(['upstream_failed', 'timed_out'])
/** Statuses that arguments of a caller cause: they say nothing of the tool. */
const STATUSES_OF_CALLERS: ReadonlySet<number> = new Set([400, 404, 406, 409, 413, 415, 422])

/** True for a call that failed at its upstream, whatever the caller sent. */
export function isToolFailure({
  reason,
  upstreamStatus = 0,
}: Pick<CallRow, 'reason' | 'upstreamStatus'>): boolean {
  return FAILURES.has(reason ?? '') && !STATUSES_OF_CALLERS.has(upstreamStatus)
}
