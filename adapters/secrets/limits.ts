/** How long secrets are cached. */

/**
 * A leaked secret stops working a minute after it is replaced. A busy process sends 2,880 requests
 * a day, for 1.5 cents.
 */
export const SECRETS_FRESH_MS = 60_000
/** Old values are used for this time of an outage; after it every administrator is refused. */
export const SECRETS_STALE_MS = 300_000
/** Pause between attempts during an outage: each may take 6 s, too long for every request. */
export const SECRETS_PAUSE_MS = 10_000
