/**
 * An access token of a login, as a client sends it in place of an API key (core/login/tokens.ts
 * makes it). Its record stands beside the keys, under a hash that no key can have, so that the
 * function that issues tokens cannot write a key.
 */
import type { Digests } from '../ports/outside.ts'

const ACCESS_TOKEN = /^sgt_([A-Za-z0-9_-]{22})[A-Za-z0-9_-]{21}$/

/** The beginning of the stored hash of a token. No hash of a key has a colon. */
export const TOKEN_HASH_START = 't:'

/** True if the text has the form of an access token; the token may still be unknown. */
export function isAccessToken(text: string): boolean {
  return ACCESS_TOKEN.test(text)
}

/** The hash under which the record of an access token is stored. */
export function hashAccessToken({ sha256 }: Pick<Digests, 'sha256'>, token: string): string {
  return `${TOKEN_HASH_START}${sha256(token)}`
}

/**
 * The hash of the *anchor* of a login, which sessions name in place of its access tokens: they end,
 * and the login goes on. `proof`: of the login (key-proof.ts). It is no hash of a token, because
 * no token has the form of a sealing key.
 */
export function toAnchorHash(proof: string): string {
  return `${TOKEN_HASH_START}${proof}`
}

/**
 * The text from which the sealing key of a credential is made: a key itself, or the part of an
 * access token that all tokens of one login share and that is never stored.
 */
export function toSealingText(credential: string): string {
  return ACCESS_TOKEN.exec(credential)?.[1] ?? credential
}
