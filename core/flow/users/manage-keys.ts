/**
 * Issues, lists, changes and revokes a user's API keys for administrators. Only the answer of
 * `issueKey` contains the key itself; lists show its prefix and id. Refuses unknown users and
 * unknown keys. Bound by docs/service.md, Credentials, Scopes of keys and User administration.
 */
import { KEY_TTL_MS, toKeyPrefix } from '../../access/api-key.ts'
import { NEVER_MS } from '../../access/identity.ts'
import { isInviteHash, isInviteUsed } from '../../access/invite.ts'
import { toProof, toSealingKey } from '../../access/key-proof.ts'
import { applyScopeChange, type KeyScope } from '../../access/key-scope.ts'
import { KEYS_PAGE_DEFAULT, KEYS_PAGE_MAX } from '../../access/limits.ts'
import type { Identity, KeyRecord } from '../../access/principal.ts'
import { KEY_BYTES, refuseUnknownUser } from '../../access/user-names.ts'
import { isBeingDeleted } from '../../access/user-state.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { readPageStart, writeCursor } from '../../json/cursor.ts'
import type { Json } from '../../json/json.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import { findKeyBudget } from '../../ledger/budget.ts'
import { findKeyDay } from '../../ledger/key-days.ts'
import type { Profile } from '../../ledger/ledger.ts'
import { KEY_BUDGETS_MAX, KEY_DAYS_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import type { FullLimits } from '../../ports/users.ts'
import { type BudgetView, toBudgetMember } from './budget-view.ts'
import { type KeyDayView, toKeyDayMember } from './key-day-view.ts'
import { refuseUserBeingDeleted } from './manage-users.ts'
import { KEY_FIELDS, type KeyChange, readKeyChange } from './read-key-change.ts'

export type KeyView = {
  readonly keyId: string
  readonly keyPrefix: string
  readonly createdAtMs: number
  /**
   * Exact to a day, because use renews a key at most once in 24 h. Starts as the time of issue.
   * Absent for an identity, which is not renewed.
   */
  readonly lastUsedAtMs?: number
  /** Absent for an identity, which never expires. */
  readonly expiresAtMs?: number
  /** Whom an identity names; absent for a key, and for an identity that was linked by its id. */
  readonly identity?: Identity
  /** Globs over the names of tools that the key may call; absent for every tool. */
  readonly tools?: readonly string[]
  readonly maxCreditsPerCall?: number
  readonly mayIssueKeys?: true
  /** The key that issued this one; absent for a key of an administrator. */
  readonly parentKeyId?: string
  /** Of an invitation's key: whether a login has it. Absent for other keys. */
  readonly invitation?: 'pending' | 'used'
  readonly monthlyBudget?: BudgetView
  readonly callsPerDay?: KeyDayView
}

/**
 * Issues a key. Only this answer contains the key itself. Body `{tools?, maxCreditsPerCall?,
 * monthlyBudget?, callsPerDay?, mayIssueKeys?}`. Refuses an unknown user and a user who is being
 * deleted. Refuses with `conflict` a budget if KEY_BUDGETS_MAX keys of the user have one, and calls
 * per day if KEY_DAYS_MAX have them.
 *
 *   put the key with its scope ─▶ set its limits in the profile ─▶ answer with the key
 *
 * Nobody has the key before the answer, so no call uses the key without its limits. If the limits
 * cannot be set, the key is revoked. If the process dies in between, the stored key remains, but
 * nobody has it.
 */
export async function issueKey(
  ports: Pick<Ports, 'clock' | 'digests' | 'ids' | 'keys' | 'profiles'>,
  uid: string,
  body: Json = {},
): Promise<Result<{ key: string; keyId: string; keyPrefix: string; expiresAtMs: number }>> {
  const read = readKeyChange(body, ports.clock.nowMs())
  if (!read.ok) return read
  const key = `sgk_${ports.ids.token(KEY_BYTES)}`
  const keyHash = ports.digests.sha256(key)
  const keyPrefix = toKeyPrefix(key)
  const proof = toProof(ports.digests, toSealingKey(ports.digests, key))
  const made = { keyHash, keyPrefix, lifeMs: KEY_TTL_MS, proof }
  const put = await putKey(ports, uid, made, read.value)
  return put.ok ? ok({ key, keyId: keyHash, keyPrefix, expiresAtMs: put.value }) : put
}

/** Puts a new key of a user with its limits, as drawn above, and returns when it expires. */
export async function putKey(
  ports: Pick<Ports, 'clock' | 'keys' | 'profiles'>,
  uid: string,
  made: Pick<KeyRecord, 'keyHash' | 'keyPrefix' | 'proof'> & { readonly lifeMs: number },
  change: KeyChange,
): Promise<Result<number>> {
  const { lifeMs, ...named } = made
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) return refuseUnknownUser(uid)
  if (isBeingDeleted(profile)) return refuseUserBeingDeleted()
  const nowMs = ports.clock.nowMs()
  const expiresAtMs = nowMs + lifeMs
  const scope = applyScopeChange(undefined, change.scope ?? {})
  await ports.keys.put({
    ...named,
    uid,
    username: profile.username,
    createdAtMs: nowMs,
    expiresAtMs,
    renewedAtMs: nowMs,
    ...(scope === undefined ? {} : { scope }),
  })
  const limited = await limitNewKey(ports, { uid, keyHash: named.keyHash }, change)
  return limited.ok ? ok(expiresAtMs) : limited
}

