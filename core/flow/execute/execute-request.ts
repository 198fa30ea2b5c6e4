/** Request and response of the execute flow, and the answer that a refusal becomes. */
import type { CallTerms, ExecuteAnswer, ExecuteBody } from '../../call/execute.ts'
import { type ProblemExtras, problemOf } from '../../call/problem.ts'
import type { Refusal } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Step } from '../../ports/sessions.ts'
import type { TaskTaker } from '../../ports/tasks.ts'
import type { SecretUsed } from '../../secrets/secret.ts'
import type { SecretPlace } from '../../secrets/secret-place.ts'

export type ExecuteNeeds = Pick<
  Ports,
  | 'idempotencyRecords'
  | 'callExcerpts'
  | 'callLookup'
  | 'changes'
  | 'clock'
  | 'digests'
  | 'events'
  | 'hooks'
  | 'ids'
  | 'keys'
  | 'ledger'
  | 'v0'
  | 'log'
  | 'rateCounters'
  | 'profiles'
  | 'schemas'
  | 'seals'
  | 'secrets'
  | 'sweepEntries'
  | 'toolsCache'
  | 'upstream'
> & {
  readonly secretSeals: Pick<Ports['secretSeals'], 'open'>
  readonly sharedSecrets: Pick<Ports['sharedSecrets'], 'noteUse'>
}

export type ExecuteRequest = {
  /** The user's Authorization header. */
  readonly authorization: string | undefined
  readonly body: ExecuteBody
  /** Set only by our own functions (proven by IAM). */
  readonly terms: CallTerms | undefined
  /** The Idempotency-Key header, already validated; only users send it. */
  readonly idempotencyKey: string | undefined
  /** Aborts when the caller is known to be gone. */
  readonly gone: AbortSignal
  /** The timer of the request; undefined: each wait has one of its own. */
  readonly alarm?: Ports['clock']['alarm'] | undefined
  /** User-Agent of a REST client; for an agent's call the terms name its client. */
  readonly client?: string | undefined
  readonly traceId?: string | undefined
  /** The caller takes a task for its answer (MCP 2026-07-28). */
  readonly task?: TaskTaker | undefined
}

export type ExecuteResponse = {
  readonly answer: ExecuteAnswer
  /** RateLimit, RateLimit-Policy and Retry-After; empty where no minute was counted. */
  readonly headers: { readonly [name: string]: string }
  /** True when a repeat with the same Idempotency-Key gets the first answer again. */
  readonly replayed?: true
  /**
   * The call failed before anything was sent, or the upstream asked for input. A retry with the
   * same Idempotency-Key runs the call, and so does the round that brings the input.
   */
  readonly freesKey?: true
  /** Whose secrets the call took; absent when it needed none, or could not load them. */
  readonly secretsUsed?: readonly SecretUsed[]
  /** Shared secrets that may have reached the upstream. */
  readonly sharedSent?: readonly SecretPlace[]
  /**
   * What is left to do when the answer has been sent, one after the other: outcome and release of a successful call, or
   * the excerpt of a failed one; the day of a shared secret's use; what the call has crossed, as an event.
   */
  readonly after?: readonly Step[]
}

/** A call that has run, before its answer is kept or sent. */
export type EndedCall = Omit<ExecuteResponse, 'headers' | 'replayed'> & {
  /** Writes outcome and release of a success. Never throws. */
  readonly settle?: Step
}

export function problemAnswer(
  callId: string,
  refusal: Refusal,
  extras: Omit<ProblemExtras, 'callId'> = {},
): { readonly answer: ExecuteAnswer } {
  return { answer: { kind: 'problem', body: problemOf(refusal, { callId, ...extras }) } }
}
