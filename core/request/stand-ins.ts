/**
 * Random texts in the place of secrets: a dry run makes its request with them, so that no secret is opened for
 * it and a request that is shown can hold none, however a hook transforms it. An argument cannot equal one, so
 * masking them tells nobody whether a guess of a secret was right.
 */

/** Bytes of randomness; their text has 32 characters. */
const BYTES = 24
/** Each is valid hex, valid base64 and fits a header: some hooks decode their secret. */
const DIGITS = '0123456789abcdef'

export function standIns(
  names: Iterable<string>,
  token: (bytes: number) => string,
): ReadonlyMap<string, string> {
  return new Map([...names].map((name) => [name, standIn(token)]))
}

export function standIn(token: (bytes: number) => string): string {
  return [...token(BYTES)].map((char) => DIGITS[char.charCodeAt(0) % DIGITS.length]).join('')
}