async function limitNewKey(
  ports: Pick<Ports, 'keys' | 'profiles'>,
  key: { readonly uid: string; readonly keyHash: string },
  change: KeyChange,
): Promise<Result<unknown>> {
  if (change.limits === undefined) return ok(undefined)
  let limited: Result<unknown> | undefined
  try {
    limited = await limitKey(ports, key, change)
  } finally {
    if (limited?.ok !== true) await ports.keys.revoke(key)
  }
  return limited
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
  const keys = page.map((key) => toKeyView(key, profile, nowMs))
  if (last === undefined || following.length === page.length) return ok({ keys })
  return ok({ keys, nextCursor: writeCursor(`${last.createdAtMs}:${last.keyHash}`) })
}

/**
 * Revokes a key. The store removes the key at once, and functions that cached the key drop it
 * within KEY_CACHE_MS (30 s). The same applies to open sessions, because a session keeps the header
 * and not the key's record. Refuses with `not_found` a key that this user does not have.
 */
export async function revokeKey(
  ports: Pick<Ports, 'keys'>,
  key: { readonly uid: string; readonly keyId: string },
): Promise<Result<undefined>> {
  const { keyId, uid } = key
  const revoked = KEY_ID.test(keyId) && (await ports.keys.revoke({ uid, keyHash: keyId }))
  return revoked ? ok(undefined) : refuseUnknownKey(uid)
}

/** Refuses with `not_found` a key id that the user does not have. */
export function refuseUnknownKey(uid: string): Result<never> {
  return refuse('not_found', 'keyId: this user has no such key.', {
    remedy: { code: 'list_keys', uid },
  })
}

/**
 * A key id is a SHA-256 hash in base64url; that of a sub-key begins with `sub:`, that of an identity
 * with `i:`, that of an invitation with `n:`.
 */
export const KEY_ID_PATTERN = '^(?:sub:|i:|n:)?[A-Za-z0-9_-]{43}$'
const KEY_ID = new RegExp(KEY_ID_PATTERN)

type Place = Pick<KeyRecord, 'createdAtMs' | 'keyHash'>

function parsePlace(position: string): Place | undefined {
  const match = /^(\d{1,15}):((?:sub:|i:|n:)?[A-Za-z0-9_-]{43})$/.exec(position)
  return match?.[2] === undefined ? undefined : { createdAtMs: Number(match[1]), keyHash: match[2] }
}

function compareAge(a: Place, b: Place): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs
  if (a.keyHash === b.keyHash) return 0
  return a.keyHash < b.keyHash ? -1 : 1
}

