/**
 * Finds the user whom a verified token names. Bound by docs/login.md and ADR 0115.
 */
import type { KeyCredential } from '../../access/credential.ts'
import { toIdentityId } from '../../access/identity.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import type { VerifiedToken } from '../../ports/issuers.ts'
import type { Ports } from '../../ports/ports.ts'

type Needs = Pick<Ports, 'digests' | 'keys' | 'logins'>

/**
 * Returns the credential of the identity: the same for all tokens of a subject. Refuses with
 * `forbidden` and names the identity, so that an administrator can link it.
 */
export async function admitIdentity(
  { digests, keys, logins }: Needs,
  { issuer, subject }: VerifiedToken,
): Promise<Result<KeyCredential>> {
  const id = toIdentityId(digests, { issuer: issuer.issuer, subject })
  if ((await keys.find(id)) === undefined) {
    const detail = `Authorization: no user belongs to the identity ${id} yet. Ask your administrator to link it.`
    return refuse('forbidden', detail)
  }
  const sealingKey = digests.sha256(`sealing:${await logins.secret()}\n${id}`)
  return ok({ kind: 'key', id, sealingKey, form: 'identity', keyStart: undefined })
}
