/**
 * Call ids: 9 characters of time, a dash, and a unique tail. They sort by time, so that
 * `ledger:{uid}` can be read newest first without an index. Characters: A-Z a-z 0-9 - _.
 */

/** 32^9 ms end in the year 3084. */
const TIME_CHARS = 9

/**
 * Every call id lies between these until the year 2318, when its first character becomes a letter.
 * Other items in the same partition (`grant#…`) lie outside.
 */
export const CALL_ID_RANGE = { from: '0', to: ':' } as const

/**
 * `tail` is random, or a digest that others can compute too. Two calls with one tail are one call.
 */
export function callIdAt(atMs: number, tail: string): string {
  return `${Math.floor(atMs).toString(32).padStart(TIME_CHARS, '0')}-${tail}`
}

const CALL_ID = /^([0-9a-v]{9})-/

/** When the id was made, which is up to a minute before its call began; undefined for another form. */
export function timeOfCallId(callId: string): number | undefined {
  const [, time] = CALL_ID.exec(callId) ?? []
  return time === undefined ? undefined : Number.parseInt(time, 32)
}

/** Characters of the digest: at least 128 bits. */
const DIGEST_CHARS = 22

/**
 * The call id of a request in a session. Knowing the session and the request is enough to void it.
 */
export function callIdOf(
  digests: { sha256(text: string): string },
  sessionHash: string,
  request: { readonly seq: number; readonly acceptedAtMs: number },
): string {
  const digest = digests.sha256(`call:${sessionHash}#${request.seq}`)
  return callIdAt(request.acceptedAtMs, digest.slice(0, DIGEST_CHARS))
}
