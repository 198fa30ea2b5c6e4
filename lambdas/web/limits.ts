/** Limits of the Web Function web. */
import { REQUEST_BODY_BYTES_MAX } from '../../adapters/http/request.ts'

/** The platform's highest, and a ceiling only: it sends fewer to an environment that is busy. */
export const CONCURRENT_REQUESTS_MAX = 128

/** The platform's highest, too: it cuts a response that is older. */
export const REQUEST_SEC_MAX = 900

/**
 * Within the second after SIGTERM at whose end the platform ends the process (AWS, Execution environment lifecycle):
 * for work that goes on, and for what is left to write once it is cut.
 */
export const STOP_GRACE = { callMs: 600, refundMs: 200 }

/** Above the doors' own limit on headers, so that they say which one is too long. */
export const HEADER_BYTES_MAX = 65_536

/**
 * Of a body that is kept, as the doors behind it have it. All requests share this process's memory: 128 bodies of
 * the platform's limit, each as bytes, as text and on its way to mcp, would take 3 GB.
 */
export const BODY_BYTES_MAX = REQUEST_BODY_BYTES_MAX
