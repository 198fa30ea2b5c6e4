/** The credential of an Authorization header, as a door reads it. */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { type Credential, readCredential } from '../../core/access/credential.ts'

export function credentialOf(authorization: string | undefined): Credential {
  return readCredential(nodeDigests(), authorization)
}
