/** Ports for users, their keys, and the changes that administrators made. */
import type { AdminKey } from '../access/admin-key.ts'
import type { IdentityInvite } from '../access/identity-invite.ts'
import type { ScopeChange } from '../access/key-scope.ts'
import type { KeyRecord } from '../access/principal.ts'
import type { ListedUser, UserFilter, UserPlace } from '../access/user-directory.ts'
import type { V0Key, V0Record } from '../access/v0-key.ts'
import type { AuditHead, AuditRecord } from '../audit/audit-record.ts'
import type { BudgetChange } from '../ledger/budget.ts'
import type { ChangedProfile, ProfileChange } from '../ledger/change-profile.ts'
import type { KeyDayChange } from '../ledger/key-days.ts'
import type { Profile } from '../ledger/ledger.ts'
import type { V0Move, V0User } from '../ledger/v0.ts'

/**
 * Named keys of administrators. They are not cached, so a revoked key is refused at its next
 * request.
 */
export type AdminKeys = {
  /** Strongly consistent; expired keys included (callers compare `expiresAtMs`). */
  find(keyId: string): Promise<AdminKey | undefined>
  /** All keys by name, expired ones included; strongly consistent. */
  list(): Promise<readonly AdminKey[]>
  /**
   * Stores the key and claims its name in one step. Returns false if an existing key has the name.
   */
  create(key: AdminKey): Promise<boolean>
  /**
   * Removes the key and frees its name in one step. Returns the removed key; undefined if there is
   * none.
   */
  revoke(keyId: string): Promise<AdminKey | undefined>
  /** Records the day of a request, unless the key no longer exists or has that day already. */
  noteUse(use: { keyId: string; day: string }): Promise<void>
}

/**
 * The audit trail: changes by administrators as a chain of records for each day. Nothing removes a
 * record.
 */
export type AuditTrail = {
  /** The end of a day's chain, strongly consistent; undefined for a day without records. */
  head(day: string): Promise<AuditHead | undefined>
  /** The last day that has records, strongly consistent; undefined before the first record. */
  lastDay(): Promise<string | undefined>
  /**
   * Puts the record and moves its day's head in one step, if the head is the record before it. The
   * first record of a day makes the day the last day, if the last day is still that of its `link`.
   * Otherwise returns false and writes nothing.
   */
  append(record: AuditRecord): Promise<boolean>
  /**
   * Records of a day whose intent has a smaller number than `before`: greatest first, an outcome
   * before its intent.
   */
  page(of: { day: string; before?: number; limit: number }): Promise<readonly AuditRecord[]>
  /** All records of a day in the order of their numbers, for verification and for the archive. */
  day(day: string): Promise<readonly AuditRecord[]>
}

export type Keys = {
  /**
   * The record of a key hash, expired ones included (callers compare `expiresAtMs`). Cached ≤ 30 s.
   * A key of the earlier service that is not moved yet is returned as after the move (`v0`) and
   * queued for the sweep.
   */
  find(keyHash: string): Promise<KeyRecord | undefined>
  /**
   * Stores the key's entry in the user's list, then the key, so that the list shows every working
   * key. An existing hash is not changed.
   */
  put(record: KeyRecord): Promise<void>
  /** All keys of a user, newest first, expired ones included; strongly consistent. */
  list(uid: string): Promise<readonly KeyRecord[]>
  /**
   * Revokes a key of this user. Returns false if the user has no such key. Removes the key first,
   * then its entry in the list and its record of the earlier service. Cached copies (≤ 30 s) expire
   * by themselves.
   */
  revoke(key: { uid: string; keyHash: string }): Promise<boolean>
  /**
   * Extends the expiry unless the key was renewed after `ifRenewedAtMs`; losing that race is
   * harmless.
   */
  renew(change: {
    keyHash: string
    expiresAtMs: number
    renewedAtMs: number
    ifRenewedAtMs: number
  }): Promise<void>
  /**
   * Changes the scope of a key of this user and returns the record after it; undefined if the user
   * has no such key. Cached copies keep the scope before it for up to 30 s.
   */
  changeScope(of: {
    uid: string
    keyHash: string
    change: ScopeChange
  }): Promise<KeyRecord | undefined>
  /**
   * Stores a sub-key with its limits in one step. `not_allowed`: the parent does not exist any
   * more, has expired, or may not issue keys. `full`: the parent has `max` sub-keys that have not
   * expired. Also refuses limits as `Profiles.changeKeyLimits` does. A refusal stores nothing.
   */
  putSubKey(of: {
    record: KeyRecord
    parentHash: string
    limits?: KeyLimitsChange | undefined
    max: number
  }): Promise<'put' | 'not_allowed' | 'full' | FullLimits>
  /**
   * Stores the record of an identity in the user's list, unless the identity has one, and returns
   * the record that the store has then. With `invite`, the same step uses that invitation up.
   * Returns undefined, and stores nothing, if the invitation is used, has expired, or is another
   * user's.
   */
  putIdentity(of: {
    record: KeyRecord
    invite?: { id: string; nowMs: number } | undefined
  }): Promise<KeyRecord | undefined>
}

/** Invitations of people by their mail address. `Keys.putIdentity` uses them up. */
export type IdentityInvites = {
  /** Strongly consistent; used and expired ones included. */
  find(id: string): Promise<IdentityInvite | undefined>
  /**
   * Writes the invitation if the stored version is one less; version 1 if there is none. Returns
   * false if it is another.
   */
  put(invite: IdentityInvite): Promise<boolean>
}

/** One request to count in a minute. */
export type MinuteCount = {
  readonly keyHash: string
  readonly minute: number
  /**
   * User of a request that may hold credits. The same write enters the user for the sweep of this
   * minute.
   */
  readonly uid?: string
  /**
   * The highest count that matters. If the store already knows that the key is over it, the store
   * may return the known count and write nothing. Read after the write, or instead of it.
   */
  readonly limit?: () => Promise<number>
}

