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

/**
 * How long a process uses the values of the edge without reading them again. A busy process sends
 * 288 requests a day, for 0.15 cents. A value that was taken away is accepted so long.
 */
export const ORIGIN_SECRET_FRESH_MS = 300_000
/**
 * A process that gets an unknown value reads them again if it has not for so long: a new value works
 * at once, and a flood of wrong ones costs a process 8,640 requests a day, 4 cents.
 */
export const ORIGIN_SECRET_RECHECK_MS = 10_000
/**
 * An outage of Secrets Manager must not stop agents, so processes go on with the values that they
 * have; Lambda ends a process within hours.
 */
export const ORIGIN_SECRET_STALE_MS = 86_400_000
