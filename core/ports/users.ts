/** Users, their keys, and what administrators did. */
import type { AdminKey } from '../access/admin-key.ts'
import type { KeyRecord } from '../access/principal.ts'
import type { ListedUser, UserFilter, UserPlace } from '../access/user-directory.ts'
import type { V0Key, V0Record } from '../access/v0-key.ts'
import type { AuditHead, AuditRecord } from '../audit/audit-record.ts'
import type { BudgetChange } from '../ledger/budget.ts'
import type { ChangedProfile, ProfileChange } from '../ledger/change-profile.ts'
import type { Profile } from '../ledger/ledger.ts'
import type { V0Move, V0User } from '../ledger/v0.ts'

/** Named keys of administrators. Nothing is cached: what was revoked is refused by the next request. */
export type AdminKeys = {
  /** Strongly consistent; expired ones included (callers compare `expiresAtMs`). */
  find(keyId: string): Promise<AdminKey | undefined>
  /** All of them by name, expired ones included; strongly consistent. */
  list(): Promise<readonly AdminKey[]>
  /** Stores the key and claims its name in one step; false when a key that exists has the name. */
  create(key: AdminKey): Promise<boolean>
  /** Removes the key and frees its name in one step; the removed key, undefined when there is none. */
  revoke(keyId: string): Promise<AdminKey | undefined>
  /** Notes the day of a request, unless the key no longer exists or has that day already. */
  noteUse(use: { keyId: string; day: string }): Promise<void>
}

/** The trail of changes by administrators: a chain of records for each day. Nothing removes one. */
export type AuditTrail = {
  /** The end of a day's chain, strongly consistent; undefined for a day without records. */
  head(day: string): Promise<AuditHead | undefined>
  /** The last day that has records, strongly consistent; undefined before the first record. */
  lastDay(): Promise<string | undefined>
  /**
   * Puts the record and moves its day's head in one step, if the head is the record before it; the first of a day
   * makes it the last day, if the last one is still that of its `link`. False, and nothing is written, otherwise.
   */
  append(record: AuditRecord): Promise<boolean>
  /**
   * Records of a day whose intent has a smaller number than `before`: greatest first, an outcome ahead of its intent.
   */
  page(of: { day: string; before?: number; limit: number }): Promise<readonly AuditRecord[]>
  /** All records of a day in the order of their numbers: for verification, and to archive them. */
  day(day: string): Promise<readonly AuditRecord[]>
}

export type Keys = {
  /**
   * The record of a key hash, expired ones included (callers compare `expiresAtMs`). Cached ≤ 30 s.
   * A key of the earlier service that is not moved yet is returned as the move will make it (`v0`),
   * and is queued for the sweep to move.
   */
  find(keyHash: string): Promise<KeyRecord | undefined>
  /**
   * Stores the key's entry in the user's list, then the key, so that no key works that the list
   * does not show. An existing hash is left alone.
   */
  put(record: KeyRecord): Promise<void>
  /** All keys of a user, newest first, expired ones included; strongly consistent. */
  list(uid: string): Promise<readonly KeyRecord[]>
  /**
   * Revokes a key of this user; false when the user has no such key. Removes the key first, then
   * its entry in the list and its record of the earlier service. Cached copies (≤ 30 s) expire by
   * themselves.
   */
  revoke(key: { uid: string; keyHash: string }): Promise<boolean>
  /**
   * Moves the expiry unless the key was renewed since `ifRenewedAtMs`; losing that race is fine.
   */
  renew(change: {
    keyHash: string
    expiresAtMs: number
    renewedAtMs: number
    ifRenewedAtMs: number
  }): Promise<void>
}

/** What is counted in a minute. */
export type MinuteCount = {
  readonly keyHash: string
  readonly minute: number
  /** Of a request that may hold credits: the same write enters the user for the sweep of this minute. */
  readonly uid?: string
  /**
   * The most that counts. A store that knows that the key is past it may answer the count that it knows and write
   * nothing. Asked for after the write, or in place of it.
   */
  readonly limit?: () => Promise<number>
}

export type RateCounters = {
  /** Adds one to the count of the key in the minute and returns the new count. One atomic write. */
  count(counter: MinuteCount): Promise<number>
  /** The count as it stands, 0 before the first; adds nothing. */
  read(counter: { keyHash: string; minute: number }): Promise<number>
}

