/**
 * An identity: one subject of one issuer, who is one user here. Its record stands beside the API
 * keys, under a hash that no key can have, so that a call by a token reads what a call by a key
 * reads. It has no secret and never expires. Bound by docs/issuers/README.md and ADR 0115.
 */
import type { Refusal } from '../errors.ts'
import type { VerifiedToken } from '../ports/issuers.ts'
import type { Digests } from '../ports/outside.ts'
import type { Identity, KeyRecord } from './principal.ts'

/** The beginning of the stored hash of an identity. No hash of a key has a colon. */
export const IDENTITY_HASH_START = 'i:'

/** The `expiresAtMs` of an identity: never. Its tokens expire, and its issuer ends its logins. */
export const NEVER_MS = Number.MAX_SAFE_INTEGER

/** The most that OpenID Connect Core 1.0, section 2, allows for `sub`, in characters. */
export const SUBJECT_CHARS_MAX = 255
/**
 * Half a surrogate pair is refused, because a digest reads all halves as one character: two
 * subjects would have one id.
 */
const SUBJECT_PATTERN = `^[^\\p{Cc}\\p{Cf}\\p{Cs}]{1,${SUBJECT_CHARS_MAX}}$`
export const SUBJECT_RULE = `must be 1 to ${SUBJECT_CHARS_MAX} characters, none of them a control or format character`

/**
 * Makes or finds the user of an identity that has no record, and writes the record. Returns a
 * refusal if the issuer's people need an administrator for it.
 */
export type ProvisionIdentity = (token: VerifiedToken, id: string) => Promise<Refusal | undefined>

/**
 * The id of a subject. Never made of a mail address or a name, which an issuer may give to somebody
 * else. A line feed cannot stand in an issuer's URL, so no two pairs have one text.
 */
export function toIdentityId(
  { sha256 }: Pick<Digests, 'sha256'>,
  { issuer, subject }: Identity,
): string {
  return `${IDENTITY_HASH_START}${sha256(`${issuer}\n${subject}`)}`
}

/**
 * The sealing key of an identity. It has no secret of its own, so the key is made of the login
 * secret, which no record of the identity has.
 */
export function toIdentitySealingKey(
  { sha256 }: Pick<Digests, 'sha256'>,
  loginSecret: string,
  id: string,
): string {
  return sha256(`sealing:${loginSecret}\n${id}`)
}

const IDENTITY_ID = /^i:[A-Za-z0-9_-]{43}$/

/** True for the id of an identity, which is also the `keyHash` of its record. */
export function isIdentityId(value: unknown): value is string {
  return typeof value === 'string' && IDENTITY_ID.test(value)
}

const SUBJECT = new RegExp(SUBJECT_PATTERN, 'u')

/** True for a subject that may be linked. */
export function isSubject(value: unknown): value is string {
  return typeof value === 'string' && SUBJECT.test(value)
}

/** The record of an identity. `identity` is unknown if an administrator linked it by its id. */
export function toIdentityRecord(of: {
  readonly id: string
  readonly identity: Identity | undefined
  readonly user: { readonly uid: string; readonly username: string }
  readonly nowMs: number
}): KeyRecord {
  const { id, identity, nowMs, user } = of
  return {
    keyHash: id,
    uid: user.uid,
    username: user.username,
    keyPrefix: identity === undefined ? UNKNOWN_HOST : toIssuerHost(identity.issuer),
    createdAtMs: nowMs,
    expiresAtMs: NEVER_MS,
    renewedAtMs: nowMs,
    ...(identity === undefined ? {} : { identity }),
  }
}

/** What lists show in place of a host. */
const UNKNOWN_HOST = 'identity'

/** The host of an issuer's URL, with its port: `https://login.example.com/t1` → login.example.com. */
function toIssuerHost(issuer: string): string {
  return /^[a-z]+:\/\/([^/?#]+)/.exec(issuer)?.[1] ?? UNKNOWN_HOST
}

/** 132 bits of the id, so that a uid and a username have room for it. */
const UID_HASH_CHARS = 22

/**
 * The uid of the user who is made for an identity. The same identity always gets the same uid, so a
 * first call that is repeated finds what an earlier one made.
 */
export function toProvisionedUid(id: string): string {
  const start = IDENTITY_HASH_START.length
  return `i-${id.slice(start, start + UID_HASH_CHARS)}`
}

/** The refusal of a subject who is nobody here; the text tells an administrator how to link it. */
export function refuseUnlinked(id: string, why = 'no user belongs to it'): Refusal {
  const detail = `Authorization: your login is valid, but its identity ${id} has no user here: ${why}. Ask the administrator of this gateway to link that identity to a user.`
  return { code: 'forbidden', detail }
}
