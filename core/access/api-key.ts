/**
 * An agent's API key: how it is sent, what it looks like and how long it is valid. This file reads
 * the header, not the store, so the key may still be unknown. Bound by docs/service.md,
 * Credentials, and RFC 6750 section 2.1.
 */
import { NEVER_MS } from './identity.ts'
import { explainPlaceholder, readPlaceholder } from './placeholder.ts'
import type { KeyRecord } from './principal.ts'

/**
 * Bytes of an Authorization header. Tokens of Entra ID with groups have 4 to 6 kB; common web
 * servers accept header lines of 8 kB.
 */
export const AUTHORIZATION_BYTES_MAX = 8_192

const DAY_MS = 86_400_000
/** A key is valid for 30 days after its issue or last renewal. */
export const KEY_TTL_MS = 30 * DAY_MS
/** A call renews its key at most once a day, so that few calls cost this write. */
export const KEY_RENEW_AFTER_MS = DAY_MS

/** `sgs_` begins a sub-key. */
const API_KEY = /^sg[ks]_[A-Za-z0-9_-]{43}$/
/** `sgk_` and four characters: owners can tell their keys apart, and only 24 of 256 bits show. */
const PREFIX_CHARS = 8

/**
 * Allows more characters than RFC 6750, because keys of the earlier service may have others. A
 * comma is not allowed, so two headers that a proxy joined with a comma do not match.
 */
const BEARER = /^bearer +([!-+\--~]+)$/i
const REMEDY = 'write `Authorization: Bearer <API key>`'

export type SentAuthorization =
  | { readonly kind: 'absent' }
  | { readonly kind: 'bearer'; readonly token: string }
  | {
      readonly kind: 'malformed'
      readonly code: 'unauthenticated' | 'headers_too_large'
      readonly detail: string
    }

/** An empty header is malformed, not absent, because its sender tried to authenticate. */
export function readAuthorization(header: string | undefined): SentAuthorization {
  if (header === undefined) return { kind: 'absent' }
  if (header.length > AUTHORIZATION_BYTES_MAX) {
    const detail = `Authorization: is over ${AUTHORIZATION_BYTES_MAX} bytes; ${REMEDY}`
    return { kind: 'malformed', code: 'headers_too_large', detail }
  }
  const text = header.trim()
  const placeholder = readPlaceholder(text.replace(/^bearer\s+/i, ''))
  if (placeholder !== undefined) {
    const detail = explainPlaceholder('Authorization', placeholder)
    return { kind: 'malformed', code: 'unauthenticated', detail }
  }
  const token = BEARER.exec(text)?.[1]
  if (token !== undefined) return { kind: 'bearer', token }
  return { kind: 'malformed', code: 'unauthenticated', detail: explainNotBearer(text) }
}

/** True if the text has the form of our keys. */
export function isApiKey(text: string): boolean {
  return API_KEY.test(text)
}

/** The part of a key that lists may show. */
export function toKeyPrefix(key: string): string {
  return key.slice(0, PREFIX_CHARS)
}

/** Compares the stored time, because the store deletes expired records late. */
export function isKeyExpired(record: KeyRecord, nowMs: number): boolean {
  return nowMs >= record.expiresAtMs
}

/**
 * True if this use of the key must extend its expiry. An expired key is never renewed, and an
 * identity has no expiry to extend.
 */
export function mustRenewKey(record: KeyRecord, nowMs: number): boolean {
  if (record.expiresAtMs === NEVER_MS) return false
  return !isKeyExpired(record, nowMs) && nowMs - record.renewedAtMs >= KEY_RENEW_AFTER_MS
}

/** Explains what is wrong with the header and never repeats its value. */
function explainNotBearer(text: string): string {
  if (text === '') return `Authorization: is empty; ${REMEDY}`
  if (/^bearer$/i.test(text)) {
    return `Authorization: has no key after Bearer; ${REMEDY}, or set the variable that the client takes it from`
  }
  if (isApiKey(text)) return `Authorization: has no scheme before the key; ${REMEDY}`
  if (!/^bearer\s/i.test(text)) return `Authorization: is not of the scheme Bearer; ${REMEDY}`
  return `Authorization: has more than one key, or characters no key has; ${REMEDY} once`
}

const KEY_START = /^(?:bearer\s+)?(sg[ks]_[A-Za-z0-9_-]{4})[A-Za-z0-9_-]/i

/**
 * The part of a refused credential that a log may show: `sgk_` or `sgs_` and four characters. Its
 * owner and support find the key in the list of keys by them (24 of its 256 bits). A log shows nothing of
 * any other text, which may be the secret of another service. Returns undefined if the text does
 * not begin as a key or has no more than the shown characters.
 */
export function readKeyStart(header: string | undefined): string | undefined {
  return header === undefined ? undefined : KEY_START.exec(header.trimStart())?.[1]
}