export type Profiles = {
  /** False when the uid is taken. The profile has no identity: `change` gives one. */
  create(profile: Profile): Promise<boolean>
  /**
   * Strongly consistent. A user of the earlier service who is not moved yet has `v0: 'unmoved'`.
   */
  read(uid: string): Promise<Profile | undefined>
  /**
   * Those of several different users at once, PROFILES_READ_MAX at most, each strongly consistent. A user without a
   * profile is left out, and so is one of the earlier service who is not moved yet.
   */
  readAll(uids: readonly string[]): Promise<ReadonlyMap<string, Profile>>
  /**
   * Writes the given fields, and the user's entries in lists. Returns the profile after it, with the name that it replaced; as it stands where the change is
   * refused (change-profile.ts); undefined for an unknown user; `identity_taken`, and nothing is changed,
   * where another user has that identity. Of renames at once, each name is replaced by one of them.
   */
  change(uid: string, to: ProfileChange): Promise<ChangedProfile | 'identity_taken' | undefined>
  /** Sets or ends the user's monthly budget; undefined for an unknown user. */
  changeBudget(of: { uid: string; change: BudgetChange }): Promise<Profile | undefined>
  /**
   * Sets or ends the budget of a key. Budgets of keys that are not among `keys`, the user's keys, are
   * removed: those keys were revoked. `full` when KEY_BUDGETS_MAX other keys have one.
   */
  changeKeyBudget(of: {
    uid: string
    keyHash: string
    change: BudgetChange
    keys: readonly string[]
  }): Promise<Profile | 'full' | undefined>
  /** Records when the user's own skills changed: `nowMs`, or one more than the stored value. */
  noteSkillsChanged(uid: string, nowMs: number): Promise<void>
}

/** Lists and finds users without a scan; strongly consistent. `Profiles` writes what is read here. */
export type UserDirectory = {
  /**
   * Users whose folded name begins with `prefix`, by name and uid, after the place `after`. A page may
   * have fewer than `limit` users and still a `next`, where the filter left too many out.
   */
  page(
    of: UserFilter & {
      readonly prefix: string
      readonly after?: UserPlace | undefined
      readonly limit: number
    },
  ): Promise<{ readonly users: readonly ListedUser[]; readonly next: UserPlace | undefined }>
  /** The user with this identity. */
  uidOf(identity: string): Promise<string | undefined>
}

/** The users who took a name, latest last. Some may have another name by now. */
export type UsernameClaim = { readonly uids: readonly string[]; readonly version: number }

/** Claims are never removed, so a version never comes twice. */
export type Usernames = {
  /** Strongly consistent; version 0 for a name that nobody took. */
  read(name: string): Promise<UsernameClaim>
  /** Writes the claim if the stored version is one less; false when it is another. */
  write(name: string, claim: UsernameClaim): Promise<boolean>
}

/**
 * Records of the earlier service: credits:{uid}, tier:{uid}, user:uid:{hash}. It may still read and
 * write them, so no record is removed: amounts are taken out, and keys are marked as moved.
 */
export type V0Records = {
  /** A user at one moment. */
  read(uid: string): Promise<V0User>
  /**
   * Takes an amount out of credits:{uid} and puts it into the profile, new or existing, with a
   * grant `moveId` in the ledger. One transaction. False, and nothing is changed, when any of these
   * records has changed since it was read, when this `moveId` was carried out before, or when the user is
   * leaving.
   */
  move(move: V0Move): Promise<boolean>
  /** Switches whether sweeps look for credits added late. Makes no user. */
  watch(uid: string, on: boolean): Promise<void>
  findKey(keyHash: string): Promise<V0Key | undefined>
  /**
   * Puts the key's entry in the user's list, then the key, and marks the old records as moved.
   * False, and no key is put, when they have changed since they were found, or were moved before.
   */
  moveKey(key: { record: KeyRecord; spellings: readonly string[] }): Promise<boolean>
  /**
   * Up to `limit` hashes of keys that are queued to be moved, since they were used; strongly
   * consistent.
   */
  queuedKeys(limit: number): Promise<readonly string[]>
  /** Takes a key out of that queue. */
  dequeueKey(keyHash: string): Promise<void>
  /**
   * Reads up to `limit` records of the whole store, in no particular order, and returns those of
   * the earlier service. `next` goes into `after`; it is undefined at the end. Returns undefined
   * when `after` is no position of this store.
   */
  scan(from: {
    after?: string
    limit: number
  }): Promise<{ records: readonly V0Record[]; next: string | undefined } | undefined>
}
