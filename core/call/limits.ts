/** Times of one call, shared by tools/call, execute and the stream. */

/** Spec: a slow tool call is cut off by a 15-second guard. Counted from the POST, or for REST callers from execute's start. */
export const CALL_TIMEOUT_MS = 15_000
/** Execute cuts the upstream so long before its caller's deadline: time to refund and to answer. */
export const DEADLINE_MARGIN_MS = 750
/** While a call runs, execute looks this often whether it was voided. */
export const VOID_WATCH_MS = 1_000
