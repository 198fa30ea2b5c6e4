/** Times of the ledger, in one place for execute, sweep, void and the stream. */

/** A hold older than this belongs to a call that died (a call lives 15 s). */
export const STALE_HOLD_MS = 60_000
/** A call can be voided so long after it was placed. */
export const VOID_WINDOW_MS = 60_000
