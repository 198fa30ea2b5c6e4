/**
 * An agent's API key: how it is sent, what it looks like and how long it lives. Reads the header
 * but does not know whether the key exists. Bound by docs/service.md, Credentials, and RFC 6750
 * section 2.1.
 */
import type { KeyRecord } from './principal.ts'

/**
 * Bytes of an Authorization header. Large enough to read, and name, a JWT that was sent by mistake.
 */
export const AUTHORIZATION_BYTES_MAX = 4096

const DAY_MS = 86_400_000
/** A key lives 30 days after its issue or last renewal. */
export const KEY_TTL_MS = 30 * DAY_MS
/** A key is renewed by use, at most once a day, so that a call rarely costs a write. */
export const KEY_RENEW_AFTER_MS = DAY_MS

const API_KEY = /^sgk_[A-Za-z0-9_-]{43}$/
/**
 * `sgk_` and four characters: enough for owners to tell their keys apart, and only 24 of 256 bits.
 */
const SHOWN_LENGTH = 8

/**
 * RFC 6750 has fewer characters, and keys of the earlier service may have others. None has a comma,
 * so two headers that a proxy joined do not match.
 */
const BEARER = /^bearer +([!-+\--~]+)$/i
const HOW = 'write `Authorization: Bearer <API key>`'

export type SentAuthorization =
  | { readonly kind: 'absent' }
  | { readonly kind: 'bearer'; readonly token: string }
  | {
      readonly kind: 'malformed'
      readonly code: 'unauthenticated' | 'headers_too_large'
      readonly detail: string
    }

/** An empty header is malformed, not absent: its sender tried to authenticate. */
export function readAuthorization(header: string | undefined): SentAuthorization {
  if (header === undefined) return { kind: 'absent' }
  if (header.length > AUTHORIZATION_BYTES_MAX) {
    const detail = `Authorization: is over ${AUTHORIZATION_BYTES_MAX} bytes; ${HOW}`
    return { kind: 'malformed', code: 'headers_too_large', detail }
  }
  const text = header.trim()
  const token = BEARER.exec(text)?.[1]
  if (token !== undefined) return { kind: 'bearer', token }
  return { kind: 'malformed', code: 'unauthenticated', detail: whyNotBearer(text) }
}

export function isApiKey(text: string): boolean {
  return API_KEY.test(text)
}

/** The part of a key that lists may show. */
export function keyPrefixOf(key: string): string {
  return key.slice(0, SHOWN_LENGTH)
}

/** Compares the stored time, because the store deletes expired records late. */
export function isExpired(record: KeyRecord, nowMs: number): boolean {
  return nowMs >= record.expiresAtMs
}

/** True when this use of the key extends its expiry. An expired key is never renewed. */
export function mustRenew(record: KeyRecord, nowMs: number): boolean {
  return !isExpired(record, nowMs) && nowMs - record.renewedAtMs >= KEY_RENEW_AFTER_MS
}

/** Never repeats the header's value. */
function whyNotBearer(text: string): string {
  if (text === '') return `Authorization: is empty; ${HOW}`
  if (/^bearer$/i.test(text)) return `Authorization: has no key after Bearer; ${HOW}`
  if (isApiKey(text)) return `Authorization: has no scheme before the key; ${HOW}`
  if (!/^bearer\s/i.test(text)) return `Authorization: is not of the scheme Bearer; ${HOW}`
  return `Authorization: has more than one key, or characters no key has; ${HOW} once`
}
