/** Reasons for which a call is aborted because its caller will not receive an answer. */

/** The caller has closed its connection. */
export const CALLER_LEFT = 'gone'
/** The server stops, and has told the caller that the call is free. */
export const SERVER_STOPS = 'stopped'
