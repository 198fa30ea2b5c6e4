/**
 * Ports for credits: the records that a call reads, holds and outcomes, events, kept answers, and
 * the entries of the sweep. The races are drawn above the writes in adapters/dynamodb/ledger.
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
import type { EventTargetText } from '../settings/event-target.ts'
import type { Candidates } from '../skills/skill.ts'
import type { ToolState } from '../usage/failing-tools.ts'

/**
 * Reads the records that a call needs in one batch. Reads a second batch only if a claim differs.
 */
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
 * Why a call is made free. Its caller took it back (`cancelled`), its caller will not get its
 * answer (`void`), or its process died (`crashed`): only this one is answered as interrupted under
 * an Idempotency-Key.
 */
export type VoidReason = 'void' | 'cancelled' | 'crashed'

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
  /**
   * Moves the deadline of a task's hold, only forward. Returns the profile, also if the deadline
   * was later before; undefined if that hold is gone. Repeatable.
   */
  prolong(of: {
    uid: string
    callId: string
    placement: number
    untilMs: number
  }): Promise<Profile | undefined>
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
   * there is none. The outcome stays settled if the call made a later one free (`forgive`) or if
   * its charge stays (`keepCharge`).
   */
  voidSettled(request: {
    uid: string
    callId: string
    reason: VoidReason
    nowMs: number
  }): Promise<Outcome | undefined>
  /**
   * Makes a settled call free because the equal call `paidBy` was charged before it, in one
   * transaction: the call becomes `refunded (repeat)`, its amount comes back, and `paidBy` notes
   * this call in `forgave`. Returns false and changes nothing unless both are settled and neither
   * has made another call free.
   */
  forgive(request: { uid: string; callId: string; paidBy: string; nowMs: number }): Promise<boolean>
  /**
   * Makes the charge of a settled outcome stay: afterwards no void gives it back. Repeatable.
   * Returns the stored outcome, which is unchanged if it is refunded; undefined if there is none.
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
   * Uids of the users who may have a debt, in their order, strongly consistent: those for whom a
   * correction was written that could pass 0. A user whose debt was paid stays in the list, so
   * callers compare the balance. `next` goes into `after`.
   */
  debtors(of: { after?: string; limit: number }): Promise<{
    uids: readonly string[]
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
   * event. Like `end` and `noteTry`, does nothing to an event that was sent again since it was
   * read.
   */
  claim(event: EventRecord, nextAtMs: number): Promise<EventRecord | undefined>
  /** Ends a pending event. Returns false if it has ended already or was sent again. */
  end(event: EventRecord & { readonly endedAtMs: number }): Promise<boolean>
  /**
   * Stores, in an event that stays pending, which targets took it in this delivery, why the others
   * did not, and the time of the next one. If another delivery has begun since, stores only who
   * took it.
   */
  noteTry(
    event: EventRecord,
    tried: Required<Pick<EventRecord, 'taken' | 'errors' | 'nextAtMs'>>,
  ): Promise<void>
  /** Strongly consistent; undefined for an unknown or expired event. */
  find(eventId: string): Promise<EventRecord | undefined>
  /** Which tools fail for everybody, as the last run found it; undefined before the first run. */
  readTools(): Promise<ToolState | undefined>
  /**
   * Stores the state and pending events in one transaction, if the stored state still has the slot
   * `seen`. Otherwise writes nothing and returns false.
   */
  recordTools(of: {
    seen: number | undefined
    state: ToolState
    events: readonly EventRecord[]
  }): Promise<boolean>
  /** Makes an ended event pending again with all its tries; undefined if there is no such event. */
  resend(of: { eventId: string; nowMs: number }): Promise<EventRecord | undefined>
}

/** A receiver of events. */
export type EventTarget = Pick<EventTargetText, 'name' | 'types'> & {
  /** Delivers the event, perhaps again. Never throws. */
  deliver(event: EventRecord): Promise<Result<'delivered', DeliveryError>>
}

/** A sentence about the receiver, or this sentence and what the receiver says of later tries. */
export type DeliveryError =
  | string
  | {
      readonly reason: string
      /** No later try can succeed before somebody changes the receiver. */
      readonly isFinal?: true
      /** The receiver takes nothing for so long. */
      readonly retryAfterMs?: number
    }

/**
 * First answers of calls with an Idempotency-Key, kept for ANSWER_TTL_SEC (24 h) and sealed. `id`
 * is a hash of user and key. A record goes claimed → kept, or claimed → removed. If the caller took
 * the call back, another attempt may claim its record.
 */
export type IdempotencyRecords = {
  /**
   * Claims the id for one attempt if it is free or its record has expired; otherwise returns the
   * stored record. If the stored claim has the same `writeToken`, the result is `claimed`: this
   * attempt wrote it and the store's answer was lost. `over` is the write token of a record that
   * this claim may replace, whether that record has an answer or not.
   */
  claim(
    claim: AnswerClaim & { readonly over?: string | undefined },
  ): Promise<{ kind: 'claimed' } | { kind: 'standing'; answer: StoredAnswer }>
  /** Strongly consistent; undefined if the id is free. The record may have expired. */
  find(id: string): Promise<StoredAnswer | undefined>
  /**
   * Keeps the sealed answer of the attempt that claimed the id. The adapter splits a long answer.
   * If the record has another write token or an answer, nothing changes.
   */
  keep(kept: { id: string; writeToken: string; sealed: KeptAnswer }): Promise<void>
  /**
   * Keeps the sealed id of the task that the attempt has become, until its answer follows. Returns
   * false and changes nothing if another attempt has the id, or it has an answer. Repeatable.
   */
  keepTask(task: { id: string; writeToken: string; sealed: Uint8Array }): Promise<boolean>
  /**
   * Frees the id if this attempt still claims it and kept no answer. For a call that did nothing.
   */
  drop(claim: { id: string; writeToken: string }): Promise<void>
}

/** A user with an entry in a minute; `at` is the position of the entry in that minute. */
export type SweepEntry = { readonly uid: string; readonly at: string }

/** The entries of one minute in their order, as far as they could be read. */
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
 * The users whom the sweep checks for open holds of ended calls: users with a call that was counted
 * in a minute (`RateCounters.count`), and users entered with `put`. Entries expire after
 * SWEEP_ENTRY_TTL_SEC.
 */
export type SweepEntries = {
  /** Enters a user in a minute without counting a call. */
  put(entry: { uid: string; minute: number }): Promise<void>
  /**
   * About `limit` users of that minute after the position `after` ('' for the start), strongly
   * consistent. A user appears once for each API key. `entered`: only users entered with `put`, once
   * each.
   */
  list(
    minute: number,
    page: { after: string; limit: number; entered?: true },
  ): Promise<SweepEntryList>
  /** Undefined before the first sweep. */
  readCursor(): Promise<SweepCursor | undefined>
  /** Moves the cursor forward. A cursor before the stored one changes nothing. */
  writeCursor(cursor: SweepCursor): Promise<void>
}
