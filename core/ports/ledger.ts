/** Credits: holds, outcomes, what a call reads, and what the sweep looks through. */
import type { AnswerClaim, KeptAnswer, StoredAnswer } from '../call/idempotency.ts'
import type { Result } from '../errors.ts'
import type { EventRecord, EventState } from '../events/event.ts'
import type { EventMark } from '../ledger/event-marks.ts'
import type { HoldRequest } from '../ledger/hold-request.ts'
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
   * (undefined when there is none): a settled one whose charge stays (`keepCharge`) is not changed.
   */
  voidSettled(request: {
    uid: string
    callId: string
    reason: 'void' | 'cancelled'
    nowMs: number
  }): Promise<Outcome | undefined>
  /**
   * Makes the charge of a settled outcome stay: from now on no void gives it back. Repeatable. Returns the
   * outcome that stands, which is unchanged if it is refunded; undefined when there is none.
   */
  keepCharge(key: { uid: string; callId: string }): Promise<Outcome | undefined>
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
