/**
 * Call ids: 9 characters of time, a dash, and a unique tail. They sort by time, so that the
 * partition `ledger:{uid}` can be read newest first without an index. Characters: A-Z a-z 0-9 - _.
 */

/** Base-32 digits of a time in ms. 32^9 ms end in the year 3084. */
const TIME_CHARS = 9

/**
 * Sort keys of all call ids until the year 2318, when the first character becomes a letter. Other
 * items in the same partition (`grant#…`) are outside this range.
 */
export const CALL_ID_RANGE = { from: '0', to: ':' } as const

/**
 * Makes a call id. `tail` is random, or a digest that other functions can compute, too. Equal ids
 * mean the same call.
 */
export function makeCallId(atMs: number, tail: string): string {
  return `${Math.floor(atMs).toString(32).padStart(TIME_CHARS, '0')}-${tail}`
}

const CALL_ID = /^([0-9a-v]{9})-/

/**
 * Returns the time in ms when the id was made, up to a minute before its call began. Undefined for
 * text of another form.
 */
export function readCallIdTime(callId: string): number | undefined {
  const [, time] = CALL_ID.exec(callId) ?? []
  return time === undefined ? undefined : Number.parseInt(time, 32)
}

/** Characters of the digest, at least 128 bits. */
const DIGEST_CHARS = 22

/**
 * Derives the call id of a request in a session. Every function that has the session's hash and the
 * request can therefore void the call.
 */
export function deriveCallId(
  digests: { sha256(text: string): string },
  sessionHash: string,
  request: { readonly seq: number; readonly acceptedAtMs: number },
): string {
  const digest = digests.sha256(`call:${sessionHash}#${request.seq}`)
  return makeCallId(request.acceptedAtMs, digest.slice(0, DIGEST_CHARS))
}
