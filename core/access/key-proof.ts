/**
 * Proves between functions of the gateway that a caller sent a key or token. A credential has a
 * secret made of what was sent, the *sealing key*; the record of the key has a hash of that secret,
 * the *proof*. So the store and its readers have nothing that makes a credential. Bound by ADR 0113.
 */
import type { Digests } from '../ports/outside.ts'
import { toSealingText } from './access-token.ts'

type Sha256 = Pick<Digests, 'sha256'>

/** The secret of a key, of an access token, or of the handle of a login. It is never stored. */
export function toSealingKey({ sha256 }: Sha256, sent: string): string {
  return sha256(`sealing:${toSealingText(sent)}`)
}

/** The proof for the record of a credential with this sealing key. */
export function toProof({ sha256 }: Sha256, sealingKey: string): string {
  return sha256(sealingKey)
}

/**
 * True if the credential belongs to the record. A key of the earlier service has no proof, because
 * its record was made without the key; the hash alone must do there.
 */
export function isProven(
  digests: Pick<Digests, 'equal' | 'sha256'>,
  { sealingKey }: { readonly sealingKey: string },
  { proof }: { readonly proof?: string },
): boolean {
  return proof === undefined || digests.equal(proof, toProof(digests, sealingKey))
}
