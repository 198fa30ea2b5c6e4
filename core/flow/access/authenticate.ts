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
import { isProven } from '../../access/key-proof.ts'
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
  const { parent, record } = await findFamily(ports, credential)
  const nowMs = ports.clock.nowMs()
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
 * True if the caller of an open stream may stay: its key or login has not ended. It reads what a
 * call reads, from the cache of 30 s; it renews and logs nothing, because no request has come.
 */
export async function mayStay(
  ports: Pick<Needs, 'clock' | 'digests' | 'keys'>,
  credential: Credential,
): Promise<boolean> {
  if (credential.kind !== 'key') return true
  const { parent, record } = await findFamily(ports, credential)
  return record !== undefined && record.expiresAtMs > ports.clock.nowMs() && parent !== 'ended'
}

async function findFamily(ports: Pick<Needs, 'clock' | 'digests' | 'keys'>, of: KeyCredential) {
  const record = await findRecord(ports, of)
  return { record, parent: await findParent(ports, record) }
}

/**
 * The record of the credential; undefined also for a credential without the secret of its key. An
 * anchor gives what the key's record has now, within the expiry of its own. Costs a second read for
 * an anchor alone.
 */
async function findRecord(
  { digests, keys }: Pick<Needs, 'digests' | 'keys'>,
  credential: KeyCredential,
): Promise<KeyRecord | undefined> {
  const found = await keys.find(credential.id)
  if (found === undefined || !isProven(digests, credential, found)) return undefined
  if (found.anchor === undefined) return found
  const { expiresAtMs, login } = found
  const key = await keys.find(found.keyHash)
  if (key === undefined || key.uid !== found.uid || login === undefined) return undefined
  return { ...key, login, expiresAtMs: Math.min(expiresAtMs, key.expiresAtMs) }
}

/**
 * The key that issued a sub-key, read like the key itself. A parent that is revoked, expires or may
 * no longer issue keys ends its sub-keys when its record leaves the cache. Costs no read for other
 * keys.
 */
async function findParent(
  { clock, keys }: Pick<Needs, 'clock' | 'keys'>,
  record: KeyRecord | undefined,
): Promise<KeyRecord | 'ended' | undefined> {
  if (record?.parentHash === undefined) return undefined
  const parent = await keys.find(record.parentHash)
  if (parent === undefined || parent.uid !== record.uid) return 'ended'
  const mayIssue = parent.parentHash === undefined && parent.scope?.mayIssueKeys === true
  return mayIssue && parent.expiresAtMs > clock.nowMs() ? parent : 'ended'
}

function toPrincipal(
  { keyHash, login, parentHash, scope: own, uid, username, v0 }: KeyRecord,
  credential: KeyCredential,
  parent: KeyRecord | undefined,
): Principal {
  const { sealingKey } = credential
  const whole = parent === undefined ? own : narrowScope(own, parent.scope)
  const scope = login === undefined ? whole : toLoginScope(whole)
  return {
    uid,
    keyHash,
    sealingKey,
    username,
    ...(scope === undefined ? {} : { scope }),
    ...(parentHash === undefined ? {} : { parentHash }),
    ...(v0 === undefined ? {} : { v0 }),
    ...(isReadOnly(credential) ? { isReadOnly: true } : {}),
    ...(credential.managesAccount === true ? { managesAccount: true } : {}),
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
