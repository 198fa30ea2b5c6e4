/**
 * An identity: one subject of one issuer, who is one user here. Its record stands beside the API
 * keys, under a hash that no key can have, so that a call by a token reads what a call by a key
 * reads. It has no secret and never expires. Bound by docs/login.md and ADR 0115.
 */
import type { Digests } from '../ports/outside.ts'

/** The beginning of the stored hash of an identity. No hash of a key has a colon. */
export const IDENTITY_HASH_START = 'i:'

/**
 * The id of a subject. Never made of a mail address or a name, which an issuer may give to somebody
 * else. A line feed cannot stand in an issuer's URL, so no two pairs have one text.
 */
export function toIdentityId(
  { sha256 }: Pick<Digests, 'sha256'>,
  { issuer, subject }: { readonly issuer: string; readonly subject: string },
): string {
  return `${IDENTITY_HASH_START}${sha256(`${issuer}\n${subject}`)}`
}
