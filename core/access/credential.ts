/**
 * What a caller sent to prove who it is. A door reads it from the Authorization header, and the
 * text of the header goes no further: flows, sessions and other functions of the gateway have the
 * hash of the key and a secret made of it. Bound by docs/service.md, Credentials.
 */
import type { Refusal } from '../errors.ts'
import type { Digests } from '../ports/outside.ts'
import { hashAccessToken, isAccessToken, toAnchorHash } from './access-token.ts'
import { isApiKey, readAuthorization, readKeyStart } from './api-key.ts'
import { toProof, toSealingKey } from './key-proof.ts'
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

/** A key or an access token whose form is right; it may be unknown to the store. */
export type KeyCredential = {
  readonly kind: 'key'
  /** The hash under which the store has the record of the key or of the token. */
  readonly id: string
  /** {@link Principal.sealingKey} of the caller. It must fit the record's proof (key-proof.ts). */
  readonly sealingKey: string
  /** Of what was sent: a login may do less than its key. */
  readonly form: CredentialForm
  /** What a log may show of a refused key (`readKeyStart`). */
  readonly keyStart: string | undefined
  /** Of an identity: its token has the scope to call tools. Every other form may call. */
  readonly mayCall?: boolean
  /** Of an identity: its token has the scope to manage the account. */
  readonly managesAccount?: boolean
}

/** `identity`: a verified token of another issuer. `foreign`: neither a key nor a token of this gateway; perhaps a key of the earlier service. */
export type CredentialForm = 'api-key' | 'access-token' | 'identity' | 'foreign'

export const NO_CREDENTIAL: Credential = { kind: 'anonymous' }

/** Reads an Authorization header, without the store. */
export function readCredential(
  digests: Pick<Digests, 'sha256'>,
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
    id: isAccessToken(sent.token)
      ? hashAccessToken(digests, sent.token)
      : hashKey(digests.sha256, sent.token),
    sealingKey: toSealingKey(digests, sent.token),
    form: readForm(sent.token),
    keyStart,
  }
}

function readForm(token: string): CredentialForm {
  if (isAccessToken(token)) return 'access-token'
  return isApiKey(token) ? 'api-key' : 'foreign'
}

/** True if the credential may only list and read. An identity without a word of it may not call. */
export function isReadOnly({ form, mayCall }: KeyCredential): boolean {
  return form === 'identity' && mayCall !== true
}

/**
 * The credential for later requests of a caller that is authenticated. For an access token it names
 * the anchor of its login, so it stays valid when the token expires, and ends with the login and
 * with its key. What it seals, the next tokens of the same login open.
 */
export function toLaterCredential(
  digests: Pick<Digests, 'sha256'>,
  credential: Credential,
): Credential {
  if (credential.kind !== 'key' || credential.form !== 'access-token') return credential
  return { ...credential, id: toAnchorHash(toProof(digests, credential.sealingKey)) }
}
