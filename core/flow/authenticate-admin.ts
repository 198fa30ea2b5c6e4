/**
 * Is this an administrator? Compares digests in constant time; both secrets are always compared, so
 * that time tells nothing. Bound by the spec (Authentication) and design section 4 (Credentials).
 */
import { readAdminCredential } from '../access/admin-credential.ts'
import { ok, type Result, refuse } from '../errors.ts'
import type { Ports } from '../ports.ts'

/** sha256 of each secret that is valid now; rotation will make them lists. */
export type AdminDigests = { readonly internalApiSecret: string; readonly adminKey: string }

/** Which credentials a route takes: refresh-tools the internal secret only, all others either. */
export type AdminAccess = 'internal-secret' | 'either'

export function authenticateAdmin(
  ports: Pick<Ports, 'digests'>,
  secrets: AdminDigests,
  access: AdminAccess,
  headers: { authorization: string | undefined; adminKey: string | undefined },
): Result<'admin'> {
  const sent = readAdminCredential(headers)
  if (sent.kind === 'malformed') return refuse(sent.code, sent.detail)
  if (sent.kind === 'absent')
    return refuse('unauthenticated', `Authorization: is missing. ${HOW[access]}`)
  const digest = ports.digests.sha256(sent.token)
  const isInternal = ports.digests.equal(digest, secrets.internalApiSecret)
  const isAdminKey = ports.digests.equal(digest, secrets.adminKey)
  const byInternal = isInternal && sent.kind === 'bearer'
  if (byInternal || (isAdminKey && access === 'either')) return ok('admin')
  return refuse(
    'unauthenticated',
    `Authorization: this credential is not valid here. ${HOW[access]}`,
  )
}

const HOW: Readonly<Record<AdminAccess, string>> = {
  'internal-secret':
    'Send Authorization: Bearer <INTERNAL_API_SECRET>; this route takes nothing else.',
  either: 'Send X-Admin-Key: <ADMIN_KEY>, or Authorization: Bearer <INTERNAL_API_SECRET>.',
}
