/**
 * An invitation: the first person who comes from an issuer with this verified mail address becomes
 * that user. The address is used once and never stored: the record has a digest of it. Bound by
 * docs/issuers/README.md and ADR 0115.
 */
import { DAY_MS } from '../json/utc-time.ts'
import type { Digests } from '../ports/outside.ts'

/** How long an invitation waits for its first login. */
export const INVITE_LIFE_MS = 30 * DAY_MS

export type IdentityInvite = {
  readonly id: string
  readonly uid: string
  readonly expiresAtMs: number
  /** Each write adds one. */
  readonly version: number
  /** The identity that used it. */
  readonly usedBy?: string
}

/** The id of an invitation. Upper and lower case do not distinguish addresses. */
export function toInviteId(
  { sha256 }: Pick<Digests, 'sha256'>,
  { email, issuer }: { readonly issuer: string; readonly email: string },
): string {
  return sha256(`${issuer}\n${email.toLowerCase()}`)
}

/** True if the invitation waits for somebody. */
export function isOpenInvite(invite: IdentityInvite, nowMs: number): boolean {
  return invite.usedBy === undefined && invite.expiresAtMs > nowMs
}
