/**
 * Decides whether a request comes from an administrator. Compares digests in constant time, and
 * always with every value that is valid now, so that the time taken reveals nothing. A request
 * without a credential is refused before any secret is read. Bound by docs/service.md, Admin
 * credentials.
 */
import { readAdminCredential } from '../../access/admin-credential.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import type { Ports } from '../../ports.ts'

/**
 * The credentials that a route takes: refresh-tools the internal secret only, all others either.
 */
export type AdminAccess = 'internal-secret' | 'either'

/** Throws `Fault('store_unavailable')` when the secrets cannot be had. */
export async function authenticateAdmin(
  ports: Pick<Ports, 'adminSecrets' | 'digests'>,
  access: AdminAccess,
  headers: { authorization: string | undefined; adminKey: string | undefined },
): Promise<Result<'admin'>> {
  const sent = readAdminCredential(headers)
  if (sent.kind === 'malformed') return refuse(sent.code, sent.detail)
  if (sent.kind === 'absent')
    return refuse('unauthenticated', `Authorization: is missing. ${HOW[access]}`)
  const { internalApiSecrets, adminKeys } = await ports.adminSecrets.read()
  const digest = ports.digests.sha256(sent.token)
  const isInternal = isOneOf(ports, digest, internalApiSecrets)
  const isAdminKey = isOneOf(ports, digest, adminKeys)
  const byInternal = isInternal && sent.kind === 'bearer'
  if (byInternal || (isAdminKey && access === 'either')) return ok('admin')
  return refuse(
    'unauthenticated',
    `Authorization: this credential is not valid here. ${HOW[access]}`,
  )
}

/** Compares with every secret: a loop that stopped at a match would reveal which one it was. */
function isOneOf(
  { digests }: Pick<Ports, 'digests'>,
  digest: string,
  secrets: readonly string[],
): boolean {
  const matches = secrets.map((secret) => digests.equal(digest, digests.sha256(secret)))
  return matches.includes(true)
}

const HOW: Readonly<Record<AdminAccess, string>> = {
  'internal-secret':
    'Send Authorization: Bearer <INTERNAL_API_SECRET>; this route takes nothing else.',
  either: 'Send X-Admin-Key: <ADMIN_KEY>, or Authorization: Bearer <INTERNAL_API_SECRET>.',
}
