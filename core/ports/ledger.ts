/**
 * Ports for credits: holds, outcomes, the reads of a call, events, and the entries of the sweep.
 */
import type { AnswerClaim, KeptAnswer, StoredAnswer } from '../call/idempotency.ts'
import type { Result } from '../errors.ts'
import type { EventRecord, EventState } from '../events/event.ts'
import type { EventMark } from '../ledger/event-marks.ts'
import type { HoldRequest } from '../ledger/judge-hold.ts'
import type {
  Counted,
  Grant,
  GrantAnswer,
  HoldAnswer,
  NewGrant,
  Outcome,
  Profile,
} from '../ledger/ledger.ts'
import type { Candidates } from '../skills/skill.ts'

/** Reads the records that decide a call in one batch; a second batch only if a claim differs. */
export type CallLookup = {
  /**
   * `name` is the name that the agent sent, `skillId` is that name with the prefix, and `cut` is
   * the name without a leading `{username}_`. A private skill is searched by its claimed tool name
   * first, then by the skill ids. Official and market records may be up to 30 s old.
   */
  read(query: { uid: string; name: string; skillId: string; cut: string | undefined }): Promise<{
    profile: Profile | undefined
    candidates: Candidates
  }>
}

/**
 * Moves of money. Each write changes one item and can be repeated; `voidSettled` and `grant` are
 * transactions.
 */
export type Ledger = {
  /**
   * Subtracts `hold.amount`, counts it in the budgets and adds the hold, if credits, budgets and
   * the number of holds have room.
   */
  hold(request: HoldRequest): Promise<HoldAnswer>
  /** Puts the outcome unless the call has one. Returns the stored outcome. */
  decide(outcome: Outcome): Promise<Outcome>
  /**
   * Removes the hold if it still exists, and gives its amount back if `giveBack`. With `placement`,
   * only the hold of that number is removed; a release that keeps the amount must name it. The
   * budgets that counted the amount are reduced when it is given back, if they are still in its
   * month. With `counted`, a store may begin with the budgets of the hold and save one try. Returns
   * the profile after the release in either case; undefined if the user is unknown.
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
   * whether the hold was released or not. One transaction. Returns the stored outcome; undefined if
   * there is none. A call that forgave a later one, or whose charge stays (`keepCharge`), stays settled.
   */
  voidSettled(request: {
    uid: string
    callId: string
    reason: 'void' | 'cancelled'
    nowMs: number
  }): Promise<Outcome | undefined>
  /**
   * Makes a settled call free because the equal call `paidBy` was charged before it, in one
   * transaction: the call becomes `refunded (repeat)`, its amount comes back, and `paidBy` notes
   * this call in `forgave`. Returns false, and changes nothing, unless both are settled and neither
   * has forgiven a call.
   */
  forgive(request: { uid: string; callId: string; paidBy: string; nowMs: number }): Promise<boolean>
  /**
   * Makes the charge of a settled outcome stay: from now on no void gives it back. Repeatable. Returns the
   * outcome that stands, which is unchanged if it is refunded; undefined when there is none.
   */
  keepCharge(key: { uid: string; callId: string }): Promise<Outcome | undefined>
  /**
   * Adds credits once per grantId; a negative amount takes credits. One transaction, which fails
   * for a user who is being deleted: no grant comes after the write that makes the user `deleting`.
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
   * Removes the reasons from the grants of one page of `grants`, and sends those grants to the
   * archive again. Returns the `after` of the next page; undefined after the last one. Repeatable.
   */
  dropReasons(of: { uid: string; after?: string; limit: number }): Promise<string | undefined>
}

