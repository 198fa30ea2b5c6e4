/**
 * Every outside dependency as a small type. Each has an implementation over DynamoDB (or node), one
 * in memory, and one contract suite in test/contracts that both pass. No AWS word here. All store
 * ports throw `Fault('store_unavailable')` when the store does not answer or throttles past the
 * adapter's retries; every other outcome is a value.
 */

import type { AdminKey } from './access/admin-key.ts'
import type { KeyRecord } from './access/principal.ts'
import type { ListedUser, UserFilter, UserPlace } from './access/user-directory.ts'
import type { V0Key, V0Record } from './access/v0-key.ts'
import type { ArchiveEntry, ArchiveObject } from './archive/archive-entry.ts'
import type { AuditHead, AuditRecord } from './audit/audit-record.ts'
import type { DryRunOrder, DryRunReport } from './call/dry-run.ts'
import type { CallTerms, ExecuteAnswer, ExecuteBody } from './call/execute.ts'
import type { AnswerClaim, StoredAnswer } from './call/idempotency.ts'
import type {
  RequestHead,
  TargetVerdict,
  UpstreamAnswer,
  UpstreamRequest,
  UpstreamResponse,
} from './call/upstream.ts'
import type { StatusFault } from './call/upstream-fault.ts'
import type { FieldFault, Result } from './errors.ts'
import type { EventRecord, EventState } from './events/event.ts'
import type { Json, JsonObject } from './json/json.ts'
import type { BudgetChange } from './ledger/budget.ts'
import type { ChangedProfile, ProfileChange } from './ledger/change-profile.ts'
import type { EventMark } from './ledger/event-marks.ts'
import type { HoldRequest } from './ledger/hold-request.ts'
import type {
  Counted,
  Grant,
  GrantAnswer,
  HoldAnswer,
  MicroCredits,
  NewGrant,
  Outcome,
  Profile,
} from './ledger/ledger.ts'
import type { V0Move, V0User } from './ledger/v0.ts'
import type {
  FoundSecret,
  SealFailure,
  SecretContext,
  SecretDate,
  SecretUsed,
  SharedSecret,
  SharedSecretDate,
  StoredSecret,
} from './secrets/secret.ts'
import type { SecretPlace } from './secrets/secret-place.ts'
import type { HandedMessage } from './session/handed-message.ts'
import type {
  OpeningCount,
  PendingRequest,
  Session,
  SessionNews,
  StoredReply,
  StreamLease,
} from './session/session.ts'
import type { MarkdownParts } from './skills/markdown-skill.ts'
import type { Candidates, SkillRecord, SkillSource, Tool } from './skills/skill.ts'
import type { UsagePage } from './usage/usage-page.ts'
import type { HourSums, Series, UsageHead, UsageSum } from './usage/usage-sum.ts'

export type Clock = {
  nowMs(): number
  /** Resolves after `ms`, or at once when `signal` aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
  /**
   * Calls `ring` after `ms`, unless the returned function was called before. For waits that nearly always end early:
   * a sleep that is cut by its signal costs three times as much.
   */
  alarm(ms: number, ring: () => void): () => void
}

export type Ids = {
  /** `bytes` of cryptographic randomness, base64url without padding. */
  token(bytes: number): string
}

export type Digests = {
  /** sha256 of the UTF-8 text, base64url without padding (43 characters). */
  sha256(text: string): string
  /** Constant-time comparison of two digests made by `sha256`. */
  equal(a: string, b: string): boolean
}

/** AES-256-GCM under HKDF(session id): a copy of the store opens nothing. Gzips when that helps. */
export type Seals = {
  /** `purpose` is bound to the ciphertext (`authorization`, `reply#12`). */
  seal(sessionId: string, purpose: string, text: string): Uint8Array
  /** Throws `Fault('internal')` when it does not open (other session, other purpose, changed). */
  open(sessionId: string, purpose: string, sealed: Uint8Array): string
}

/** The credentials of administrators. */
export type AdminSecrets = {
  /**
   * The values of each kind that are valid now: one, or two during a rotation. May be up to a
   * minute old. Throws `Fault('store_unavailable')` when they cannot be read: then no administrator
   * gets in.
   */
  read(): Promise<{
    readonly internalApiSecrets: readonly string[]
    readonly adminKeys: readonly string[]
  }>
}

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