export type RateCounters = {
  /** Adds one to the count of the key in the minute and returns the new count. One atomic write. */
  count(counter: MinuteCount): Promise<number>
  /** The current count, 0 before the first; adds nothing. */
  read(counter: { keyHash: string; minute: number }): Promise<number>
}

/** A change of the limits of a key that the user's profile counts. */
export type KeyLimitsChange = {
  readonly budget?: BudgetChange | undefined
  readonly day?: KeyDayChange | undefined
}

/** The limit that too many other keys of the user have. */
export type FullLimits = 'budgets_full' | 'days_full'

export type Profiles = {
  /** Returns false if the uid is taken. The profile has no identity; `change` gives one. */
  create(profile: Profile): Promise<boolean>
  /**
   * Strongly consistent. A user of the earlier service who is not moved yet has `v0: 'unmoved'`.
   */
  read(uid: string): Promise<Profile | undefined>
  /**
   * The profiles of different users at once, at most PROFILES_READ_MAX, each strongly consistent.
   * Users without a profile and users of the earlier service who are not moved yet are omitted.
   */
  readAll(uids: readonly string[]): Promise<ReadonlyMap<string, Profile>>
  /**
   * Writes the given fields and the user's entries in lists. Returns the profile after the change
   * with the name that was replaced. If the change is refused (change-profile.ts), returns the
   * profile unchanged. Returns undefined for an unknown user. Without a change, returns
   * `identity_taken` if another user has that identity, and `groups_full` if the user would have
   * more than `addGroups.max` groups. Of concurrent renames, each replaced name is reported by
   * exactly one.
   */
  change(
    uid: string,
    to: ProfileChange,
  ): Promise<ChangedProfile | 'identity_taken' | 'groups_full' | undefined>
  /** Sets or ends the user's monthly budget; undefined for an unknown user. */
  changeBudget(of: { uid: string; change: BudgetChange }): Promise<Profile | undefined>
  /**
   * Sets or ends limits of a key, in one write. An absent member of `change` stays as it is.
   * `listKeys` lists the hashes of the user's keys, strongly consistent. The store calls it after
   * it has read the profile, and removes limits of other keys, because those keys were revoked.
   * `budgets_full` if KEY_BUDGETS_MAX other keys have a budget, `days_full` if KEY_DAYS_MAX have
   * calls per day; then nothing changes.
   */
  changeKeyLimits(of: {
    uid: string
    keyHash: string
    change: KeyLimitsChange
    listKeys: () => Promise<readonly string[]>
  }): Promise<Profile | FullLimits | undefined>
  /** Records when the user's own skills changed: `nowMs`, or one more than the stored value. */
  noteSkillsChanged(uid: string, nowMs: number): Promise<void>
}

/**
 * Lists and finds users without a scan; strongly consistent. `Profiles` writes the entries that are
 * read here.
 */
export type UserDirectory = {
  /**
   * Users whose folded name begins with `prefix`, by name and uid, after the place `after`. If the
   * filter omits many, a page may have fewer than `limit` users and still a `next`.
   */
  page(
    of: UserFilter & {
      readonly prefix: string
      readonly after?: UserPlace | undefined
      readonly limit: number
    },
  ): Promise<{ readonly users: readonly ListedUser[]; readonly next: UserPlace | undefined }>
  /** The user with this identity; undefined if there is none. */
  uidOf(identity: string): Promise<string | undefined>
}

/** The users who took a name, latest last. Some may have another name by now. */
export type UsernameClaim = { readonly uids: readonly string[]; readonly version: number }

/** Claims are never removed, so a version is never used twice. */
export type Usernames = {
  /** Strongly consistent; version 0 for a name that no user took. */
  read(name: string): Promise<UsernameClaim>
  /** Writes the claim if the stored version is one less. Returns false if it is another. */
  write(name: string, claim: UsernameClaim): Promise<boolean>
}

/**
 * Records of the earlier service: credits:{uid}, tier:{uid}, user:uid:{hash}. That service may
 * still read and write them, so no record is removed: amounts are taken out, and keys are marked as
 * moved.
 */
export type V0Records = {
  /** A user's records at one moment. */
  read(uid: string): Promise<V0User>
  /**
   * Takes an amount out of credits:{uid} and puts it into the profile, new or existing, with a
   * grant `moveId` in the ledger. One transaction. Returns false and changes nothing if one of
   * these records has changed since it was read, if this `moveId` was carried out before, or if the
   * user is being deleted.
   */
  move(move: V0Move): Promise<boolean>
  /** Switches whether sweeps search for credits added late. Makes no user. */
  watch(uid: string, on: boolean): Promise<void>
  findKey(keyHash: string): Promise<V0Key | undefined>
  /**
   * Puts the key's entry in the user's list, then the key, and marks the old records as moved.
   * Returns false and puts no key if the records have changed since they were found or were moved
   * before.
   */
  moveKey(key: { record: KeyRecord; spellings: readonly string[] }): Promise<boolean>
  /** Up to `limit` hashes of used keys that are queued to be moved; strongly consistent. */
  queuedKeys(limit: number): Promise<readonly string[]>
  /** Removes a key from that queue. */
  dequeueKey(keyHash: string): Promise<void>
  /**
   * Reads up to `limit` records of the whole store, in no particular order, and returns those of
   * the earlier service. `next` goes into `after` and is undefined at the end. Returns undefined if
   * `after` is no position of this store.
   */
  scan(from: {
    after?: string
    limit: number
  }): Promise<{ records: readonly V0Record[]; next: string | undefined } | undefined>
}
