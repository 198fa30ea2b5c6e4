/**
 * POST users/{uid}/identities: links an identity of an issuer to a user, or invites the person who
 * has a mail address there, or withdraws that invitation. Unlinking is `revokeKey` of the identity's record. Bound by
 * docs/admin-api.md, POST users/{uid}/identities, and ADR 0115.
 */
import {
  isIdentityId,
  isSubject,
  SUBJECT_RULE,
  toIdentityId,
  toIdentityRecord,
} from '../../access/identity.ts'
import { isMail, MAIL_RULE } from '../../access/identity-claims.ts'
import { INVITE_LIFE_MS, isOpenInvite, toInviteId } from '../../access/identity-invite.ts'
import type { Identity } from '../../access/principal.ts'
import { refuseUnknownUser } from '../../access/user-names.ts'
import { isBeingDeleted } from '../../access/user-state.ts'
import { Fault, type FieldError, ok, type Result, refuse } from '../../errors.ts'
import type { Issuer } from '../../issuers/issuer.ts'
import { readBodyFields, refuseBody } from '../../json/body-fields.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import type { Ports } from '../../ports/ports.ts'
import { refuseUserBeingDeleted } from './manage-users.ts'

/** Tries against other changes of one invitation; few run at once. */
export const INVITE_TRIES_MAX = 10

export const IDENTITY_ID_RULE = 'must be i: and 43 characters of A-Z, a-z, 0-9, - and _'
export const IDENTITY_FORMS =
  'send {"issuer", "subject"} or {"identity"} to link, {"issuer", "email"} to invite, or {"issuer", "email", "withdraw": true} to withdraw the invitation'

type Needs = Pick<Ports, 'clock' | 'digests' | 'identityInvites' | 'keys' | 'profiles'>

/** `keyId` of a linked identity, or the end of an invitation; a withdrawn one ends now. */
export type IdentityAnswer = { readonly keyId: string } | { readonly expiresAtMs: number }

type Sent =
  | { readonly kind: 'link'; readonly id: string; readonly identity: Identity | undefined }
  | { readonly kind: 'invite' | 'withdraw'; readonly issuer: string; readonly email: string }

/**
 * Refuses with `not_found` an unknown user, and with `conflict` an identity of another user. The
 * same link sent again is answered in the same way; the same invitation waits for another
 * INVITE_LIFE_MS.
 */
export async function addIdentity(
  ports: Needs,
  issuers: readonly Issuer[],
  { body, uid }: { readonly uid: string; readonly body: Json },
): Promise<Result<IdentityAnswer>> {
  const read = readIdentity(ports, issuers, body)
  if (!read.ok) return read
  const user = await ports.profiles.read(uid)
  if (user === undefined) return refuseUnknownUser(uid)
  if (isBeingDeleted(user)) return refuseUserBeingDeleted()
  const sent = read.value
  if (sent.kind !== 'link') {
    return sent.kind === 'invite' ? invite(ports, uid, sent) : withdraw(ports, uid, sent)
  }
  const { id, identity } = sent
  const record = toIdentityRecord({ id, identity, user, nowMs: ports.clock.nowMs() })
  const linked = await ports.keys.putIdentity({ record })
  if (linked === undefined) throw new Fault('internal', 'identity: refused without an invitation')
  return linked.uid === uid ? ok({ keyId: id }) : refuseLinked(linked.uid, id)
}

function refuseLinked(uid: string, id: string): Result<never> {
  return refuse('conflict', `identity: is linked to the user ${uid}.`, {
    remedy: { code: 'unlink_identity', uid, keyId: id },
  })
}

/** The latest invitation of an address counts, whoever it is for. */
async function invite(
  ports: Needs,
  uid: string,
  address: Parameters<typeof toInviteId>[1],
): Promise<Result<IdentityAnswer>> {
  const id = toInviteId(ports.digests, address)
  const expiresAtMs = ports.clock.nowMs() + INVITE_LIFE_MS
  for (let tries = 1; tries <= INVITE_TRIES_MAX; tries += 1) {
    const before = await ports.identityInvites.find(id)
    const version = (before?.version ?? 0) + 1
    if (await ports.identityInvites.put({ id, uid, expiresAtMs, version })) {
      return ok({ expiresAtMs })
    }
  }
  throw metOthers()
}