export type Skills = {
  /** Strongly consistent. `uid` is needed for `private` and ignored elsewhere. */
  get(key: { source: SkillSource; skillId: string; uid?: string }): Promise<SkillRecord | undefined>
  /**
   * Writes the record if the stored version is `ifVersion` (0: none) and its own was never written;
   * false otherwise. Keeps it as a version, and removes the oldest one that is kept.
   */
  put(record: SkillRecord, ifVersion: number): Promise<boolean>
  /** Removes the record if it still has this version; false when it has another, or is gone. */
  remove(
    key: { source: SkillSource; skillId: string; uid?: string },
    ifVersion: number,
  ): Promise<boolean>
  /** One page in skillId order; strongly consistent. `limit` ≤ 1000. */
  list(of: { source: SkillSource; uid?: string; after?: string; limit: number }): Promise<{
    records: readonly SkillRecord[]
    /** skillId to pass as `after`; undefined on the last page. */
    next: string | undefined
  }>
  /**
   * Claims toolname:{uid}/{toolName} for a private skill. The first claim stands; returns its
   * skillId.
   */
  claimToolName(claim: { uid: string; toolName: string; skillId: string }): Promise<string>
  /** Removes every claim of the user's. Repeatable. */
  dropToolNames(uid: string): Promise<void>
}

/**
 * Whole versions of skills: the last SKILL_VERSIONS_KEPT of each, also of deleted ones. `put` of
 * {@link Skills} writes a version with its skill, and removes the oldest.
 */
export type SkillVersions = {
  /** Newest first, strongly consistent; with `before` only those below it. `next` goes into `before`. */
  list(of: SkillVersionsOf & { readonly before?: number; readonly limit: number }): Promise<{
    versions: readonly SkillRecord[]
    next: number | undefined
  }>
  /** Strongly consistent. */
  get(of: SkillVersionsOf & { readonly version: number }): Promise<SkillRecord | undefined>
  /**
   * Removes up to `limit` versions of the user's private skills, in no particular order; true when none
   * is left.
   */
  dropOwned(of: { readonly uid: string; readonly limit: number }): Promise<boolean>
}

/** `uid` is needed for `private` and ignored elsewhere. */
export type SkillVersionsOf = {
  readonly source: SkillSource
  readonly skillId: string
  readonly uid?: string | undefined
}

/** The records that decide a call, read in one batch; a second one only where a claim differs. */
export type CallLookup = {
  /**
   * `name` is the name that the agent sent, `skillId` the same with the prefix enforced, and `cut`
   * the name without a leading `{username}_`. A private skill is looked up by its claimed tool name
   * first, then by the skill ids. Official and market records may be up to 30 s old.
   */
  read(query: { uid: string; name: string; skillId: string; cut: string | undefined }): Promise<{
    profile: Profile | undefined
    candidates: Candidates
  }>
}

export type ToolsCache = {
  /** The list; undefined when there is none. Functions cache it by version. */
  read(): Promise<{ version: string; tools: readonly Tool[] } | undefined>
  /**
   * Writes a new version, then flips the head if it still names `ifVersion` (undefined: no list).
   * Returns the new version, or undefined when another writer flipped first.
   */
  write(tools: readonly Tool[], ifVersion: string | undefined): Promise<string | undefined>
  /**
   * Gives the same list a new version, if the head still names `ifVersion`. A writer that read that
   * version and has not written yet must read again. False when another writer was first.
   */
  renew(ifVersion: string): Promise<boolean>
  /** Removes the list, so that only built-in tools are left. */
  drop(): Promise<void>
  /** Stores a piece of a list under construction for TOOLS_DRAFT_TTL_SEC; returns its new id. */
  stage(tools: readonly Tool[]): Promise<string>
  /** A piece as it was staged; undefined when the id is unknown or has expired. */
  staged(id: string): Promise<readonly Tool[] | undefined>
}

export type ToolListVersion = {
  /** Time of the last global tool refresh, as of now; 0 before the first. */
  read(): Promise<number>
  /**
   * The same for callers that ask again and again: up to a second stale, or up to `ageMsMax` where that is
   * less, and not older than what this process has seen or written.
   */
  recent(ageMsMax?: number): Promise<number>
  /**
   * Writes `nowMs`, or one more than the stored value if that is not smaller; returns the value.
   */
  write(nowMs: number): Promise<number>
}

/** The tool list of anybody, or the outcome of one call. */
export type ChangeTopic = 'tool-lists' | `call:${string}`

/**
 * Notifies of changes, where the store can. Other stores stay silent, so callers poll as well.
 */
