/**
 * login:{id}: what a person allowed a client, and the state of the client's tokens; login_secret:
 * the secret that signs what clients hold. Bound by docs/login.md and ADR 0112.
 *
 *   exchange or refresh:  login and key read ── token put ✔ ── login put if its version is as read ✔
 *                                                  └─ dies here: nobody was told the token
 *   the same at once:     login and key read ── token put ✔ ──────────── refused ── token ended ✔
 *
 * The loser reads the login again and decides anew: a second exchange of a code ends the login, a
 * second refresh repeats the answer of the first. A put whose answer was lost is sent again and
 * refused; the stored login then lists its token, so it counts as written.
 *
 * The anchor of the login is put before the login, and never where its end was written (login-ends.ts):
 *
 *   exchange:  login read ── anchor put ✔ ──────────── login put: refused
 *   end:                          └── anchor replaced ✔ ── login ended ✔
 *   end:       anchor replaced ✔ ── dies here          the login still gives tokens, but no anchor
 *   refresh:                       anchor put: refused, so the login's end is completed ✔
 */
import { randomBytes } from 'node:crypto'
import { INVITE_LIFE_MS } from '../../../core/access/invite.ts'
import { Fault } from '../../../core/errors.ts'
import { DAY_MS } from '../../../core/json/utc-time.ts'
import type { Login } from '../../../core/login/login.ts'
import type { Logins } from '../../../core/ports/logins.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { textAt } from '../client/item.ts'
import { BATCH_KEYS_MAX } from '../client/read-keys.ts'
import type { Permissions } from '../permission.ts'
import { fromKeyItem } from '../records/key-item.ts'
import {
  fromLoginItem,
  toAnchorItem,
  toLoginEntryItem,
  toLoginItem,
  toTokenItem,
} from '../records/login-item.ts'
import {
  AUTH_PK,
  authKey,
  INVITE_PK,
  inviteKey,
  LOGIN_PK,
  LOGIN_SECRET_PK,
  LOGINS_PK,
  loginEntryKey,
  loginKey,
  loginSecretKey,
  TOKEN_PK,
} from '../table.ts'
import { END_LOGIN_PERMISSIONS, endTokenRecords, endTokens } from './login-ends.ts'

export const LOGINS_PERMISSIONS: Permissions<Logins> = {
  secret: [{ table: 'gateway', actions: ['GetItem', 'PutItem'], keyPrefixes: [LOGIN_SECRET_PK] }],
  readSecret: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [LOGIN_SECRET_PK] }],
  create: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [LOGINS_PK, LOGIN_PK] }],
  find: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [LOGIN_PK] }],
  findKey: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [AUTH_PK, TOKEN_PK] }],
  issue: [
    { table: 'gateway', actions: ['PutItem'], keyPrefixes: [TOKEN_PK, LOGIN_PK, LOGINS_PK] },
    ...END_LOGIN_PERMISSIONS,
  ],
  end: END_LOGIN_PERMISSIONS,
  list: [
    { table: 'gateway', actions: ['Query'], keyPrefixes: [LOGINS_PK] },
    { table: 'gateway', actions: ['BatchGetItem'], keyPrefixes: [LOGIN_PK] },
  ],
  findInviteUse: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [INVITE_PK] }],
  useInvite: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [INVITE_PK] }],
}

/** Bytes of the login secret. */
const SECRET_BYTES = 32

export function dynamoLogins(store: DynamoStore): Logins {
  const table = store.tables.gateway
  let secret: Promise<string> | undefined
  let known: string | undefined
  return {
    secret() {
      secret ??= makeSecret(store).catch((cause: unknown) => {
        secret = undefined
        throw cause
      })
      return secret
    },

    // Absence is not remembered: mcp may make the secret at any time.
    async readSecret() {
      known ??= await findSecret(store)
      return known
    },

    // entry ✔ ──▶ login ✔. Dying between: an entry whose login is missing; it expires. The other
    // way round, a revocation of the key could miss the login.
    async create(login) {
      await store.put(table, { item: toLoginEntryItem(login) })
      const item = toLoginItem(login)
      const answer = await store.put(table, { item, if: 'attribute_not_exists(#pk)' })
      return answer.kind === 'written'
    },

    async find(id) {
      const item = await store.get(table, loginKey(id), 'consistent')
      return item === undefined ? undefined : fromLoginItem(item)
    },

    async findKey(keyHash) {
      const item = await store.get(table, authKey(keyHash), 'consistent')
      return item === undefined ? undefined : fromKeyItem(item)
    },

    issue: (of) => issue(store, of),
    end: async (id) => void (await endTokens(store, id, 'login')),
    list: (uid) => listLogins(store, uid),

    async findInviteUse(keyHash) {
      const item = await store.get(table, inviteKey(keyHash), 'consistent')
      return item === undefined ? undefined : textAt(item, 'loginId')
    },

    useInvite: (use) => useInvite(store, use),
  }
}