/**
 *   withdraw:  invitation read, open ── put as ended, if as read ✔         its use finds it ended
 *   its use:         └── invitation used + record ✔ ── put refused ── read again: not open, refused
 */
async function withdraw(
  ports: Needs,
  uid: string,
  address: Parameters<typeof toInviteId>[1],
): Promise<Result<IdentityAnswer>> {
  const id = toInviteId(ports.digests, address)
  for (let tries = 1; tries <= INVITE_TRIES_MAX; tries += 1) {
    const before = await ports.identityInvites.find(id)
    const nowMs = ports.clock.nowMs()
    if (before === undefined || before.uid !== uid || !isOpenInvite(before, nowMs)) {
      return refuse('not_found', `email: has no open invitation for the user ${uid}.`, {
        remedy: { code: 'end_used_invite', uid },
      })
    }
    const ended = { id, uid, expiresAtMs: nowMs, version: before.version + 1 }
    if (await ports.identityInvites.put(ended)) return ok({ expiresAtMs: nowMs })
  }
  throw metOthers()
}

function metOthers(): Fault {
  return new Fault('store_unavailable', `invitation: met other changes ${INVITE_TRIES_MAX} times`)
}

function readIdentity(
  ports: Pick<Ports, 'digests'>,
  issuers: readonly Issuer[],
  body: Json,
): Result<Sent> {
  const fields = readBodyFields(body, ['issuer', 'subject', 'identity', 'email', 'withdraw'])
  if (!fields.ok) return fields
  switch (Object.keys(fields.value).sort().join()) {
    case 'identity':
      return readId(fields.value)
    case 'issuer,subject':
      return readSubject(ports, issuers, fields.value)
    case 'email,issuer':
    case 'email,issuer,withdraw':
      return readAddress(issuers, fields.value)
    default:
      return refuse('malformed', `body: names no identity; ${IDENTITY_FORMS}.`)
  }
}

function readId({ identity }: JsonObject): Result<Sent> {
  if (isIdentityId(identity)) return ok({ kind: 'link', id: identity, identity: undefined })
  return refuseBody([{ pointer: '/identity', message: IDENTITY_ID_RULE }])
}

function readSubject(
  ports: Pick<Ports, 'digests'>,
  issuers: readonly Issuer[],
  fields: JsonObject,
): Result<Sent> {
  const { issuer, subject } = fields
  const faults = findIssuerFaults(issuers, fields, 'link')
  if (!isSubject(subject)) faults.push({ pointer: '/subject', message: SUBJECT_RULE })
  if (faults.length > 0 || typeof issuer !== 'string' || !isSubject(subject))
    return refuseBody(faults)
  const identity = { issuer, subject }
  return ok({ kind: 'link', id: toIdentityId(ports.digests, identity), identity })
}

function readAddress(issuers: readonly Issuer[], fields: JsonObject): Result<Sent> {
  const { email, issuer, withdraw: isWithdrawn } = fields
  const faults = findIssuerFaults(issuers, fields, 'invite')
  if (!isMail(email)) faults.push({ pointer: '/email', message: MAIL_RULE })
  if (isWithdrawn !== undefined && isWithdrawn !== true) {
    faults.push({ pointer: '/withdraw', message: 'must be true, or left out' })
  }
  if (faults.length > 0 || typeof issuer !== 'string' || !isMail(email)) return refuseBody(faults)
  return ok({ kind: isWithdrawn === true ? 'withdraw' : 'invite', issuer, email })
}

/** An invitation of an issuer that takes linked subjects alone would never be used. */
function findIssuerFaults(
  issuers: readonly Issuer[],
  { issuer }: JsonObject,
  use: Sent['kind'],
): FieldError[] {
  const found = issuers.find((one) => one.issuer === issuer)
  if (found === undefined) {
    const known = issuers.map((one) => one.issuer).join(', ')
    const message = `is none of the issuers of this stage: ${known === '' ? 'it has none' : known}`
    return [{ pointer: '/issuer', message }]
  }
  if (use === 'link' || found.provision !== 'off') return []
  const message = 'takes no invitations: its provision is off; link a subject, or set it to invite'
  return [{ pointer: '/issuer', message }]
}
