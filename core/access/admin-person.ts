/**
 * A person who signs in to the admin API by the token of an issuer. The token's claim gives the
 * role at each request, so no record of the person is kept. Makes no administrator of a token that
 * gives no role. Bound by docs/service.md, Admin credentials, and ADR 0118.
 */
import { ok, type Result, refuse } from '../errors.ts'
import type { ClaimMap } from '../issuers/issuer.ts'
import { removeHiddenText } from '../json/hidden-text.ts'
import type { Json, JsonObject } from '../json/json.ts'
import type { VerifiedToken } from '../ports/issuers.ts'
import type { Digests } from '../ports/outside.ts'
import { ADMIN_ROLES, type AdminPerson, type AdminRole } from './admin-role.ts'
import { toIdentityId } from './identity.ts'

/** Characters of a person's name in the trail and in messages, as many as of a key's name. */
export const ADMIN_PERSON_NAME_CHARS_MAX = 64
/** Values that a refusal names, so that it stays readable. */
const VALUES_SHOWN_MAX = 10

/**
 * Returns the administrator. Refuses with `forbidden` a token whose claim gives no role; the text
 * names the claim and the values that give one, and repeats nothing of the token.
 */
export function toAdminPerson(
  digests: Pick<Digests, 'sha256'>,
  { claims, expiresAtMs, issuer, subject }: VerifiedToken,
): Result<AdminPerson> {
  const roleOf = issuer.admin?.roleOf
  const role = roleOf === undefined ? undefined : findRole(roleOf, claims)
  if (role === undefined) return refuse('forbidden', explainNoRole(issuer.issuer, roleOf))
  const identityId = toIdentityId(digests, { issuer: issuer.issuer, subject })
  return ok({ kind: 'person', name: toName(claims, subject), role, identityId, expiresAtMs })
}

/** Returns the first role of ADMIN_ROLES that a value of the claim gives. */
function findRole(
  { claim, values }: ClaimMap<AdminRole>,
  claims: JsonObject,
): AdminRole | undefined {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  const sent: readonly Json[] = Array.isArray(value) ? value : value === undefined ? [] : [value]
  const given = new Set(
    sent.flatMap((one) =>
      typeof one === 'string' && Object.hasOwn(values, one) ? [values[one]] : [],
    ),
  )
  return ADMIN_ROLES.find((role) => given.has(role))
}

function explainNoRole(issuer: string, roleOf: ClaimMap<AdminRole> | undefined): string {
  const values = Object.keys(roleOf?.values ?? {})
  const shown = values.slice(0, VALUES_SHOWN_MAX).map((value) => `"${value}"`)
  const more = values.length > shown.length ? ', …' : ''
  return `You have no role here. The claim ${roleOf?.claim} of a token of ${issuer} gives one if it has ${shown.join(' or ')}${more}. Ask who manages your account there to add one, then sign in again.`
}

/**
 * A verified mail address, else the name that the person chose, else the subject. A colon would
 * look like the name of one of the two secrets.
 */
function toName(claims: JsonObject, subject: string): string {
  const { email, email_verified: isVerified, preferred_username: chosen } = claims
  const candidates = [isVerified === true ? email : undefined, chosen, subject]
  const names = candidates.flatMap((one) => (typeof one === 'string' ? [cleanName(one)] : []))
  return names.find((name) => name !== '') ?? 'person'
}

function cleanName(text: string): string {
  const line = removeHiddenText(text.toWellFormed().replaceAll(/\s+/g, ' ')).trim()
  return [...line.replaceAll(':', '_')].slice(0, ADMIN_PERSON_NAME_CHARS_MAX).join('')
}
