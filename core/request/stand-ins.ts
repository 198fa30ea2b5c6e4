/**
 * Stand-ins: random texts that a dry run uses instead of secrets. No secret is opened for a dry
 * run, and the request that it shows cannot contain a secret, however a hook transforms it. An
 * argument cannot equal a stand-in, so a masked text does not confirm a guess of a secret.
 */

/** Bytes of randomness. Their text has 32 characters. */
const BYTES = 24
/** Hex digits are also valid base64 and fit a header, because some hooks decode their secret. */
const DIGITS = '0123456789abcdef'

/** Makes a stand-in for each name. `token` returns the text of random bytes. */
export function makeStandIns(
  names: Iterable<string>,
  token: (bytes: number) => string,
): ReadonlyMap<string, string> {
  return new Map([...names].map((name) => [name, makeStandIn(token)]))
}

export function makeStandIn(token: (bytes: number) => string): string {
  return [...token(BYTES)].map((char) => DIGITS[char.charCodeAt(0) % DIGITS.length]).join('')
}
