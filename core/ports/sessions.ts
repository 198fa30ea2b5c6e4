/** Sessions of agents, their streams, and the functions that answer them. */
import type { DryRunOrder, DryRunReport } from '../call/dry-run.ts'
import type { CallTerms, ExecuteAnswer, ExecuteBody } from '../call/execute.ts'
import type { Result } from '../errors.ts'
import type { HandedMessage } from '../session/handed-message.ts'
import type {
  OpeningCount,
  PendingRequest,
  Session,
  SessionNews,
  StoredReply,
  StreamLease,
} from '../session/session.ts'
import type { TaskTaker } from './tasks.ts'

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
    call: {
      authorization: string
      body: ExecuteBody
      terms: CallTerms
      /** Taken only in the same process; elsewhere no call goes on behind its answer. */
      task?: TaskTaker | undefined
    },
    signal: AbortSignal,
    scope: CallScope,
  ): Promise<ExecuteAnswer>
  /** Makes the call free, whether it runs or has ended. Repeatable; allowed within 60 s. */
  voidCall(call: { uid: string; callId: string; reason: 'void' | 'cancelled' }): Promise<void>
}

/** The execute door as the admin function reaches it, which no other may (ADR 0054). */
export type DryRuns = {
  /** Refuses a skill that cannot run. Throws `Fault('internal')` when the door cannot be reached. */
  run(order: DryRunOrder): Promise<Result<DryRunReport>>
}
