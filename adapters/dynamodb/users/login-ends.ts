/**
 * Ends access tokens: those of one login, or those of all logins of a key. A token's record is not
 * deleted but replaced by one that has expired, so that a late copy of the token's own write, which
 * requires that there is no record, cannot bring it back.
 *
 *   revocation:  key removed ✔ ── entries listed ── login ended, version 5 ✔ ── its tokens ended ✔
 *   refresh:     key read ─────── token put ✔ ──────────── version was 4: refused ── its token ended
 *
 * A refresh that reads the key later finds none. A login that is made meanwhile finds its key
 * removed when its code is exchanged. A change of the key's scope does the same without ending the
 * login: its next token has the new scope. If the process dies before the last step, the
 * administrator gets no answer and sends the request again, which does all steps again; tokens that
 * were not ended expire by themselves (loginTokenHours).
 */
import { toAnchorHash } from '../../../core/access/access-token.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { textAt, textsAt } from '../client/item.ts'
import type { Permission } from '../permission.ts'
import { fromLoginItem, toEndedTokenItem } from '../records/login-item.ts'
import {
  LOGIN_PK,
  LOGINS_PK,
  loginEntryKey,
  loginEntryRange,
  loginKey,
  TOKEN_PK,
} from '../table.ts'

const END_TOKENS_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['UpdateItem'], keyPrefixes: [LOGIN_PK] },
  { table: 'gateway', actions: ['PutItem'], keyPrefixes: [TOKEN_PK] },
]

export const END_LOGIN_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['GetItem'], keyPrefixes: [LOGIN_PK] },
  ...END_TOKENS_PERMISSIONS,
]

export const END_TOKENS_OF_KEY_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['Query'], keyPrefixes: [LOGINS_PK] },
  ...END_TOKENS_PERMISSIONS,
]

export const END_LOGINS_OF_KEY_PERMISSIONS: readonly Permission[] = [
  { table: 'gateway', actions: ['Query', 'DeleteItem'], keyPrefixes: [LOGINS_PK] },
  ...END_LOGIN_PERMISSIONS,
]

/** `login`: whether the login ends too, or its client may get new tokens. */
export type TokenEnd = 'tokens' | 'login'

/** Ends the tokens of each login of the key. Returns the hashes of the ended tokens. */
export async function endTokensOfKey(
  store: DynamoStore,
  { keyHash, uid }: { readonly uid: string; readonly keyHash: string },
  what: TokenEnd,
): Promise<readonly string[]> {
  const table = store.tables.gateway
  const entries = await store.query(table, {
    where: '#pk = :pk AND #sk BETWEEN :from AND :to',
    values: loginEntryRange(uid, keyHash),
  })
  const ended: string[] = []
  for (const entry of entries) {
    const id = textAt(entry, 'id')
    ended.push(...(await endTokens(store, id, what)))
    if (what === 'login') await store.remove(table, loginEntryKey(uid, keyHash, id))
  }
  return ended
}

/**
 * The anchor of a login that ends is replaced first: if the process dies then, the next refresh of
 * another day completes the end (logins.ts), and a caller that got no answer ends the login again.
 * The login's version is raised before the tokens end: a token that is being issued then loses its
 * login's write. A late copy of that write raises the version once more, which makes a refresh try
 * again.
 */
export async function endTokens(
  store: DynamoStore,
  id: string,
  what: TokenEnd,
): Promise<readonly string[]> {
  const anchorHashes = what === 'login' ? await endAnchor(store, id) : []
  const nowMs = store.clock.nowMs()
  const answer = await store.update(store.tables.gateway, {
    key: loginKey(id),
    set: `SET #version = #version + :one${what === 'login' ? ', #endedAtMs = :nowMs' : ''}`,
    if: 'attribute_exists(#pk)',
    values: { one: 1, ...(what === 'login' ? { nowMs } : {}) },
  })
  if (answer.kind === 'refused') return anchorHashes
  const tokenHashes = textsAt(answer.item, 'tokenHashes')
  await endTokenRecords(store, tokenHashes)
  return [...anchorHashes, ...tokenHashes]
}

/** Ends the anchor of a login, and returns its hash; none of a login that does not exist. */
async function endAnchor(store: DynamoStore, id: string): Promise<readonly string[]> {
  const item = await store.get(store.tables.gateway, loginKey(id), 'consistent')
  if (item === undefined) return []
  const hashes = [toAnchorHash(fromLoginItem(item).proof)]
  await endTokenRecords(store, hashes)
  return hashes
}

/** Replaces the records of these tokens; the same again changes nothing. */
export async function endTokenRecords(
  store: DynamoStore,
  tokenHashes: readonly string[],
): Promise<void> {
  const nowMs = store.clock.nowMs()
  const table = store.tables.gateway
  await Promise.all(
    tokenHashes.map((hash) => store.put(table, { item: toEndedTokenItem(hash, nowMs) })),
  )
}
