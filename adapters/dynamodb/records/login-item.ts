/**
 * login:{id} and its entry logins:{uid}/{keyHash}#{id} as items, and as auth:hash:t:{hash} an access
 * token of a login and its anchor. None of them has a token or a handle.
 */
import { toAnchorHash } from '../../../core/access/access-token.ts'
import type { KeyRecord } from '../../../core/access/principal.ts'
import { DAY_MS } from '../../../core/json/utc-time.ts'
import { FORM_LIFE_SEC, LOGIN_LIFE_MS } from '../../../core/login/limits.ts'
import type { Login } from '../../../core/login/login.ts'
import { type Item, intAt, optionalIntAt, textAt, textsAt } from '../client/item.ts'
import { authKey, loginEntryKey, loginKey } from '../table.ts'
import { toScopeItem } from './key-item.ts'

/** Entry and anchor are written at most once a day, so they outlive the login by more than that. */
const DAILY_SPARE_MS = 2 * DAY_MS

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
    proof: textAt(item, 'proof'),
    clientHash: textAt(item, 'clientHash'),
    clientName: textAt(item, 'clientName'),
    ...(clientHost === undefined ? {} : { clientHost }),
    redirectUri: textAt(item, 'redirectUri'),
    ...(item['account'] === true ? { account: true } : {}),
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
  const expiresAtMs = toDailyExpiryMs(rotatedAtMs)
  return { ...loginEntryKey(uid, keyHash, id), id, ttl: Math.ceil(expiresAtMs / 1000) }
}

function toDailyExpiryMs(rotatedAtMs: number): number {
  return rotatedAtMs + LOGIN_LIFE_MS + DAILY_SPARE_MS
}

/** What sessions of the login name (core/access/access-token.ts). */
export function toAnchorItem(login: Login): Item {
  const { id, keyHash, keyPrefix, proof, rotatedAtMs, uid, username } = login
  const expiresAtMs = toDailyExpiryMs(rotatedAtMs)
  const times = { createdAtMs: login.createdAtMs, renewedAtMs: rotatedAtMs, expiresAtMs }
  const members = { keyHash, uid, username, keyPrefix, ...times, login: id, anchor: true, proof }
  return { ...authKey(toAnchorHash(proof)), ...members, ttl: Math.ceil(expiresAtMs / 1000) }
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
 * What replaces a token or an anchor that ended. It has no `login`, so that a late copy of the put
 * that it replaced is refused. It stays as long as a login may, which is longer than any token.
 */
export function toEndedTokenItem(tokenHash: string, nowMs: number): Item {
  const nobody = { keyHash: '-', uid: '-', username: '-', keyPrefix: '-' }
  const never = { createdAtMs: 0, expiresAtMs: 0, renewedAtMs: 0 }
  const ttl = Math.ceil((nowMs + LOGIN_LIFE_MS) / 1000)
  return { ...authKey(tokenHash), ...nobody, ...never, ttl }
}

/** A login whose code was not exchanged is kept as long as its form. */
function toTtlSec({ createdAtMs, generation, rotatedAtMs }: Login): number {
  if (generation === 0) return Math.ceil(createdAtMs / 1000) + FORM_LIFE_SEC
  return Math.ceil((rotatedAtMs + LOGIN_LIFE_MS) / 1000)
}