/** Returns the key as administrators see it; `nowMs` decides month and day of its limits. */
export function toKeyView(record: KeyRecord, profile: Profile, nowMs: number): KeyView {
  return {
    keyId: record.keyHash,
    keyPrefix: record.keyPrefix,
    createdAtMs: record.createdAtMs,
    ...(record.expiresAtMs === NEVER_MS
      ? {}
      : { lastUsedAtMs: record.renewedAtMs, expiresAtMs: record.expiresAtMs }),
    ...(record.identity === undefined ? {} : { identity: record.identity }),
    ...toScopeView(record.scope),
    ...(record.parentHash === undefined ? {} : { parentKeyId: record.parentHash }),
    ...(isInviteHash(record.keyHash)
      ? { invitation: isInviteUsed(record) ? 'used' : 'pending' }
      : {}),
    ...toBudgetMember(findKeyBudget(profile, record.keyHash), nowMs),
    ...toKeyDayMember(findKeyDay(profile, record.keyHash), nowMs),
  }
}

/** Returns the members of a scope for a view, with amounts in credits. */
export function toScopeView(
  scope: KeyScope = {},
): Pick<KeyView, 'maxCreditsPerCall' | 'mayIssueKeys' | 'tools'> {
  const { maxCreditsPerCall, mayIssueKeys, tools } = scope
  return {
    ...(tools === undefined ? {} : { tools }),
    ...(maxCreditsPerCall === undefined
      ? {}
      : { maxCreditsPerCall: toCreditsNumber(maxCreditsPerCall) }),
    ...(mayIssueKeys === undefined ? {} : { mayIssueKeys }),
  }
}

type Needs = Pick<Ports, 'clock' | 'keys' | 'profiles'>

/**
 * `PATCH users/{uid}/keys/{keyId}`: changes the scope, the monthly budget or the calls per day. The
 * scope is stored in the key's record. The others are stored in the user's profile, because the
 * hold of a call is counted there. If the process dies between the two writes, the same PATCH sent
 * again completes the change. Refuses with `not_found` a key that this user does not have, and with
 * `conflict` a limit that too many keys of the user have.
 */
export async function changeKey(
  ports: Needs,
  { keyId, uid }: { readonly uid: string; readonly keyId: string },
  body: Json,
): Promise<Result<KeyView>> {
  const nowMs = ports.clock.nowMs()
  const read = readKeyChange(body, nowMs)
  if (!read.ok) return read
  const { limits, scope } = read.value
  if (limits === undefined && scope === undefined) {
    return refuse('malformed', `body: changes nothing. Send ${KEY_FIELDS.join(', ')}.`)
  }
  const records = await ports.keys.list(uid)
  const record = records.find(({ keyHash }) => keyHash === keyId)
  if (record === undefined) return refuseUnknownKey(uid)
  if (record.parentHash !== undefined && scope?.mayIssueKeys === true) {
    return refuse(
      'conflict',
      'mayIssueKeys: this is a sub-key, which cannot issue keys. Allow it for another key.',
    )
  }
  const limited = await limitKey(ports, { uid, keyHash: keyId }, read.value)
  if (!limited.ok) return limited
  const changed =
    scope === undefined
      ? record
      : await ports.keys.changeScope({ uid, keyHash: keyId, change: scope })
  return changed === undefined
    ? refuseUnknownKey(uid)
    : ok(toKeyView(changed, limited.value, nowMs))
}

/** Why a limit is refused that too many keys of the user have. */
export const FULL_LIMITS: { readonly [limit in FullLimits]: string } = {
  budgets_full: `monthlyBudget: ${KEY_BUDGETS_MAX} keys of this user have a budget, the most allowed. End one, or set the budget of the user.`,
  days_full: `callsPerDay: ${KEY_DAYS_MAX} keys of this user have a limit of calls per day, the most allowed. End one first.`,
}

/** Sets the key's limits, which the user's profile stores, and returns the profile. */
async function limitKey(
  { keys, profiles }: Pick<Ports, 'keys' | 'profiles'>,
  key: { readonly uid: string; readonly keyHash: string },
  { limits }: KeyChange,
): Promise<Result<Profile>> {
  const listKeys = async () => (await keys.list(key.uid)).map(({ keyHash }) => keyHash)
  const profile =
    limits === undefined
      ? await profiles.read(key.uid)
      : await profiles.changeKeyLimits({ ...key, change: limits, listKeys })
  if (typeof profile === 'string') return refuse('conflict', FULL_LIMITS[profile])
  return profile === undefined ? refuseUnknownUser(key.uid) : ok(profile)
}
