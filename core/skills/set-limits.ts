/** Limits of a set of skills, for the gateway that takes it and the command line that sends it. */

/**
 * UTF-8 bytes. The door refuses longer bodies before: Lambda takes an event of 6 MB, which holds
 * the body as JSON text.
 */
export const SET_BYTES_MAX = 4_000_000
