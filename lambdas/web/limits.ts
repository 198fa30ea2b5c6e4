/** Limits of the Web Function web. */

/** The platform's highest, and a ceiling only: it sends fewer to an environment that is busy. */
export const CONCURRENT_REQUESTS_MAX = 128

/** The platform's highest, too: it cuts a response that is older. */
export const REQUEST_SEC_MAX = 900

/**
 * After SIGTERM. How long the platform waits is not documented: these are short, and what they cut
 * is found by the sweep.
 */
export const STOP_GRACE = { callMs: 1_000, refundMs: 500 }

/** Above the doors' own limit on headers, so that they say which one is too long. */
export const HEADER_BYTES_MAX = 65_536
