/** Bounded waits and attempts of both clients: a store that hangs becomes a fault within seconds. */

/** DynamoDB answers in single-digit milliseconds; a second without a connection is an outage. */
export const CONNECTION_TIMEOUT_MS = 1_000
/** Two seconds cover a slow transaction; three attempts of it still end before the 15 s guard. */
export const REQUEST_TIMEOUT_MS = 2_000
/**
 * A host that serves many calls at once needs a socket for each: waiting for one counts as
 * connecting.
 */
export const SOCKETS_MAX = 256
/** One attempt and two retries, with a back-off between them. */
export const ATTEMPTS_MAX = 3
