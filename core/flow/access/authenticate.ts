/**
 * Turns a credential into a principal. A malformed header is refused before any read. A token of
 * any form is looked up by its hash, because keys of the earlier service have other
 * forms (admit-token.ts limits those look-ups). An expired record is treated as absent. Bound by
 * docs/service.md, Credentials.
 */
import { isKeyExpired, KEY_TTL_MS, mustRenewKey } from '../../access/api-key.ts'
import {
  type Credential,
  type CredentialForm,
  isReadOnly,
  type KeyCredential,
} from '../../access/credential.ts'
import { toLoginScope } from '../../access/key-scope.ts'
import type { KeyRecord, Principal } from '../../access/principal.ts'
import { narrowScope } from '../../access/sub-key.ts'
import type { Refusal } from '../../errors.ts'
import { CALL_SCOPE } from '../../login/token-scopes.ts'
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

const UNKNOWN_IDENTITY: Refusal = {
  code: 'unauthenticated',
  detail: 'Authorization: this user of your login is not linked any more. Ask your administrator.',
}

/** The token has not the form of our keys and is no key of the earlier service. */
export const NOT_AN_API_KEY: Refusal = {
  code: 'unauthenticated',
  detail:
    'Authorization: this is not a Skillgate API key (sgk_ and 43 characters). Ask your administrator for one.',
}

const UNKNOWN: { readonly [form in CredentialForm]: Refusal } = {
  'api-key': UNKNOWN_KEY,
  'access-token': UNKNOWN_TOKEN,
  identity: UNKNOWN_IDENTITY,
  foreign: NOT_AN_API_KEY,
}

/** A call that needs a user came without a credential. */
export const KEY_MISSING: Refusal = {
  code: 'unauthenticated',
  detail: 'Authorization: is missing. Send Authorization: Bearer <API key>.',
}

/** The access token may list and read only. */
export const CALL_SCOPE_MISSING: Refusal = {
  code: 'insufficient_scope',
  detail: `Authorization: your access token has no scope ${CALL_SCOPE}. Log in again and allow it.`,
}

type Needs = Pick<Ports, 'clock' | 'digests' | 'keys' | 'log'>

/**
 * Refuses with `unauthenticated` or `headers_too_large`. Throws `Fault` if the store does not
 * answer.
 */
export async function authenticate(ports: Needs, credential: Credential): Promise<Authentication> {
  if (credential.kind === 'refused') logRefusedKey(ports, credential, 'malformed')
  if (credential.kind !== 'key') return credential
  const record = await ports.keys.find(credential.id)
  const nowMs = ports.clock.nowMs()
  const parent = await findParent(ports, record)
  if (record === undefined || record.expiresAtMs <= nowMs || parent === 'ended') {
    logRefusedKey(ports, credential, record === undefined ? 'unknown' : 'expired')
    return { kind: 'refused', refusal: UNKNOWN[credential.form] }
  }
  // A token is never renewed: its client gets another one.
  const isKey = record.login === undefined
  if (isKey && mustRenewKey(record, nowMs)) await renewKey(ports, record, nowMs)
  return { kind: 'principal', principal: toPrincipal(record, credential, parent) }
}

/**
 * The key that issued a sub-key, read like the key itself. A parent that is revoked, expires or may
 * no longer issue keys ends its sub-keys when its record leaves the cache. Costs no read for other
 * keys.
 */
async function findParent(
  { clock, keys }: Needs,
  record: KeyRecord | undefined,
): Promise<KeyRecord | 'ended' | undefined> {
  if (record?.parentHash === undefined) return undefined
  const parent = await keys.find(record.parentHash)
  if (parent === undefined || parent.uid !== record.uid) return 'ended'
  const mayIssue = parent.parentHash === undefined && parent.scope?.mayIssueKeys === true
  return mayIssue && parent.expiresAtMs > clock.nowMs() ? parent : 'ended'
}

function toPrincipal(
  { keyHash, parentHash, scope: own, uid, username, v0 }: KeyRecord,
  credential: KeyCredential,
  parent: KeyRecord | undefined,
): Principal {
  const { form, sealingKey } = credential
  const whole = parent === undefined ? own : narrowScope(own, parent.scope)
  const scope = form === 'access-token' ? toLoginScope(whole) : whole
  return {
    uid,
    keyHash,
    sealingKey,
    username,
    ...(scope === undefined ? {} : { scope }),
    ...(parentHash === undefined ? {} : { parentHash }),
    ...(v0 === undefined ? {} : { v0 }),
    ...(isReadOnly(credential) ? { isReadOnly: true } : {}),
  }
}

/**
 * Logs the same event at every door, so that the owner of a refused key finds which key it was.
 */
export function logRefusedKey(
  ports: Pick<Ports, 'log'>,
  credential: Credential,
  reason: string,
): void {
  const keyStart = credential.kind === 'anonymous' ? undefined : credential.keyStart
  ports.log.note('info', 'key-refused', { keyStart, reason })
}

/**
 * Returns the id of the caller's credential, which stays the same when a token of it is renewed.
 * Undefined without a readable one. If the store fails, or has no valid record, it is the hash of
 * what was sent, which is the id of an API key. Logs nothing.
 */
export async function findCredentialId(
  { clock, keys }: Pick<Needs, 'clock' | 'keys'>,
  credential: Credential,
): Promise<string | undefined> {
  if (credential.kind !== 'key') return undefined
  const record = await keys.find(credential.id).catch(() => undefined)
  // The records of ended tokens name nobody, so all of them would be one caller.
  if (record === undefined || isKeyExpired(record, clock.nowMs())) return credential.id
  return record.keyHash
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
