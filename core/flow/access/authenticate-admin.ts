/**
 * Decides which administrator a request comes from. A named key is looked up by its digest. The two
 * secrets are compared by digest in constant time with every value that is valid now, so that the
 * time taken reveals nothing. A bearer that is none of these may be a token of an issuer. A request
 * without a credential is refused before any read. Bound by docs/service.md, Admin credentials.
 */
import { readAdminCredential } from '../../access/admin-credential.ts'
import { isAdminKey, isAdminKeyExpired } from '../../access/admin-key.ts'
import { toAdminPerson } from '../../access/admin-person.ts'
import { type Administrator, type AdminRole, roleAllows } from '../../access/admin-role.ts'
import { err, ok, type Refusal, type Result, refuse } from '../../errors.ts'
import { toUtcDay } from '../../json/utc-time.ts'
import type { Ports } from '../../ports/ports.ts'
import type { AccessRemedy } from '../../remedies/remedy.ts'

/** The credentials that a route accepts: refresh-tools only the internal secret, all others any. */
export type AdminAccess = 'internal-secret' | 'either'

type Needs = Pick<Ports, 'adminKeys' | 'adminSecrets' | 'clock' | 'digests' | 'tokenVerifier'>

/** `reason` is a word for the log: which check of a token failed. No answer has it. */
export type AdminRefusal = Refusal & { readonly reason?: string }

/**
 * Refuses with `unauthenticated`, or with `forbidden` a person to whom no role is given. Throws
 * `Fault('store_unavailable')` if the secrets or the key cannot be read, and
 * `Fault('issuer_unavailable')` if a token cannot be checked.
 */
export async function authenticateAdmin(
  ports: Needs,
  access: AdminAccess,
  headers: { authorization: string | undefined; adminKey: string | undefined },
): Promise<Result<Administrator, AdminRefusal>> {
  const sent = readAdminCredential(headers)
  if (sent.kind === 'malformed') return refuse(sent.code, sent.detail)
  if (sent.kind === 'absent')
    return refuse('unauthenticated', 'Authorization: is missing.', { remedy: REMEDIES[access] })
  const digest = ports.digests.sha256(sent.token)
  if (isAdminKey(sent.token) && access === 'either') {
    const named = await findNamedKey(ports, digest)
    if (named !== undefined) return named
  }
  // A configured secret may have the form of a named key or of a token, so those are compared too.
  const { internalApiSecrets, adminKeys } = await ports.adminSecrets.read()
  const isInternal = isOneOf(ports, digest, internalApiSecrets)
  const isAdmin = isOneOf(ports, digest, adminKeys)
  if (isInternal && sent.kind === 'bearer') return ok(toBreakGlassAdmin('internal-secret'))
  if (isAdmin && access === 'either') return ok(toBreakGlassAdmin('admin-key'))
  const person = sent.kind === 'bearer' ? await findPerson(ports, access, sent.token) : undefined
  const detail = 'Authorization: this credential is not valid here.'
  return person ?? refuse('unauthenticated', detail, { remedy: REMEDIES[access] })
}

/** Returns undefined if the route takes no tokens, or no issuer makes tokens of this form. */
async function findPerson(
  { digests, tokenVerifier }: Needs,
  access: AdminAccess,
  token: string,
): Promise<Result<Administrator, AdminRefusal> | undefined> {
  if (access === 'internal-secret') return undefined
  const verified = await tokenVerifier.verify(token, 'admin')
  switch (verified.kind) {
    case 'verified':
      return toAdminPerson(digests, verified.token)
    case 'not_a_token':
      return undefined
    case 'refused': {
      const detail = 'Authorization: this token is not valid here, or has expired.'
      const remedy = { code: 'sign_in' } as const
      return err({ code: 'unauthenticated', detail, remedy, reason: verified.reason })
    }
    default:
      return verified satisfies never
  }
}

/** Refuses with `forbidden` and names the role that the route needs. */
export function requireRole(admin: Administrator, needed: AdminRole): Result<undefined> {
  if (roleAllows(admin.role, needed)) return ok(undefined)
  const detail = `This needs the role ${needed}, and ${admin.name} has the role ${admin.role}.`
  return admin.kind === 'person'
    ? refuse(
        'forbidden',
        `${detail} A claim of your token gives the role; ask who manages your account.`,
      )
    : refuse('forbidden', detail, { remedy: { code: 'get_role', role: needed } })
}

/** Records the day on which a named key was last used: at most one write a day for each key. */
export async function recordAdminUse(
  ports: Pick<Ports, 'adminKeys' | 'clock'>,
  admin: Administrator,
): Promise<void> {
  const day = toUtcDay(ports.clock.nowMs())
  if (admin.kind !== 'key' || (admin.lastUsedDay ?? '') >= day) return
  await ports.adminKeys.noteUse({ keyId: admin.keyId, day })
}

/** Returns undefined if the key does not exist. */
async function findNamedKey(
  { adminKeys, clock }: Needs,
  keyId: string,
): Promise<Result<Administrator> | undefined> {
  const key = await adminKeys.find(keyId)
  if (key === undefined) return undefined
  if (isAdminKeyExpired(key, clock.nowMs())) {
    return refuse(
      'unauthenticated',
      `Authorization: the admin key ${key.name} has expired. Ask an owner for a new one.`,
    )
  }
  const { expiresAtMs, lastUsedDay, name, role } = key
  return ok({ kind: 'key', name, role, keyId, expiresAtMs, lastUsedDay })
}

function toBreakGlassAdmin(secret: 'internal-secret' | 'admin-key'): Administrator {
  return { kind: 'break-glass', name: `break-glass:${secret}`, role: 'owner' }
}

/**
 * Compares with every secret, because a loop that stops at a match would reveal which one it was.
 */
function isOneOf(
  { digests }: Pick<Ports, 'digests'>,
  digest: string,
  secrets: readonly string[],
): boolean {
  const matches = secrets.map((secret) => digests.equal(digest, digests.sha256(secret)))
  return matches.includes(true)
}

const REMEDIES: Readonly<Record<AdminAccess, AccessRemedy>> = {
  'internal-secret': { code: 'send_internal_secret' },
  either: { code: 'send_credential' },
}
