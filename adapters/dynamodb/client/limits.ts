/** Timeouts and attempts of both clients: a store that hangs becomes a fault within seconds. */

/** DynamoDB answers in single-digit milliseconds; a second without a connection is an outage. */
export const CONNECTION_TIMEOUT_MS = 1_000
/** Two seconds cover a slow transaction; three attempts still end within the 15 s of a call. */
export const REQUEST_TIMEOUT_MS = 2_000
/** A host of many parallel calls needs a socket for each: a wait for one is part of connecting. */
export const SOCKETS_MAX = 256
/** One attempt and two retries, with a pause before each retry. */
export const ATTEMPTS_MAX = 3
