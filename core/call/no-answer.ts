/** Why a caller gets no answer: reasons of the signal that tells a call so. */

/** The caller has closed its connection. */
export const CALLER_LEFT = 'gone'
/** The server stops, and has told the caller that the call costs nothing. */
export const SERVER_STOPS = 'stopped'