async function issue(
  store: DynamoStore,
  { after, before, token: { record, tokenHash } }: Parameters<Logins['issue']>[0],
): Promise<boolean> {
  const table = store.tables.gateway
  const isNewDay = toDay(before) !== toDay(after)
  if (isNewDay) await store.put(table, { item: toLoginEntryItem(after) })
  if ((isNewDay || before.generation === 0) && !(await putAnchor(store, after))) {
    await endTokens(store, after.id, 'login')
    return false
  }
  await store.put(table, {
    item: toTokenItem(tokenHash, record),
    if: 'attribute_not_exists(#pk)',
  })
  const answer = await store.put(table, {
    item: toLoginItem(after),
    if: '#version = :version AND attribute_not_exists(#endedAtMs)',
    values: { version: before.version },
  })
  if (answer.kind === 'refused' && !isOwnWrite(answer.old, tokenHash)) {
    await endTokenRecords(store, [tokenHash])
    return false
  }
  await endTokenRecords(
    store,
    before.tokenHashes.filter((hash) => !after.tokenHashes.includes(hash)),
  )
  return true
}

/** Puts the anchor, or renews it. Returns false if the login's end was written in its place. */
async function putAnchor(store: DynamoStore, login: Login): Promise<boolean> {
  const answer = await store.put(store.tables.gateway, {
    item: toAnchorItem(login),
    if: 'attribute_not_exists(#pk) OR #login = :login',
    values: { login: login.id },
  })
  return answer.kind === 'written'
}

/** The stored login lists the token, unless the login ended since. */
function isOwnWrite(old: Parameters<typeof fromLoginItem>[0] | undefined, tokenHash: string) {
  const stored = old === undefined ? undefined : fromLoginItem(old)
  return stored?.endedAtMs === undefined && (stored?.tokenHashes.includes(tokenHash) ?? false)
}

/** The record stays until the invitation has expired, with time to spare. */
const INVITE_USE_KEPT_MS = INVITE_LIFE_MS + DAY_MS

/**
 *   browser A: invitation read, unused ── use put for login a ✔
 *   browser B: invitation read, unused ─────────────── use put for login b: refused
 *   A sends its form again, or a copy of A's put comes late: the same login, so written once more
 * Dying after the put: the same form goes on, and no other login gets the invitation.
 */
async function useInvite(
  store: DynamoStore,
  { keyHash, loginId }: Parameters<Logins['useInvite']>[0],
): Promise<boolean> {
  const usedAtMs = store.clock.nowMs()
  const ttl = Math.ceil((usedAtMs + INVITE_USE_KEPT_MS) / 1000)
  const answer = await store.put(store.tables.gateway, {
    item: { ...inviteKey(keyHash), loginId, usedAtMs, ttl },
    if: 'attribute_not_exists(#pk) OR #loginId = :loginId',
    values: { loginId },
  })
  return answer.kind === 'written'
}

/** An entry without a login is one whose writer died, or whose login expired. */
async function listLogins(store: DynamoStore, uid: string): Promise<readonly Login[]> {
  const table = store.tables.gateway
  const { pk } = loginEntryKey(uid, '', '')
  const entries = await store.query(table, { where: '#pk = :pk', values: { pk } })
  const keys = entries.map((entry) => loginKey(textAt(entry, 'id')))
  const logins: Login[] = []
  for (let from = 0; from < keys.length; from += BATCH_KEYS_MAX) {
    const batch = keys.slice(from, from + BATCH_KEYS_MAX)
    logins.push(...(await store.batchGet(table, batch, 'consistent')).map(fromLoginItem))
  }
  return logins
}

function toDay({ rotatedAtMs }: Login): number {
  return Math.floor(rotatedAtMs / DAY_MS)
}

/**
 *   two first callers:  both find none ── A puts ✔ ── B puts, refused ── B takes what A put
 * The secret is never written again. A process that dies before the put leaves none.
 */
async function makeSecret(store: DynamoStore): Promise<string> {
  const table = store.tables.gateway
  const key = loginSecretKey()
  const stored = await findSecret(store)
  if (stored !== undefined) return stored
  const secret = randomBytes(SECRET_BYTES).toString('base64url')
  const item = { ...key, secret, createdAtMs: store.clock.nowMs() }
  const answer = await store.put(table, { item, if: 'attribute_not_exists(#pk)' })
  if (answer.kind === 'written') return secret
  if (answer.old === undefined) throw new Fault('store_unavailable', 'login secret: is gone')
  return textAt(answer.old, 'secret')
}

async function findSecret(store: DynamoStore): Promise<string | undefined> {
  const stored = await store.get(store.tables.gateway, loginSecretKey(), 'consistent')
  return stored === undefined ? undefined : textAt(stored, 'secret')
}
