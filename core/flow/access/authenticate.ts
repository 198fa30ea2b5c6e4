/**
 * Turns an Authorization header into a principal. A malformed header is toRefused before any read.
 * A token of any form is looked up by its hash, because keys of the earlier service have other
 * forms (admit-token.ts limits those look-ups). An expired record is treated as absent. Bound by
 * docs/service.md, Credentials.
 */
import { isAccessToken, toCredentialHash, toSealingText } from '../../access/access-token.ts'
import {
  isApiKey,
  KEY_TTL_MS,
  mustRenewKey,
  readAuthorization,
  readKeyStart,
} from '../../access/api-key.ts'
import type { KeyRecord, Principal } from '../../access/principal.ts'
import type { Refusal } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'

export type Authentication =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'principal'; readonly principal: Principal }
  | { readonly kind: 'refused'; readonly refusal: Refusal }

/** The key exists, but its user was deleted after the key was issued. */
export const USER_DELETED: Refusal = {
  code: 'unauthenticated',
  detail: "Authorization: this key's user no longer exists. Ask your administrator.",
}

const UNKNOWN_KEY: Refusal = {
  code: 'unauthenticated',
  detail:
    'Authorization: this API key is unknown or expired. Ask your administrator for a new one.',
}

const UNKNOWN_TOKEN: Refusal = {
  code: 'unauthenticated',
  detail:
    'Authorization: this access token has expired, or its login has ended. Refresh it, or log in again.',
}

/** The token has not the form of our keys and is no key of the earlier service. */
export const NOT_AN_API_KEY: Refusal = {
  code: 'unauthenticated',
  detail:
    'Authorization: this is not a Skillgate API key (sgk_ and 43 characters). Ask your administrator for one.',
}

/** A call that needs a user came without a credential. */
export const KEY_MISSING: Refusal = {
  code: 'unauthenticated',
  detail: 'Authorization: is missing. Send Authorization: Bearer <API key>.',
}

type Needs = Pick<Ports, 'clock' | 'digests' | 'keys' | 'log'>

/**
 * Refuses with `unauthenticated` or `headers_too_large`. Throws `Fault` if the store does not
 * answer.
 */
export async function authenticate(
  ports: Needs,
  header: string | undefined,
): Promise<Authentication> {
  const credential = readCredential(header)
  if (credential.kind === 'refused') logRefusedKey(ports, header, 'malformed')
  if (credential.kind !== 'key') return credential
  const record = await ports.keys.find(toCredentialHash(ports.digests, credential.key))
  const nowMs = ports.clock.nowMs()
  if (record === undefined || record.expiresAtMs <= nowMs) {
    logRefusedKey(ports, header, record === undefined ? 'unknown' : 'expired')
    return { kind: 'refused', refusal: explainUnknown(credential.key) }
  }
  // A token is never renewed: its client gets another one.
  const isKey = record.login === undefined
  if (isKey && mustRenewKey(record, nowMs)) await renewKey(ports, record, nowMs)
  const sealingKey = ports.digests.sha256(`sealing:${toSealingText(credential.key)}`)
  return { kind: 'principal', principal: toPrincipal(record, sealingKey) }
}

function explainUnknown(credential: string): Refusal {
  if (isAccessToken(credential)) return UNKNOWN_TOKEN
  return isApiKey(credential) ? UNKNOWN_KEY : NOT_AN_API_KEY
}

function toPrincipal(
  { keyHash, login, scope, uid, username, v0 }: KeyRecord,
  sealingKey: string,
): Principal {
  return {
    uid,
    keyHash,
    sealingKey,
    username,
    ...(login === undefined ? {} : { login }),
    ...(scope === undefined ? {} : { scope }),
    ...(v0 === undefined ? {} : { v0 }),
  }
}

/**
 * Logs the same event at every door, so that the owner of a toRefused key finds which key it was.
 */
export function logRefusedKey(
  ports: Pick<Ports, 'log'>,
  header: string | undefined,
  reason: 'expired' | 'limited' | 'malformed' | 'unknown',
): void {
  ports.log.note('info', 'key-refused', { keyStart: readKeyStart(header), reason })
}

/** Reads the header without the store, so the key that it returns may be unknown. */
export function readCredential(
  header: string | undefined,
): Exclude<Authentication, { kind: 'principal' }> | { readonly kind: 'key'; readonly key: string } {
  const credential = readAuthorization(header)
  if (credential.kind === 'absent') return { kind: 'anonymous' }
  if (credential.kind === 'malformed') return toRefused(credential.detail, credential.code)
  return { kind: 'key', key: credential.token }
}

function toRefused(
  detail: string,
  code: 'unauthenticated' | 'headers_too_large' = 'unauthenticated',
): Extract<Authentication, { kind: 'refused' }> {
  return { kind: 'refused', refusal: { code, detail } }
}

/** Extends the key's expiry, at most once a day. If the write fails, the next call tries again. */
async function renewKey(ports: Needs, record: KeyRecord, nowMs: number): Promise<void> {
  try {
    await ports.keys.renew({
      keyHash: record.keyHash,
      expiresAtMs: nowMs + KEY_TTL_MS,
      renewedAtMs: nowMs,
      ifRenewedAtMs: record.renewedAtMs,
    })
  } catch (cause) {
    ports.log.note('warn', 'key-renewal-failed', { uid: record.uid }, cause)
  }
}
