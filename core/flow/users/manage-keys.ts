/**
 * Issues, lists, changes and revokes a user's API keys for administrators. Only the answer to the
 * issue has the key; the list has what tells keys apart. Bound by docs/service.md, Credentials and
 * User administration.
 */
import { KEY_TTL_MS, toKeyPrefix } from '../../access/api-key.ts'
import { KEYS_PAGE_DEFAULT, KEYS_PAGE_MAX } from '../../access/limits.ts'
import type { KeyRecord } from '../../access/principal.ts'
import { KEY_BYTES, refuseUnknownUser } from '../../access/user-names.ts'
import { isBeingDeleted } from '../../access/user-state.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { readBodyFields, refuseBody } from '../../json/body-fields.ts'
import { readPageStart, writeCursor } from '../../json/cursor.ts'
import type { Json } from '../../json/json.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import { findKeyBudget } from '../../ledger/budget.ts'
import type { Budget } from '../../ledger/ledger.ts'
import { KEY_BUDGETS_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import { type BudgetView, readBudget, toBudgetMember } from './budget-view.ts'
import { refuseUserBeingDeleted } from './manage-users.ts'

export type KeyView = {
  readonly keyId: string
  readonly keyPrefix: string
  readonly createdAtMs: number
  /** Exact to a day, since use renews a key at most once in 24 h. At first, the time of issue. */
  readonly lastUsedAtMs: number
  readonly expiresAtMs: number
  readonly monthlyBudget?: BudgetView
}

/**
 * Issues a key. Only this answer has the key itself. Refuses an unknown user and one who is being
 * deleted.
 */
export async function issueKey(
  ports: Pick<Ports, 'clock' | 'digests' | 'ids' | 'keys' | 'profiles'>,
  uid: string,
): Promise<Result<{ key: string; keyId: string; keyPrefix: string; expiresAtMs: number }>> {
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return refuseUnknownUser(uid)
  if (isBeingDeleted(profile)) return refuseUserBeingDeleted()
  const key = `sgk_${ports.ids.token(KEY_BYTES)}`
  const keyHash = ports.digests.sha256(key)
  const nowMs = ports.clock.nowMs()
  const expiresAtMs = nowMs + KEY_TTL_MS
  const keyPrefix = toKeyPrefix(key)
  await ports.keys.put({
    keyHash,
    uid,
    username: profile.username,
    keyPrefix,
    createdAtMs: nowMs,
    expiresAtMs,
    renewedAtMs: nowMs,
  })
  return ok({ key, keyId: keyHash, keyPrefix, expiresAtMs })
}

/** Lists keys newest first, expired ones too. Refuses with `not_found` an unknown user. */
export async function listKeys(
  ports: Pick<Ports, 'clock'> & {
    readonly keys: Pick<Ports['keys'], 'list'>
    readonly profiles: Pick<Ports['profiles'], 'read'>
  },
  uid: string,
  query: PageQuery,
): Promise<Result<{ keys: readonly KeyView[]; nextCursor?: string }>> {
  const limit = readPageLimit(query.limit, { max: KEYS_PAGE_MAX, otherwise: KEYS_PAGE_DEFAULT })
  if (!limit.ok) return limit
  const place = readPageStart(query.cursor, parsePlace)
  if (!place.ok) return place
  const after = place.value
  const [profile, records] = await Promise.all([ports.profiles.read(uid), ports.keys.list(uid)])
  if (profile === undefined) return refuseUnknownUser(uid)
  const following = [...records]
    .sort(compareAge)
    .filter((one) => after === undefined || compareAge(one, after) > 0)
  const page = following.slice(0, limit.value)
  const last = page.at(-1)
  const nowMs = ports.clock.nowMs()
  const keys = page.map((key) => toKeyView(key, findKeyBudget(profile, key.keyHash), nowMs))
  if (last === undefined || following.length === page.length) return ok({ keys })
  return ok({ keys, nextCursor: writeCursor(`${last.createdAtMs}:${last.keyHash}`) })
}

/**
 * Revokes a key. The store removes the key at once, and functions that cached the key forget it
 * within KEY_CACHE_MS (30 s). The same applies to open sessions, which keep the header and not the
 * record.
 */
export async function revokeKey(
  ports: Pick<Ports, 'keys'>,
  key: { readonly uid: string; readonly keyId: string },
): Promise<Result<undefined>> {
  const { keyId, uid } = key
  const revoked = KEY_ID.test(keyId) && (await ports.keys.revoke({ uid, keyHash: keyId }))
  return revoked ? ok(undefined) : refuseUnknownKey()
}

export function refuseUnknownKey(): Result<never> {
  return refuse(
    'not_found',
    `keyId: this user has no such key. GET /v1/admin/users/{uid}/keys lists the keys that exist.`,
  )
}

/** Form of a key id: sha256, base64url. */
const KEY_ID = /^[A-Za-z0-9_-]{43}$/

type Place = Pick<KeyRecord, 'createdAtMs' | 'keyHash'>

function parsePlace(position: string): Place | undefined {
  const match = /^(\d{1,15}):([A-Za-z0-9_-]{43})$/.exec(position)
  return match?.[2] === undefined ? undefined : { createdAtMs: Number(match[1]), keyHash: match[2] }
}

function compareAge(a: Place, b: Place): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs
  if (a.keyHash === b.keyHash) return 0
  return a.keyHash < b.keyHash ? -1 : 1
}

export function toKeyView(record: KeyRecord, budget: Budget | undefined, nowMs: number): KeyView {
  return {
    keyId: record.keyHash,
    keyPrefix: record.keyPrefix,
    createdAtMs: record.createdAtMs,
    lastUsedAtMs: record.renewedAtMs,
    expiresAtMs: record.expiresAtMs,
    ...toBudgetMember(budget, nowMs),
  }
}

type Needs = Pick<Ports, 'clock' | 'keys' | 'profiles'>

/**
 * `PATCH users/{uid}/keys/{keyId}`: sets or ends the monthly budget of a key. The budget is part of
 * the profile, where the hold of a call is counted. Bound by docs/service.md, Budgets. Refuses with
 * `not_found` a key that is not this user's, and with `conflict` one budget too many.
 */
export async function changeKey(
  ports: Needs,
  { keyId, uid }: { readonly uid: string; readonly keyId: string },
  body: Json,
): Promise<Result<KeyView>> {
  const fields = readBodyFields(body, ['monthlyBudget'])
  if (!fields.ok) return fields
  const nowMs = ports.clock.nowMs()
  const { monthlyBudget } = fields.value
  if (monthlyBudget === undefined) {
    return refuse('malformed', 'body: changes nothing. Send monthlyBudget.')
  }
  const read = readBudget(monthlyBudget, nowMs)
  if (!read.ok) return refuseBody([{ pointer: '/monthlyBudget', message: read.error }])
  const records = await ports.keys.list(uid)
  const record = records.find(({ keyHash }) => keyHash === keyId)
  if (record === undefined) return refuseUnknownKey()
  const keys = records.map(({ keyHash }) => keyHash)
  const of = { uid, keyHash: keyId, change: read.value, keys }
  const profile = await ports.profiles.changeKeyBudget(of)
  if (profile === 'full') {
    return refuse(
      'conflict',
      `monthlyBudget: ${KEY_BUDGETS_MAX} keys of this user have a budget, the most allowed. End one, or set the budget of the user.`,
    )
  }
  if (profile === undefined) return refuseUnknownUser(uid)
  return ok(toKeyView(record, findKeyBudget(profile, keyId), nowMs))
}