/** Events of users, from their mark in the profile to the end of their delivery. */
export type Events = {
  /**
   * Sets the mark in the profile and stores the event in one transaction. If the mark does not fit
   * (core/ledger/event-marks.ts), writes nothing and returns the profile; undefined for an unknown
   * user.
   */
  record(of: {
    uid: string
    mark: EventMark
    event: EventRecord
  }): Promise<
    { readonly recorded: true } | { readonly recorded: false; profile: Profile | undefined }
  >
  /** Removes the mark of a low balance if it is still this one. */
  rearm(of: { uid: string; told: string }): Promise<void>
  /** Stores a pending event without a mark. */
  put(event: EventRecord): Promise<void>
  /**
   * Strongly consistent. Pending events come oldest first, others newest first. `after` is the id
   * of the last event of the previous page.
   */
  list(of: { state: EventState; after?: string | undefined; limit: number }): Promise<{
    events: readonly EventRecord[]
    next: string | undefined
  }>
  /**
   * Counts a delivery that begins and sets the time of the next one. The event must be pending, and
   * no delivery may have begun since it was read; otherwise returns undefined. Returns the changed
   * event. Like `end` and `noteError`, does nothing to an event that was sent again since it was
   * read.
   */
  claim(event: EventRecord, nextAtMs: number): Promise<EventRecord | undefined>
  /** Ends a pending event. Returns false if it has ended already or was sent again. */
  end(event: EventRecord & { readonly endedAtMs: number }): Promise<boolean>
  /** Stores why a delivery failed in an event that stays pending. */
  noteError(event: EventRecord, error: string): Promise<void>
  /** Makes an ended event pending again with all its tries; undefined if there is no such event. */
  resend(of: { eventId: string; nowMs: number }): Promise<EventRecord | undefined>
}

/** The receiver of events. */
export type EventTarget = {
  /** Delivers the event, perhaps again. An error is a sentence about the receiver. Never throws. */
  deliver(event: EventRecord): Promise<Result<'delivered', string>>
}

/**
 * First answers of calls with an Idempotency-Key, kept for ANSWER_TTL_SEC (24 h) and sealed. `id`
 * is a hash of user and key. One record goes claimed → kept, or claimed → gone. The record of a call
 * that its caller took back is claimed by another attempt.
 */
export type IdempotencyRecords = {
  /**
   * Claims the id for one attempt if it is free or its record has expired; otherwise returns the
   * record that stands. The same `writeToken` again (our own write, its answer lost) counts as
   * claimed. `over` is the write token of a record that it replaces, kept or not.
   */
  claim(
    claim: AnswerClaim & { readonly over?: string | undefined },
  ): Promise<{ kind: 'claimed' } | { kind: 'standing'; answer: StoredAnswer }>
  /** Strongly consistent; undefined where the id is free. The record may have expired. */
  find(id: string): Promise<StoredAnswer | undefined>
  /** Keeps the sealed answer for the attempt that claimed, whole (split by the adapter if long). */
  keep(kept: { id: string; writeToken: string; sealed: KeptAnswer }): Promise<void>
  /** Frees the id, if this attempt still claims it: its call did nothing. */
  drop(claim: { id: string; writeToken: string }): Promise<void>
}

/** A user who is entered in a minute; `at` is the entry's position in the order of that minute. */
export type SweepEntry = { readonly uid: string; readonly at: string }

/** Users who are entered in one minute, in their order, as far as they could be read. */
export type SweepEntryList = {
  readonly entries: readonly SweepEntry[]
  /** The `after` of the next read; undefined if no entries follow. */
  readonly next: string | undefined
  /** Why a part of the minute could not be read. */
  readonly trouble?: unknown
}

/** The progress of the sweep. */
export type SweepCursor = {
  /** All minutes before this one have been visited. */
  readonly minute: number
  /** The entries of `minute` up to this position have been visited too; '' for none. */
  readonly after: string
  /** Minutes that were visited early: the newest ones, while older ones wait. Both are included. */
  readonly ahead?: { readonly from: number; readonly to: number } | undefined
}

/**
 * Where the sweep finds users with holds that their calls left behind: the users whose calls a
 * minute counted (`RateCounters.count`), and those who were put. Entries expire after
 * SWEEP_ENTRY_TTL_SEC.
 */
export type SweepEntries = {
  /** Enters a user without counting. */
  put(entry: { uid: string; minute: number }): Promise<void>
  /**
   * About `limit` users of that minute after the position `after` ('' for the start), strongly
   * consistent. A uid comes once for each of its keys.
   */
  list(minute: number, page: { after: string; limit: number }): Promise<SweepEntryList>
  /** Undefined before the first sweep. */
  readCursor(): Promise<SweepCursor | undefined>
  /** Moves the cursor forward. A cursor before the stored one changes nothing. */
  writeCursor(cursor: SweepCursor): Promise<void>
}
