/**
 * Which credential an administrator sent: `Authorization: Bearer`, or `X-Admin-Key`. One and only
 * one, since two that disagree would leave open who asked. The flow compares digests; nothing here
 * knows a secret. Bound by design section 4 (Credentials).
 */
import { AUTHORIZATION_BYTES_MAX, readAuthorization } from './api-key.ts'

export type AdminCredential =
  | { readonly kind: 'absent' }
  /** May be the internal secret or the admin key. */
  | { readonly kind: 'bearer'; readonly token: string }
  /** May be the admin key only. */
  | { readonly kind: 'admin-key'; readonly token: string }
  | {
      readonly kind: 'malformed'
      readonly code: 'unauthenticated' | 'headers_too_large'
      readonly detail: string
    }

/** Visible ASCII without a comma: proxies join a doubled header with one. */
const ADMIN_KEY = /^[\x21-\x2b\x2d-\x7e]+$/

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

function readAdminKey(header: string): AdminCredential {
  if (header.length > AUTHORIZATION_BYTES_MAX) {
    const detail = `X-Admin-Key: is over ${AUTHORIZATION_BYTES_MAX} bytes; send the admin key alone`
    return { kind: 'malformed', code: 'headers_too_large', detail }
  }
  const token = header.trim()
  if (ADMIN_KEY.test(token)) return { kind: 'admin-key', token }
  return malformed('X-Admin-Key: is empty, or not one key; send the admin key alone, once')
}

function malformed(detail: string): AdminCredential {
  return { kind: 'malformed', code: 'unauthenticated', detail }
}
