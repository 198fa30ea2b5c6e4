/**
 * What the claims of a verified token say about a person who is seen for the first time: mail
 * address, name, tier and groups. A claim may have any type and any length, and is then treated as
 * absent. Bound by docs/issuers/README.md and ADR 0115.
 */
import type { ClaimMap } from '../issuers/issuer.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { isUsername } from './user-names.ts'

/** Characters of a mail address (RFC 5321, section 4.5.3.1, with erratum 1690). */
export const MAIL_CHARS_MAX = 254
/**
 * Only ASCII, and one `@`: letters of other scripts look like Latin ones, and some of them become
 * Latin ones in lower case.
 */
const MAIL_PATTERN = '^[!-?A-~]+@[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$'
export const MAIL_RULE = `must be a mail address such as ada@example.com, of ${MAIL_CHARS_MAX} ASCII characters at most`

const MAIL = new RegExp(MAIL_PATTERN)

/** True for the whole text of a mail address. */
export function isMail(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAIL_CHARS_MAX && MAIL.test(value)
}

/**
 * The mail address in lower case. Undefined unless the issuer says by `email_verified: true` that
 * it has checked the address; any other value, such as the text "true", does not count.
 */
export function readVerifiedMail(claims: JsonObject): string | undefined {
  const mail = readClaim(claims, 'email')
  if (readClaim(claims, 'email_verified') !== true || !isMail(mail)) return undefined
  return mail.toLowerCase()
}

/** True if the address belongs to one of the domains themselves; subdomains do not count. */
export function isOfDomain(mail: string, domains: readonly string[]): boolean {
  const domain = mail.slice(mail.indexOf('@') + 1).toLowerCase()
  return domains.some((one) => one.toLowerCase() === domain)
}

/** The values of a map whose names the claim has, in the order of the map. */
export function findMapped<T>(claims: JsonObject, map: ClaimMap<T> | undefined): readonly T[] {
  if (map === undefined) return []
  const value = readClaim(claims, map.claim)
  const sent = new Set<Json | undefined>(Array.isArray(value) ? value : [value])
  return Object.entries(map.values).flatMap(([name, one]) => (sent.has(name) ? [one] : []))
}

/** Names that the user could have, the best first: each may be taken by another user. */
export function readUsernames(claims: JsonObject): readonly string[] {
  const sent = [readClaim(claims, 'preferred_username'), readClaim(claims, 'email')]
  return sent.flatMap((one) => {
    const name = typeof one === 'string' ? one.replace(/@.*$/su, '').trim() : undefined
    return isUsername(name) ? [name] : []
  })
}

/** A claim of the token itself: `constructor` is no claim of every token. */
function readClaim(claims: JsonObject, name: string): Json | undefined {
  return Object.hasOwn(claims, name) ? claims[name] : undefined
}