export type Changes = {
  /**
   * Calls `onChange` soon after each change, by this process or another, and sometimes without one.
   * `onChange` must not throw. Returns a function that ends the listening.
   */
  listen(topic: ChangeTopic, onChange: () => void): () => void
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
 * Money. Each write changes one item and may be repeated; `voidSettled` and `grant` are
 * transactions.
 */
export type Ledger = {
  /**
   * Subtracts `hold.amount`, counts it in the budgets and adds the hold, if credits, budgets and
   * number of holds have room for it.
   */
  hold(request: HoldRequest): Promise<HoldAnswer>
  /** Puts the outcome unless the call has one; returns the one that stands. */
  decide(outcome: Outcome): Promise<Outcome>
  /**
   * Removes the hold if it is still there, and gives its amount back if `giveBack`. With
   * `placement` it removes only the hold of that number; a release that keeps the amount must name
   * it. An amount given back leaves the budgets that counted it, if they are still in its month. With
   * `counted` a store may begin with the budgets of the hold and need one try the less.
   * Returns the profile after it in either case; undefined when the user is unknown.
   */
  release(release: {
    uid: string
    callId: string
    giveBack: boolean
    placement?: number
    counted?: Counted | undefined
  }): Promise<Profile | undefined>
  /** Strongly consistent. */
  find(key: { uid: string; callId: string }): Promise<Outcome | undefined>
  /**
   * Outcomes of a user, newest call first (call ids sort by time), strongly consistent. `before` is
   * a call id: only older ones. `next` goes into `before` for the next page. `limit` ≤ 100.
   */
  list(of: { uid: string; before?: string; limit: number }): Promise<{
    outcomes: readonly Outcome[]
    next: string | undefined
  }>
  /**
   * Turns a `settled` outcome into `refunded` with `reason` and gives its amount back exactly once,
   * whether the hold was released or not. One transaction. Returns the outcome that stands
   * (undefined when there is none).
   */
  voidSettled(request: {
    uid: string
    callId: string
    reason: 'void' | 'cancelled'
    nowMs: number
  }): Promise<Outcome | undefined>
  /**
   * Adds credits once per grantId, or takes them by a negative amount. One transaction, which a user who is leaving
   * refuses: no grant comes after the write that makes the user `deleting`.
   */
  grant(grant: NewGrant): Promise<GrantAnswer>
  /**
   * Grants and corrections of a user by grantId, strongly consistent. `next` goes into `after` for
   * the next page. `limit` ≤ GRANTS_PAGE_MAX.
   */
  grants(of: { uid: string; after?: string; limit: number }): Promise<{
    grants: readonly Grant[]
    next: string | undefined
  }>
  /**
   * Takes the reasons out of the grants of one page, as `grants` has it, and tells the archive of them again. Answers
   * the `after` of the next page; undefined behind the last one. Repeatable.
   */
  dropReasons(of: { uid: string; after?: string; limit: number }): Promise<string | undefined>
}

/** Events of users, from their mark in the profile to the end of their delivery. */
export type Events = {
  /**
   * Sets the mark in the profile and stores the event, in one transaction. Otherwise the profile that refused
   * the mark (core/ledger/event-marks.ts), undefined for an unknown user; then nothing is written.
   */
  record(of: {
    uid: string
    mark: EventMark
    event: EventRecord
  }): Promise<
    { readonly recorded: true } | { readonly recorded: false; profile: Profile | undefined }
  >
  /** Takes the mark of a low balance away, if it is still this one. */
  rearm(of: { uid: string; told: string }): Promise<void>
  /** Stores a pending event that marks nothing. */
  put(event: EventRecord): Promise<void>
  /**
   * Strongly consistent; pending events oldest first, others newest first. `after` is the id of the last event
   * of the page before.
   */
  list(of: { state: EventState; after?: string | undefined; limit: number }): Promise<{
    events: readonly EventRecord[]
    next: string | undefined
  }>
  /**
   * Counts a delivery that begins, and sets the time of the next one, if the event is pending and nobody has
   * begun one since it was read. Returns the event after it; undefined when another delivery began first. Like
   * `end` and `noteError`, it does nothing to an event that was sent again since it was read.
   */
  claim(event: EventRecord, nextAtMs: number): Promise<EventRecord | undefined>
  /** Ends a pending event; false when it has ended already, or was sent again. */
  end(event: EventRecord & { readonly endedAtMs: number }): Promise<boolean>
  /** Notes why a delivery failed, in an event that stays pending. */
  noteError(event: EventRecord, error: string): Promise<void>
  /** Makes an event that has ended pending again, with all its tries; undefined when there is none. */
  resend(of: { eventId: string; nowMs: number }): Promise<EventRecord | undefined>
}

/** Where events go. */
export type EventTarget = {
  /** Delivers the event, perhaps again; an error is a sentence about the receiver. Never throws. */
  deliver(event: EventRecord): Promise<Result<'delivered', string>>
}

/** Calls by the slot of time in which they started, in pages. */
export type UsagePages = {
  /** A page with the same id is the same page. Pages live for the time that the ledger is hot. */
  put(page: UsagePage): Promise<void>
  /**
   * All pages of a slot that were put before, and perhaps later ones, by their ids; strongly consistent.
   * Each page is read and decoded when it is asked for, and the event loop serves others in between.
   */
  list(slot: number): AsyncIterable<UsagePage>
}

/** Sums of hours that are over. */
export type UsageSums = {
  /**
   * The last hour that is closed, and the last whose sums are written, with all hours before it.
   * Undefined before the first. Strongly consistent.
   */
  readHead(): Promise<UsageHead | undefined>
  /** Moves one of the two forward; an earlier hour than the stored one changes nothing. */
  moveHead(to: { closed: number } | { rolled: number }): Promise<void>
  /** How often the hour's sums were written; 0 before. Strongly consistent. */
  version(hour: number): Promise<number>
  /** Writes all sums of an hour if `version` is what is stored; false when it is another. */
  write(written: { hour: number; version: number; sums: HourSums }): Promise<boolean>
  /** Sums of one series by hour, from one hour to another, both included; strongly consistent. */
  read(of: {
    series: Series
    from: number
    to: number
  }): Promise<ReadonlyMap<number, readonly UsageSum[]>>
  /** The series `skill` by hour, for a function that may read no sums of users. */
  readSkills(of: { from: number; to: number }): Promise<ReadonlyMap<number, readonly UsageSum[]>>
}

/**
 * Entries of the ledger that were written or changed, until they are taken, numbered in the order of writing. The
 * twin's store keeps them; on AWS the table's stream brings them.
 */
export type LedgerNews = {
  /** The oldest `limit` of those behind `after` and up to `upTo`. A call that changed twice may come twice, as it is now. */
  read(of: {
    after?: number
    upTo?: number
    limit: number
  }): Promise<{ entries: readonly ArchiveEntry[]; upTo: number }>
  /** Forgets all up to there: then the store may end them with their time. */
  done(upTo: number): Promise<void>
}

/**
 * Where the ledger and the trail of changes are kept for good. No object is replaced or removed. Throws
 * `Fault('store_unavailable')` when it does not answer.
 */
export type Archive = {
  /** The object is durable once this answers. A name that is taken keeps its object. */
  put(object: ArchiveObject): Promise<void>
  /** Names that begin with `prefix`, sorted. */
  list(prefix: string): Promise<readonly string[]>
  /** Undefined for an unknown name; `Fault('internal')` for bytes that are no object of ours. */
  read(name: string): Promise<string | undefined>
}

/** Masked answers of upstreams to failed calls, for administrators; kept for a week. */
export type CallExcerpts = {
  put(excerpt: { uid: string; callId: string; text: string; expiresAtMs: number }): Promise<void>
  find(call: { uid: string; callId: string }): Promise<string | undefined>
  /** Removes up to `limit` of a user's; true when none is left. */
  dropOwned(of: { uid: string; limit: number }): Promise<boolean>
}

/**
 * First answers of calls with an Idempotency-Key, kept for ANSWER_TTL_SEC (24 h) and sealed. `id`
 * is a hash of user and key. One record goes claimed → kept, or claimed → gone.
 */
export type IdempotencyRecords = {
  /**
   * Claims the id for one attempt if it is free or its record has expired; otherwise returns the
   * record that stands. The same `writeToken` again (our own write, its answer lost) counts as
   * claimed.
   */
  claim(
    claim: AnswerClaim,
  ): Promise<{ kind: 'claimed' } | { kind: 'standing'; answer: StoredAnswer }>
  /** Keeps the sealed answer for the attempt that claimed, whole (split by the adapter if long). */
  keep(kept: { id: string; writeToken: string; sealed: Uint8Array | 'too_large' }): Promise<void>
  /** Frees the id, if this attempt still claims it: its call did nothing. */
  drop(claim: { id: string; writeToken: string }): Promise<void>
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

/** A user entered in a minute; `at` is the entry's place in the order of that minute. */
export type SweepEntry = { readonly uid: string; readonly at: string }

/** Users entered in one minute, as far as they could be read, in their order. */
export type SweepEntryList = {
  readonly entries: readonly SweepEntry[]
  /** To be asked `after` for those that follow; undefined: there are none. */
  readonly next: string | undefined
  /** Why a part of the minute could not be read. */
  readonly trouble?: unknown
}

/** How far the sweep has come. */
export type SweepCursor = {
  /** All minutes before this one have been visited. */
  readonly minute: number
  /** The entries of `minute` up to this place have been visited, too; '': none. */
  readonly after: string
  /** Minutes that were visited before those between: the newest, while a backlog lasted. Both are included. */
  readonly ahead?: { readonly from: number; readonly to: number } | undefined
}

/**
 * Where the sweep looks for holds that their calls left behind: the users whose calls a minute counted
 * (`RateCounters.count`), and those who were put. Entries end by themselves after SWEEP_ENTRY_TTL_SEC.
 */
export type SweepEntries = {
  /** Enters a user without counting. */
  put(entry: { uid: string; minute: number }): Promise<void>
  /**
   * About `limit` of the users entered in that minute, strongly consistent, from the first `after` a place ('': all)
   * on. A uid may come more than once, for each of its keys.
   */
  list(minute: number, page: { after: string; limit: number }): Promise<SweepEntryList>
  /** Undefined before the first sweep. */
  readCursor(): Promise<SweepCursor | undefined>
  /** Moves the cursor forward; one whose `minute` and `after` are behind the stored ones changes nothing. */
  writeCursor(cursor: SweepCursor): Promise<void>
}

export type Sessions = {
  create(session: Session): Promise<void>
  /**
   * Accepts one POST: one write, only if the session exists, has not ended and its stream vouches
   * for itself (`aliveUntilMs` > nowMs). Sets lastPostAtMs; a request also gets seq + 1 and is
   * appended to `pending`. `writeToken` (random) makes a repeated write harmless.
   * Returns the session after it; undefined when the POST must get 404; `full` when `pending` holds
   * PENDING_MAX requests and this is one more.
   */
  accept(post: {
    hash: string
    nowMs: number
    writeToken: string
    request: PendingRequest | undefined
    /** Of an `initialize`: kept in the record, in the same write. */
    client?: string | undefined
  }): Promise<Session | 'full' | undefined>
  /** Strongly consistent. */
  read(hash: string): Promise<Session | undefined>
  /** The stream vouches for itself until `aliveUntilMs`. */
  renew(hash: string, aliveUntilMs: number): Promise<void>
  /** Forgets delivered requests: the base becomes `base` if it is still `ifBase`. Repeatable. */
  forget(change: { hash: string; ifBase: number; base: number }): Promise<void>
  /**
   * Writes endedAt, so that later POSTs get 404; with `ifSeq` only if no newer request came.
   * True when the session has ended, now or before.
   */
  end(end: { hash: string; nowMs: number; ifSeq?: number }): Promise<boolean>
}

export type ReplyStream = {
  /**
   * Appends the sealed reply for one seq, whole (split over items by the adapter if it is long).
   * The first reply of a seq stands: `taken` means that the seq has one already.
   */
  append(reply: { hash: string } & StoredReply): Promise<'appended' | 'taken'>
  /**
   * Reports the session record whenever it changed (first at once) and each reply exactly once, in
   * whatever order they were appended, until `signal` aborts. Waits while the store fails.
   */
  tail(hash: string, signal: AbortSignal): AsyncIterable<SessionNews>
}

export type StreamLeases = {
  /** A new lease. One that stands stays as it is. */
  put(lease: StreamLease): Promise<void>
  /**
   * Lets a lease stand until its `expiresAtMs`, or longer where it does so already. False when there is
   * none any more: another stream has taken its place, and this makes none.
   */
  renew(lease: StreamLease): Promise<boolean>
  /** All unexpired leases (strongly consistent). */
  list(nowMs: number): Promise<readonly StreamLease[]>
  /** Those of one key, or of nobody. */
  listOfKey(keyHash: string, nowMs: number): Promise<readonly StreamLease[]>
  /** Counts an opening, whose lease was put before. */
  countOpening(nowMs: number): Promise<OpeningCount>
  /**
   * The opener has listed all leases after `count` and found so many: the next ones count on from there. Does
   * nothing where another list was noted since.
   */
  noteListed(count: OpeningCount, listed: number, nowMs: number): Promise<void>
  remove(lease: { keyHash: string; session: string }): Promise<void>
}

/**
 * Clients' answers to requests that a running call sent them. They pass from the process that
 * receives the POST to the one that waits. `hash` is made of the request's id and the caller's
 * credential.
 */
export type ClientResponses = {
  /** Lets one answer be put, until `expiresAtMs`. Repeatable. */
  expect(question: { hash: string; expiresAtMs: number }): Promise<void>
  /** Keeps the first answer; false when none is expected (any more), or one came before. */
  put(answer: { hash: string; sealed: Uint8Array; nowMs: number }): Promise<boolean>
  /** Strongly consistent; undefined while there is none. */
  read(hash: string): Promise<Uint8Array | undefined>
}

/** The messages door, as the sse door reaches it. */
export type MessagesDoor = {
  /**
   * Resolves when the door has accepted (202); throws `Fault('internal')` when it cannot be
   * reached.
   */
  handOn(message: HandedMessage): Promise<void>
}

/** One thing that is done behind an answer, such as a write to the ledger. */
export type Step = () => Promise<void>

/** What the calls of one request share (core/flow/access/call-scope.ts). */
export type CallScope = {
  /** As `Clock.alarm`; all waits of the scope share one timer. */
  alarm(ms: number, ring: () => void): () => void
  /** Takes the steps of a call that runs or has ended: they run when the request is answered. */
  follow(steps: readonly Step[] | Promise<readonly Step[]>): void
}

/** Makes calls: by the flow of execute in the same process, or by its door, as our own functions reach it (proven by IAM). */
export type ExecuteDoor = {
  /**
   * `signal` says that the caller waits no more: in the same process it stops the call, elsewhere the waiting. What
   * the promise does from then on is nobody's. The door runs the steps of its calls itself; in the same process the
   * `scope` gets them. Throws `Fault` when the door cannot be reached.
   */
  execute(
    call: { authorization: string; body: ExecuteBody; terms: CallTerms },
    signal: AbortSignal,
    scope: CallScope,
  ): Promise<ExecuteAnswer>
  /** Makes the call free, whether it runs or has ended. Repeatable; allowed within 60 s. */
  voidCall(call: { uid: string; callId: string; reason: 'void' | 'cancelled' }): Promise<void>
}

export type Upstream = {
  /**
   * Sends one request; `signal` cuts it (answer `cut`). Reads at most `responseBytesMax` bytes. A
   * connection that has carried a body of the user `uid` carries no other user's request.
   */
  send(request: UpstreamRequest, limits: UpstreamLimits): Promise<UpstreamAnswer>
}

/** What `Upstream` would do with a request, by the same rules. Opens no connection. */
export type UpstreamPreviews = {
  /** Resolves the name. */
  target(url: string): Promise<TargetVerdict>
  /** The error is a clause without a full stop: a header that cannot be sent. */
  head(request: UpstreamRequest): Promise<Result<RequestHead, string>>
}

/** The execute door as the admin function reaches it, which no other may (ADR 0054). */
export type DryRuns = {
  /** Refuses a skill that cannot run. Throws `Fault('internal')` when the door cannot be reached. */
  run(order: DryRunOrder): Promise<Result<DryRunReport>>
}

export type UpstreamLimits = {
  readonly responseBytesMax: number
  readonly signal: AbortSignal
  readonly uid: string
  /** Lower-case names of response headers that the answer shall have. */
  readonly showHeaders?: readonly string[] | undefined
  /**
   * Called when a connection for the request is open (at once for a kept one), and when the first byte of an
   * answer comes; again for each redirect. Must not throw.
   */
  readonly onStep?: ((step: UpstreamStep) => void) | undefined
  /** Called with the headers of each answer, redirects too: names and values by turns. Must not throw. */
  readonly onHeaders?: ((headers: readonly string[]) => void) | undefined
}

export type UpstreamStep = 'connected' | 'first-byte'

/** skill:secrets:{uid} and skill:secrets:{uid}:{skillId}, sealed; `SecretSeals` opens them. */
export type SecretStore = {
  /**
   * The stored secrets of these names, of the skill and of the user in one batch, and with `withShared`
   * the gateway's own in the same batch; those that do not exist are left out. May be up to
   * SECRET_CACHE_MS old; that a name has none at all is never cached.
   */
  find(of: {
    uid: string
    skillId: string
    names: readonly string[]
    withShared?: boolean
  }): Promise<readonly FoundSecret[]>
  /** Puts or replaces one; `too_many` when the record would hold more than SECRETS_MAX names. */
  put(secret: StoredSecret & { readonly uid: string }): Promise<'stored' | 'too_many'>
  /** False when there is none. */
  remove(of: { uid: string; skillId: string | undefined; name: string }): Promise<boolean>
  /**
   * All of a user's without their values, strongly consistent; global ones first, then by skill and
   * name.
   */
  list(uid: string): Promise<readonly SecretDate[]>
}

/** The gateway's own secrets, which serve users who have none of the name. Found by `SecretStore`. */
export type SharedSecrets = {
  /**
   * Puts or replaces one. With `keepPreviousUntilMs` the value that it replaces stays beside it, as
   * `previous`; without, none does. `too_many` when the record would hold more than
   * SHARED_SECRETS_MAX names.
   */
  put(secret: SharedSecret, keepPreviousUntilMs?: number): Promise<'stored' | 'too_many'>
  /** With its previous value. False when there is none. */
  remove(place: SecretPlace): Promise<boolean>
  /** All without their values, strongly consistent; those for all skills first, then by skill and name. */
  list(): Promise<readonly SharedSecretDate[]>
  /** Notes that one was used on this day, counted from 1970. An earlier day changes nothing. */
  noteUse(use: SecretPlace & { readonly day: number }): Promise<void>
}

/** Seals and opens one value under `{uid, skillId, name, binding}`: moved anywhere else it does not open. */
export type SecretSeals = {
  /** Does not throw for trouble with the key. */
  seal(context: SecretContext, value: string): Promise<Result<Uint8Array, SealFailure>>
  /** Does not throw either; a failure holds no part of the value. */
  open(context: SecretContext, sealed: Uint8Array): Promise<Result<string, SealFailure>>
}

/**
 * Named pieces of code around an upstream call (`plugin_hook`), one file each in adapters/hooks.
 */
export type Hooks = {
  /**
   * For a process that loads its hooks late: answers once the rest may be asked for. Throws `Fault('internal')` where they
   * cannot be loaded.
   */
  open?(): Promise<void>
  /**
   * Faults of a skill's `plugin_options` (pointers into them); undefined when there is no such
   * hook.
   */
  optionFaults(name: string, options: JsonObject): readonly FieldFault[] | undefined
  /** Names of the secrets that the hook will ask for. */
  secretNames(name: string, options: JsonObject): readonly string[]
  /** Where the hook itself sends requests, beside the skill's endpoint: URLs out of its options. */
  urls(name: string, options: JsonObject): readonly string[]
  before(
    name: string,
    request: UpstreamRequest,
    context: HookContext,
  ): Promise<Result<UpstreamRequest, HookFailure>>
  /**
   * `again` asks for one more round, `before` included (say, a token was stale); granted once a
   * call.
   */
  after(
    name: string,
    response: UpstreamResponse,
    context: HookContext,
  ): Promise<Result<UpstreamResponse | 'again', HookFailure>>
}

/** The context of one round (`before`, sends, `after`): the same object throughout. */
export type HookContext = {
  readonly uid: string
  readonly skillId: string
  readonly options: JsonObject
  readonly secrets: ReadonlyMap<string, string>
  /** Sends under the same rules, deadline and limits as the call itself. */
  send(request: UpstreamRequest): Promise<UpstreamAnswer>
  /** From now on `value` is masked like a secret in the call's answer, as `[secret name]`. */
  conceal(name: string, value: string): void
  /**
   * `text` with every secret and concealed value of the call masked. A hook that converts an answer
   * masks it first: a conversion may spell a secret as no mask knows it.
   */
  mask(text: string): string
  readonly signal: AbortSignal
}

/** Text for the model; holds no secret and no argument value. */
export type HookFailure = StatusFault & { readonly detail: string }

export type Schemas = {
  /** Faults of `value` under a JSON Schema (2020-12); [] when it fits. */
  faults(schema: JsonObject, value: Json): readonly FieldFault[]
  /** What is wrong with the schema itself; [] when it can be used. */
  schemaFaults(schema: JsonObject): readonly FieldFault[]
  /** What `faults` does not check of a schema without faults: patterns that no linear search can express. */
  notices(schema: JsonObject): readonly FieldFault[]
  /** Loads what `faults` needs for this schema. A failure is a `Fault`. */
  open(schema: JsonObject): Promise<void>
}

/** The parsers behind Markdown skills. */
export type SkillMarkdown = {
  /**
   * The parts of the text. Refuses with `invalid_skill`, and the line, a part that is missing,
   * doubled, or not valid YAML or JSON. Never throws because of the text.
   */
  read(text: string): Promise<Result<MarkdownParts>>
}

/** The parsers behind OpenAPI documents. Neither follows a reference or opens anything. */
export type OpenApiDocuments = {
  /** JSON or YAML. Refuses with `malformed` or `too_large`; never throws because of the text. */
  read(text: string): Promise<Result<JsonObject>>
  /** Swagger 2.0 and OpenAPI 3.0 become 3.1; 3.1 and 3.2 stay. Refuses other versions. */
  upgrade(document: JsonObject): Promise<Result<JsonObject>>
}

/** One line per call; allow-listed fields, no argument values, no secrets. */
export type CallLine = {
  readonly callId: string
  readonly uid: string
  readonly username: string
  readonly skillId: string
  readonly source: SkillSource
  readonly outcome: 'settled' | 'refunded' | 'free' | 'refused'
  /** ErrorCode where it failed or was refused. */
  readonly code: string | undefined
  readonly upstreamStatus: number | undefined
  /** From sending to the last byte, or to the cut; undefined when nothing was sent. */
  readonly upstreamMs: number | undefined
  readonly durationMs: number
  /**
   * Amount of the hold that this call placed and ended; 0 without one, or if the sweep must end it.
   */
  readonly held: MicroCredits
  readonly charged: MicroCredits
  readonly refunded: MicroCredits
  readonly remaining: MicroCredits
  /** Whose secrets the call took; absent when it needed none, or could not load them. */
  readonly secretsUsed?: readonly SecretUsed[]
}

/** Ids, counts and codes only. A list holds measurements. */
export type NoteFields = {
  readonly [name: string]: string | number | boolean | readonly number[] | undefined
}

export type Log = {
  call(line: CallLine): void
  /** `event` is a constant in kebab-case. */
  note(level: 'info' | 'warn' | 'error', event: string, fields?: NoteFields, cause?: unknown): void
}

export type Ports = {
  readonly adminKeys: AdminKeys
  readonly adminSecrets: AdminSecrets
  readonly auditTrail: AuditTrail
  readonly clock: Clock
  readonly ids: Ids
  readonly digests: Digests
  readonly seals: Seals
  readonly keys: Keys
  readonly rateCounters: RateCounters
  readonly skills: Skills
  readonly skillVersions: SkillVersions
  readonly callLookup: CallLookup
  readonly toolsCache: ToolsCache
  readonly toolListVersion: ToolListVersion
  readonly changes: Changes
  readonly profiles: Profiles
  readonly usernames: Usernames
  readonly userDirectory: UserDirectory
  readonly ledger: Ledger
  readonly callExcerpts: CallExcerpts
  readonly events: Events
  readonly usagePages: UsagePages
  readonly usageSums: UsageSums
  readonly v0: V0Records
  readonly sweepEntries: SweepEntries
  readonly idempotencyRecords: IdempotencyRecords
  readonly sessions: Sessions
  readonly replies: ReplyStream
  readonly leases: StreamLeases
  readonly clientResponses: ClientResponses
  readonly messages: MessagesDoor
  readonly execute: ExecuteDoor
  readonly upstream: Upstream
  readonly upstreamPreviews: UpstreamPreviews
  readonly dryRuns: DryRuns
  readonly hooks: Hooks
  readonly secretSeals: SecretSeals
  readonly secrets: SecretStore
  readonly sharedSecrets: SharedSecrets
  readonly schemas: Schemas
  readonly skillMarkdown: SkillMarkdown
  readonly openApiDocuments: OpenApiDocuments
  readonly log: Log
}

/** The ports that one store implements. */
export type StorePorts = Pick<
  Ports,
  | 'events'
  | 'callExcerpts'
  | 'adminKeys'
  | 'auditTrail'
  | 'idempotencyRecords'
  | 'changes'
  | 'toolListVersion'
  | 'callLookup'
  | 'clientResponses'
  | 'keys'
  | 'leases'
  | 'ledger'
  | 'v0'
  | 'rateCounters'
  | 'profiles'
  | 'replies'
  | 'secrets'
  | 'sessions'
  | 'sharedSecrets'
  | 'skills'
  | 'skillVersions'
  | 'sweepEntries'
  | 'toolsCache'
  | 'usagePages'
  | 'usageSums'
  | 'usernames'
  | 'userDirectory'
>
