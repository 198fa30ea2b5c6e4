/** Limits of the Web Function web. */

/** The platform's highest, and a ceiling only: it sends fewer to an environment that is busy. */
export const CONCURRENT_REQUESTS_MAX = 128

/** The platform's highest, too: it cuts a response that is older. */
export const REQUEST_SEC_MAX = 900

/**
 * After SIGTERM. A call that was passed on takes up to 16 s, and is waited for: how long the platform waits is
 * not documented, and where it waits less, what it cuts is found by the sweep.
 */
export const STOP_GRACE = { callMs: 16_000, refundMs: 500 }

/** Above the doors' own limit on headers, so that they say which one is too long. */
export const HEADER_BYTES_MAX = 65_536
