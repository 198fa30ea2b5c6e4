/** Ports for sessions of agents, their streams, and the functions that answer them. */
import type { Credential } from '../access/credential.ts'
import type { DryRunOrder, DryRunReport } from '../call/dry-run.ts'
import type { CallTerms, ExecuteBody, GivenAnswer } from '../call/execute.ts'
import type { Result } from '../errors.ts'
import type {
  HandedMessage,
  OpeningCount,
  PendingRequest,
  Session,
  SessionNews,
  StoredReply,
  StreamLease,
} from '../session/session.ts'
import type { VoidReason } from './ledger.ts'
import type { UpstreamListener } from './outside.ts'
import type { TaskTaker } from './tasks.ts'

export type Sessions = {
  create(session: Session): Promise<void>
  /**
   * Accepts one POST with one write, only if the session exists, has not ended and its stream has
   * renewed it (`aliveUntilMs` > nowMs). Sets lastPostAtMs; a request also gets seq + 1 and is
   * appended to `pending`. `writeToken` (random) makes a repeated write harmless. Returns the
   * changed session; undefined if the POST must get 404; `full` if `pending` already has
   * PENDING_MAX requests.
   */
  accept(post: {
    hash: string
    nowMs: number
    writeToken: string
    request: PendingRequest | undefined
    /** The client that an `initialize` names; the same write stores it in the record. */
    client?: string | undefined
  }): Promise<Session | 'full' | undefined>
  /** Strongly consistent. */
  read(hash: string): Promise<Session | undefined>
  /** The stream promises to serve POSTs until `aliveUntilMs`. */
  renew(hash: string, aliveUntilMs: number): Promise<void>
  /** Removes delivered requests: the base becomes `base` if it is still `ifBase`. Repeatable. */
  forget(change: { hash: string; ifBase: number; base: number }): Promise<void>
  /**
   * Writes endedAt, so that later POSTs get 404; with `ifSeq`, only if no newer request came.
   * Returns true if the session has ended, now or before.
   */
  end(end: { hash: string; nowMs: number; ifSeq?: number }): Promise<boolean>
}

export type ReplyStream = {
  /**
   * Appends the sealed reply for one seq as a whole (the adapter splits a long one over items). The
   * first reply of a seq is kept: `taken` means that the seq already has one.
   */
  append(reply: { hash: string } & StoredReply): Promise<'appended' | 'taken'>
  /**
   * Reports the session record at once and after each change, and each reply exactly once, in any
   * order, until `signal` aborts. Waits while the store fails.
   */
  tail(hash: string, signal: AbortSignal): AsyncIterable<SessionNews>
}

export type StreamLeases = {
  /** Puts a new lease. An existing one stays unchanged. */
  put(lease: StreamLease): Promise<void>
  /**
   * Extends a lease to its `expiresAtMs`, unless it is valid longer. Returns false if the lease was
   * removed: another stream has taken its slot. Then no lease is made.
   */
  renew(lease: StreamLease): Promise<boolean>
  /** All unexpired leases (strongly consistent). */
  list(nowMs: number): Promise<readonly StreamLease[]>
  /** Unexpired leases of one key, or of callers without a key. */
  listOfKey(keyHash: string, nowMs: number): Promise<readonly StreamLease[]>
  /** Counts an opening whose lease was put before. */
  countOpening(nowMs: number): Promise<OpeningCount>
  /**
   * Records that the opener has listed `listed` leases after `count`; the next openers count from
   * there. Does nothing if another list was recorded since.
   */
  noteListed(count: OpeningCount, listed: number, nowMs: number): Promise<void>
  remove(lease: { keyHash: string; session: string }): Promise<void>
}

/**
 * Clients' answers to requests that a running call sent them. An answer passes from the process
 * that receives the POST to the one that waits. `hash` is made of the request's id and the caller's
 * credential.
 */
export type ClientResponses = {
  /** Allows one answer to be put until `expiresAtMs`. Repeatable. */
  expect(question: { hash: string; expiresAtMs: number }): Promise<void>
  /** Stores the first answer. Returns false if none is expected (any more) or one came before. */
  put(answer: { hash: string; sealed: Uint8Array; nowMs: number }): Promise<boolean>
  /** Strongly consistent; undefined while there is no answer. */
  read(hash: string): Promise<Uint8Array | undefined>
}

/** The messages door, as the sse door calls it. */
export type MessagesDoor = {
  /**
   * Resolves when the door has accepted (202). Throws `Fault('internal')` if it cannot be reached.
   */
  handOn(message: HandedMessage): Promise<void>
}

/** One piece of work after an answer, such as a write to the ledger. */
export type Step = () => Promise<void>

/** What the calls of one request share (core/flow/access/call-scope.ts). */
export type CallScope = {
  /** Like `Clock.alarm`; all waits of the scope share one timer. */
  alarm(ms: number, ring: () => void): () => void
  /** Takes steps of a call that runs or has ended. They run after the request is answered. */
  follow(steps: readonly Step[] | Promise<readonly Step[]>): void
}

/**
 * Makes calls by the flow of execute in the same process. Its door voids calls for sse, which makes
 * none (proven by IAM).
 */
export type ExecuteDoor = {
  /**
   * `signal` says that the caller waits no longer: in the same process it stops the call, elsewhere
   * it ends the wait. After that the promise's outcome is ignored. The door runs the steps of its
   * calls itself; in the same process the `scope` gets them. Throws `Fault` if the door cannot be
   * reached.
   */
  execute(
    call: {
      credential: Credential
      body: ExecuteBody
      terms: CallTerms
      /** Of the client: one execution and one charge, whichever door it comes to. */
      idempotencyKey?: string | undefined
      /**
       * The caller's token of an issuer, for a token exchange. Used only in the same process: it is
       * never sent to another function.
       */
      callerToken?: string | undefined
      /** Used only in the same process; elsewhere no call goes on behind its answer. */
      task?: TaskTaker | undefined
      /** Used only in the same process. */
      listener?: UpstreamListener | undefined
    },
    signal: AbortSignal,
    scope: CallScope,
  ): Promise<GivenAnswer>
  /**
   * Makes the call free, whether it runs or has ended. Repeatable; allowed within 60 s. `charged`:
   * its answer was given to a repeat under its Idempotency-Key before, so the call is paid for.
   */
  voidCall(call: { uid: string; callId: string; reason: VoidReason }): Promise<'free' | 'charged'>
}

/** The execute door as the admin function calls it; no other function may (ADR 0054). */
export type DryRuns = {
  /** Refuses a skill that cannot run. Throws `Fault('internal')` if the door cannot be reached. */
  run(order: DryRunOrder): Promise<Result<DryRunReport>>
}
