/**
 * login:{id} and its entry logins:{uid}/{keyHash}#{id} as items, and an access token of a login as
 * auth:hash:t:{hash}. None of them has a token or a handle.
 */
import type { KeyRecord } from '../../../core/access/principal.ts'
import { DAY_MS } from '../../../core/json/utc-time.ts'
import { ACCESS_LIFE_MS, FORM_LIFE_SEC, LOGIN_LIFE_MS } from '../../../core/login/limits.ts'
import type { Login } from '../../../core/login/login.ts'
import { type Item, intAt, optionalIntAt, textAt, textsAt } from '../client/item.ts'
import { authKey, loginEntryKey, loginKey } from '../table.ts'
import { toScopeItem } from './key-item.ts'

/** The entry is written at most once a day, so it outlives the login by more than that. */
const ENTRY_SPARE_MS = 2 * DAY_MS

export function toLoginItem(login: Login): Item {
  const { tokenHashes, ...members } = login
  return { ...loginKey(login.id), ...members, tokenHashes: [...tokenHashes], ttl: toTtlSec(login) }
}

export function fromLoginItem(item: Item): Login {
  const endedAtMs = optionalIntAt(item, 'endedAtMs')
  const clientHost = item['clientHost'] === undefined ? undefined : textAt(item, 'clientHost')
  return {
    id: textAt(item, 'id'),
    uid: textAt(item, 'uid'),
    username: textAt(item, 'username'),
    keyHash: textAt(item, 'keyHash'),
    keyPrefix: textAt(item, 'keyPrefix'),
    clientHash: textAt(item, 'clientHash'),
    clientName: textAt(item, 'clientName'),
    ...(clientHost === undefined ? {} : { clientHost }),
    redirectUri: textAt(item, 'redirectUri'),
    challenge: textAt(item, 'challenge'),
    generation: intAt(item, 'generation'),
    createdAtMs: intAt(item, 'createdAtMs'),
    rotatedAtMs: intAt(item, 'rotatedAtMs'),
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    tokenHashes: textsAt(item, 'tokenHashes'),
    version: intAt(item, 'version'),
  }
}

export function toLoginEntryItem({ id, keyHash, rotatedAtMs, uid }: Login): Item {
  const expiresAtMs = rotatedAtMs + LOGIN_LIFE_MS + ENTRY_SPARE_MS
  return { ...loginEntryKey(uid, keyHash, id), id, ttl: Math.ceil(expiresAtMs / 1000) }
}

/** `record` has the hash of the login's key; the item stands under the hash of the token. */
export function toTokenItem(tokenHash: string, { scope, ...record }: KeyRecord): Item {
  return {
    ...authKey(tokenHash),
    ...record,
    ...toScopeItem(scope),
    ttl: Math.ceil(record.expiresAtMs / 1000),
  }
}

/**
 * What replaces a token that ended. It stays until the token would have expired, so that a late
 * copy of the token's own write is refused.
 */
export function toEndedTokenItem(tokenHash: string, nowMs: number): Item {
  const nobody = { keyHash: '-', uid: '-', username: '-', keyPrefix: '-' }
  const never = { createdAtMs: 0, expiresAtMs: 0, renewedAtMs: 0 }
  const ttl = Math.ceil((nowMs + ACCESS_LIFE_MS) / 1000)
  return { ...authKey(tokenHash), ...nobody, ...never, ttl }
}

/** A login whose code was not exchanged is kept as long as its form. */
function toTtlSec({ createdAtMs, generation, rotatedAtMs }: Login): number {
  if (generation === 0) return Math.ceil(createdAtMs / 1000) + FORM_LIFE_SEC
  return Math.ceil((rotatedAtMs + LOGIN_LIFE_MS) / 1000)
}
