/**
 * What a caller sent to prove who it is. A door reads it from the Authorization header, and the
 * text of the header goes no further: flows, sessions and other functions of the gateway have the
 * hash of the key and a secret made of it. Bound by docs/service.md, Credentials.
 */
import type { Refusal } from '../errors.ts'
import type { Digests } from '../ports/outside.ts'
import { isApiKey, readAuthorization, readKeyStart } from './api-key.ts'
import type { Principal } from './principal.ts'
import { hashKey } from './sub-key.ts'

export type Credential =
  | { readonly kind: 'anonymous' }
  | KeyCredential
  | {
      readonly kind: 'refused'
      readonly refusal: Refusal & { readonly code: 'unauthenticated' | 'headers_too_large' }
      readonly keyStart: string | undefined
    }

/** A key whose form is right; it may be unknown to the store. */
export type KeyCredential = {
  readonly kind: 'key'
  /** sha256 of the key, base64url; by it the store finds the record. */
  readonly id: string
  /** {@link Principal.sealingKey} of the caller. */
  readonly sealingKey: string
  /** False for another form, which may be a key of the earlier service. */
  readonly isApiKey: boolean
  /** What a log may show of a refused key (`readKeyStart`). */
  readonly keyStart: string | undefined
}

export const NO_CREDENTIAL: Credential = { kind: 'anonymous' }

/** Reads an Authorization header, without the store. */
export function readCredential(
  { sha256 }: Pick<Digests, 'sha256'>,
  header: string | undefined,
): Credential {
  const sent = readAuthorization(header)
  if (sent.kind === 'absent') return NO_CREDENTIAL
  const keyStart = readKeyStart(header)
  if (sent.kind === 'malformed') {
    return { kind: 'refused', refusal: { code: sent.code, detail: sent.detail }, keyStart }
  }
  return {
    kind: 'key',
    id: hashKey(sha256, sent.token),
    sealingKey: sha256(`sealing:${sent.token}`),
    isApiKey: isApiKey(sent.token),
    keyStart,
  }
}

/**
 * The credential for later requests of a caller that is authenticated. It names the record of the
 * key, so it stays valid when a token of the key is renewed, and ends with the key.
 */
export function toLaterCredential(
  credential: Credential,
  { keyHash, sealingKey }: Principal,
): Credential {
  return credential.kind === 'key' ? { ...credential, id: keyHash, sealingKey } : credential
}
