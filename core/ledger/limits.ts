/** Times of the ledger, in one place for execute, sweep, void and the stream. */

/** A hold older than this belongs to a call that died (a call lives 15 s). */
export const STALE_HOLD_MS = 60_000
/** A call can be voided so long after it was placed. */
export const VOID_WINDOW_MS = 60_000

/** Calls in one page of a user's ledger: a page stays well under the store's 1 MB of one read. */
export const LEDGER_PAGE_MAX = 100
export const LEDGER_PAGE_DEFAULT = 20
