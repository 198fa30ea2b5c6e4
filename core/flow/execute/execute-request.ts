/** What the execute flow takes and gives, and how a refusal becomes its answer. */
import type { CallTerms, ExecuteAnswer, ExecuteBody } from '../../call/execute.ts'
import { type ProblemExtras, problemOf } from '../../call/problem.ts'
import type { Refusal } from '../../errors.ts'
import type { Ports } from '../../ports.ts'

export type ExecuteNeeds = Pick<
  Ports,
  | 'idempotencyRecords'
  | 'callLookup'
  | 'clock'
  | 'digests'
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
  | 'upstream'
> & { readonly secretSeals: Pick<Ports['secretSeals'], 'open'> }

export type ExecuteRequest = {
  /** The user's Authorization header. */
  readonly authorization: string | undefined
  readonly body: ExecuteBody
  /** Only from our own functions (proven by IAM). */
  readonly terms: CallTerms | undefined
  /** The header of that name, checked; only from users. */
  readonly idempotencyKey: string | undefined
  /** Aborts when the caller is known to be gone. */
  readonly gone: AbortSignal
}

export type ExecuteResponse = {
  readonly answer: ExecuteAnswer
  /** RateLimit, RateLimit-Policy and Retry-After; empty where no minute was counted. */
  readonly headers: { readonly [name: string]: string }
  /** True for the first answer given again to a repeat with the same Idempotency-Key. */
  readonly replayed?: true
  /**
   * It failed before anything was sent, or the upstream asked for input: whoever repeats it asks for
   * the first time, and whoever answers may do so under the same Idempotency-Key.
   */
  readonly unasked?: true
  /** To be run after the answer was sent: outcome and release of a successful call. */
  readonly after?: () => Promise<void>
}

export function problemAnswer(
  callId: string,
  refusal: Refusal,
  extras: Omit<ProblemExtras, 'callId'> = {},
): { readonly answer: ExecuteAnswer } {
  return { answer: { kind: 'problem', body: problemOf(refusal, { callId, ...extras }) } }
}
