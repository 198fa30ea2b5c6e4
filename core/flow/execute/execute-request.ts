/** Request and response of the execute flow, and the answer that a refusal becomes. */
import type { Credential } from '../../access/credential.ts'
import type { CallTerms, ExecuteAnswer, ExecuteBody } from '../../call/execute.ts'
import { type ProblemExtras, toProblem } from '../../call/problem.ts'
import type { Refusal } from '../../errors.ts'
import type { LinkSettings } from '../../login/paths.ts'
import type { StartedJob } from '../../ports/jobs.ts'
import type { UpstreamListener } from '../../ports/outside.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Step } from '../../ports/sessions.ts'
import type { TaskTaker } from '../../ports/tasks.ts'
import type { SecretPlace, SecretUsed } from '../../secrets/secret.ts'

export type ExecuteNeeds = Pick<
  Ports,
  | 'idempotencyRecords'
  | 'jobs'
  | 'callExcerpts'
  | 'callLookup'
  | 'changes'
  | 'clock'
  | 'digests'
  | 'events'
  | 'hooks'
  | 'ids'
  | 'keptResults'
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
  readonly logins: Pick<Ports['logins'], 'readSecret'>
  readonly secretSeals: Pick<Ports['secretSeals'], 'open' | 'seal'>
  readonly oauthClient: Pick<Ports['oauthClient'], 'refresh'>
  readonly sharedSecrets: Pick<Ports['sharedSecrets'], 'noteUse'>
}

export type ExecuteRequest = {
  readonly credential: Credential
  readonly body: ExecuteBody
  /** True if the call came through `<prefix>_call`, which only some users have. */
  readonly byName?: boolean | undefined
  /** Only our own functions set the terms (proven by IAM). */
  readonly terms: CallTerms | undefined
  /** The validated Idempotency-Key of the client; undefined if it sent none. */
  readonly idempotencyKey: string | undefined
  /** Aborts when the caller has disconnected. */
  readonly gone: AbortSignal
  /** The timer of the request; if undefined, each wait uses a timer of its own. */
  readonly alarm?: Ports['clock']['alarm'] | undefined
  /** User-Agent of a REST client; the terms of an agent's call name the agent's client. */
  readonly client?: string | undefined
  readonly traceId?: string | undefined
  /** The caller's token of an issuer, for a token exchange. In no record, log or message. */
  readonly callerToken?: string | undefined
  /** For a link to the page of missing secrets; undefined for calls without a user, as dry runs. */
  readonly linkSettings?: LinkSettings | undefined
  /** The caller takes a task for its answer (MCP 2026-07-28). */
  readonly task?: TaskTaker | undefined
  readonly listener?: UpstreamListener | undefined
}

export type ExecuteResponse = {
  readonly answer: ExecuteAnswer
  /** RateLimit, RateLimit-Policy and Retry-After; empty if the request was not counted. */
  readonly headers: { readonly [name: string]: string }
  /** True when a repeat with the same Idempotency-Key gets the first answer again. */
  readonly replayed?: true
  /**
   * The call failed before anything was sent, or the upstream asked for input. A retry with the
   * same Idempotency-Key runs the call, and so does the round that brings the input.
   */
  readonly freesKey?: true
  /**
   * The owners of the secrets that the call used; absent if it needed none or could not load them.
   */
  readonly secretsUsed?: readonly SecretUsed[]
  /** Shared secrets that may have reached the upstream. */
  readonly sharedSent?: readonly SecretPlace[]
  /**
   * Steps to run in this order after the answer is sent. A successful call writes its outcome and
   * releases its hold; a failed call stores its excerpt. Then the day of a shared secret's use is
   * noted, and events are sent for the limits of credits that the call crossed.
   */
  readonly after?: readonly Step[]
}

/** A call that has run and whose answer is not yet kept or sent. */
export type EndedCall = Omit<ExecuteResponse, 'headers' | 'replayed'> & {
  /** Writes outcome and release of a success. Never throws. */
  readonly settle?: Step
  /** The upstream goes on with a job, for a caller that takes a task: nothing has ended. */
  readonly begun?: StartedJob
}

/** Returns the answer for a refusal, with the id of the call. */
export function toProblemAnswer(
  callId: string,
  refusal: Refusal,
  extras: Omit<ProblemExtras, 'callId'> = {},
): { readonly answer: ExecuteAnswer } {
  return { answer: { kind: 'problem', body: toProblem(refusal, { callId, ...extras }) } }
}
