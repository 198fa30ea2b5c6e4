/**
 * Reads the credential that an administrator sent: `Authorization: Bearer` or `X-Admin-Key`.
 * Refuses a request that has both headers, since two different credentials would name two callers.
 * Also checks that a configured secret can be sent in its header. This file compares no digests:
 * core/flow/access/authenticate-admin.ts does. Bound by docs/service.md, Admin credentials.
 */
import { AUTHORIZATION_BYTES_MAX, readAuthorization } from './api-key.ts'
import { type Placeholder, readPlaceholder } from './placeholder.ts'

export type AdminCredential =
  | { readonly kind: 'absent' }
  /** The token may be the internal secret or the admin key. */
  | { readonly kind: 'bearer'; readonly token: string }
  /** The token may be the admin key only. */
  | { readonly kind: 'admin-key'; readonly token: string }
  | {
      readonly kind: 'malformed'
      readonly code: 'unauthenticated' | 'headers_too_large'
      readonly detail: string
    }

/** Visible ASCII without a comma, because a proxy joins two headers of one name with a comma. */
const ADMIN_KEY = /^[\x21-\x2b\x2d-\x7e]+$/

/** RFC 6750 `b64token`. Every client and proxy carries these characters unchanged. */
const B64_TOKEN = /^[A-Za-z0-9._~+/-]+=*$/

export type AdminSecretKind = 'internal-api-secret' | 'admin-key'

/** Characters. A shorter secret can be guessed online within the API's own request rate. */
export const ADMIN_SECRET_CHARS_MIN = 16

/** Header values as received. Returns `malformed` with the code and detail of the refusal. */
export function readAdminCredential(headers: {
  authorization: string | undefined
  adminKey: string | undefined
}): AdminCredential {
  if (headers.adminKey === undefined) return readAuthorization(headers.authorization)
  if (headers.authorization !== undefined) {
    return malformed('X-Admin-Key: came together with Authorization; send one of them')
  }
  return readAdminKey(headers.adminKey)
}

/**
 * Returns why no administrator could send this secret and what to set instead, or undefined if the
 * secret can be sent. The readers of secrets log the text; otherwise the mistake would only show up
 * as a 401. The text never repeats the secret.
 */
export function explainUnsendableSecret(kind: AdminSecretKind, value: string): string | undefined {
  if (value.length < ADMIN_SECRET_CHARS_MIN) {
    return `is too short; give ${ADMIN_SECRET_CHARS_MIN} characters or more`
  }
  if (readPlaceholder(value) !== undefined) {
    return 'is a placeholder that was not expanded; give the secret itself'
  }
  const isInternal = kind === 'internal-api-secret'
  const sent = isInternal ? readAuthorization(`Bearer ${value}`) : readAdminKey(value)
  const isCarried = !isInternal || B64_TOKEN.test(value)
  if (isCarried && 'token' in sent && sent.token === value) return undefined
  const within = `in a header of at most ${AUTHORIZATION_BYTES_MAX} bytes`
  return isInternal
    ? `cannot be sent as Bearer; give letters, digits and ._~+/- ${within}`
    : `cannot be sent as X-Admin-Key; give visible ASCII without a comma ${within}`
}

function readAdminKey(header: string): AdminCredential {
  if (header.length > AUTHORIZATION_BYTES_MAX) {
    const detail = `X-Admin-Key: is over ${AUTHORIZATION_BYTES_MAX} bytes; send the admin key alone`
    return { kind: 'malformed', code: 'headers_too_large', detail }
  }
  const token = header.trim()
  const placeholder = readPlaceholder(token)
  if (placeholder !== undefined) return malformed(explainAdminPlaceholder(placeholder))
  if (ADMIN_KEY.test(token)) return { kind: 'admin-key', token }
  return malformed('X-Admin-Key: is empty, or not one key; send the admin key alone, once')
}

function explainAdminPlaceholder({ shown, variable }: Placeholder): string {
  return variable === undefined
    ? `X-Admin-Key: holds ${shown} of an example; put the admin key in its place, without the brackets`
    : `X-Admin-Key: holds ${shown} and not its value; set ${variable}, or send the admin key itself`
}

function malformed(detail: string): AdminCredential {
  return { kind: 'malformed', code: 'unauthenticated', detail }
}
