/**
 * Keys of the earlier service, stored as `user:uid:{hash}`. The hash is the sha256 of the key, as
 * here, in base64url or in hex. A hash in any other form is not recognised, and its user needs a
 * new key. The key itself may have any form that a header can carry.
 */
import { FOREIGN_ID_BYTES_MAX, toIdentifier } from '../json/identifier-text.ts'
import type { V0Value } from '../ledger/v0.ts'
import { KEY_TTL_MS } from './api-key.ts'
import type { KeyRecord } from './principal.ts'

/** One record `user:uid:{spelling}`. */
export type V0KeyRecord = {
  readonly spelling: string
  readonly value: V0Value
  readonly moved: boolean
}

/** The result of combining all records of one hash. */
export type V0Key =
  | { readonly kind: 'unmoved'; readonly uid: string; readonly spellings: readonly string[] }
  /** A record exists or existed here. A key that was revoked or has expired must not return. */
  | { readonly kind: 'moved' }
  /** This key admits no request. `message` tells the operator what to mend. */
  | { readonly kind: 'unreadable'; readonly message: string }

/** One record of the earlier service, as the scan of its table returns it. */
export type V0Record =
  | { readonly kind: 'credits' | 'tier'; readonly uid: string }
  | ({ readonly kind: 'key' } & V0KeyRecord)

/** 32 bytes. The last character encodes two zero bits, so other last characters spell no digest. */
const BASE64URL = /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/
const HEX = /^[0-9a-f]{64}$/

/** Lists show this instead of a key's first characters, because only the hash of the key exists. */
export const V0_KEY_PREFIX = 'v0'

/** Both spellings under which the earlier service may have kept this hash. */
export function listV0Spellings(keyHash: string): readonly string[] {
  if (!BASE64URL.test(keyHash)) return []
  const bytes = atob(`${keyHash.replaceAll('-', '+').replaceAll('_', '/')}=`)
  const hex = [...bytes].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join('')
  return [keyHash, hex]
}

/** The hash in the form stored here, or undefined if the text is no sha256 in either spelling. */
export function parseV0KeyHash(spelling: string): string | undefined {
  if (BASE64URL.test(spelling)) return spelling
  if (!HEX.test(spelling)) return undefined
  const bytes = (spelling.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Returns undefined without records. One moved record makes its hash moved in every spelling. */
export function resolveV0Key(records: readonly V0KeyRecord[]): V0Key | undefined {
  if (records.length === 0) return undefined
  if (records.some(({ moved }) => moved)) return { kind: 'moved' }
  const uids = new Set(records.map(({ value }) => (value.kind === 'other' ? '' : value.text)))
  const [uid] = uids
  if (uids.size > 1) {
    return {
      kind: 'unreadable',
      message:
        'is stored twice, under the hash in base64url and in hex, and the two name different users; remove one',
    }
  }
  const moved = uid === undefined ? undefined : toIdentifier(uid)
  if (moved === undefined) return { kind: 'unreadable', message: NO_USER_ID }
  return { kind: 'unmoved', uid: moved, spellings: records.map(({ spelling }) => spelling) }
}

const NO_USER_ID = `does not hold a user id of 1 to ${FOREIGN_ID_BYTES_MAX} bytes; give that user a new id and key`

/** The uid that a user of the earlier service has here. A uid that is too long is not moved. */
export function toMovedUid(old: string): string {
  return toIdentifier(old) ?? old
}

/** The old record has no creation time, so its 30 days begin when it is moved or first read. */
export function toKeyRecord(of: {
  readonly keyHash: string
  readonly uid: string
  readonly username: string
  readonly nowMs: number
}): KeyRecord {
  const { keyHash, nowMs, uid, username } = of
  return {
    keyHash,
    uid,
    username,
    keyPrefix: V0_KEY_PREFIX,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + KEY_TTL_MS,
    renewedAtMs: nowMs,
  }
}
