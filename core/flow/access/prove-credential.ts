/**
 * Proves a credential that another function of the gateway has sent, or that a session's record
 * holds. The records of keys and logins have a proof, which `authenticate` compares; the record of
 * an identity has none, so its secret is compared here. Bound by ADR 0113.
 */
import type { Credential } from '../../access/credential.ts'
import { isIdentityId } from '../../access/identity.ts'
import { loadOnce } from '../../cache/load-once.ts'
import type { Ports } from '../../ports/ports.ts'

export type ProveNeeds = Pick<Ports, 'digests'> & {
  readonly logins: Pick<Ports['logins'], 'readSecret'>
}

const loadIdentities = loadOnce(() => import('./admit-identity.ts'))

/** An identity without its secret becomes a refused credential. Throws `Fault` if the store fails. */
export async function proveCredential(ports: ProveNeeds, sent: Credential): Promise<Credential> {
  if (sent.kind !== 'key' || !isIdentityId(sent.id)) return sent
  const { proveIdentity } = await loadIdentities()
  return proveIdentity(ports, sent)
}
