/**
 * The light client of an AWS service (docs/design/store.md#two-clients-of-dynamodb): signed JSON requests, with the SDK's retries, the
 * correction of a wrong clock, and credentials that are read again after they expire.
 */
import { BrokenAnswer, type Exchange } from '../exchange.ts'
import { type Credentials, makeSigner } from '../sign-request.ts'
import type { JsonService } from './json-service.ts'
import { drawRetryPauseMs, makeRetryBudget } from './retry-budget.ts'
import { classifyError, type ErrorClass, makeServiceError, ServiceError } from './service-error.ts'

export type SignedCallsOptions = {
  readonly endpoint: URL
  readonly region: string
  /** Called at the first request, and again if the service answers that they have expired. */
  readonly credentials: () => Credentials
  /** Reads the wall clock. */
  readonly nowMs?: () => number
}

export type ParsedAnswer = { [member: string]: unknown }

export type SignedCalls = {
  /** Rejects with an error that has AWS's name. */
  send(operation: string, body: string): Promise<ParsedAnswer>
}

export function makeSignedCalls(
  service: JsonService,
  exchange: Exchange,
  options: SignedCallsOptions,
): SignedCalls {
  const { attemptsMax, pauseMs } = service.limits
  const { nowMs = Date.now } = options
  const attempt = makeAttempt(service, exchange, { ...options, nowMs })
  const state = makeSigningState(options.credentials, nowMs)
  const budget = makeRetryBudget()
  const retryAfter = (cause: unknown, signing: Signing, tries: number) => {
    const trouble = classifyError(cause)
    if (tries >= attemptsMax || trouble === 'final') return undefined
    const cost = state.repair(trouble, cause, signing) ? budget.take(trouble) : undefined
    if (cost === undefined) return undefined
    const pause = { trouble, tries, pauseMs, askedMs: readRequestedPauseMs(cause) }
    return { cost, pauseMs: drawRetryPauseMs(pause) }
  }
  return {
    async send(operation, body) {
      let retry: ReturnType<typeof retryAfter>
      for (let tries = 1; ; tries += 1) {
        const signing = state.current()
        try {
          const answer = await attempt(operation, body, signing)
          budget.answered(retry?.cost)
          return answer
        } catch (cause) {
          retry = retryAfter(cause, signing, tries)
          if (retry === undefined) throw cause
        }
        await sleep(retry.pauseMs)
      }
    },
  }
}

type AttemptOptions = Pick<SignedCallsOptions, 'endpoint' | 'region'> & {
  readonly nowMs: () => number
}

function makeAttempt(service: JsonService, exchange: Exchange, options: AttemptOptions) {
  const { contentType, label, signingName, targetPrefix } = service
  const { endpoint, nowMs, region } = options
  const sign = makeSigner(signingName, region)
  return async (operation: string, body: string, signing: Signing): Promise<ParsedAnswer> => {
    const types = { 'content-type': contentType, 'x-amz-target': `${targetPrefix}${operation}` }
    const request = { method: 'POST', url: endpoint, headers: types, body }
    const headers = sign(request, signing.credentials, nowMs() + signing.offsetMs)
    const answer = await exchange.send({ ...request, headers })
    if (answer.status !== 200) throw makeServiceError(service, answer)
    return parseAnswer(answer.body, label)
  }
}

/** The pause that the server requests; 0 if it requests none. */
function readRequestedPauseMs(cause: unknown): number {
  // NaN without such a header.
  const asked = cause instanceof ServiceError ? Number(cause.headers['x-amz-retry-after']) : 0
  return Number.isFinite(asked) ? asked : 0
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function parseAnswer(body: Buffer, label: string): ParsedAnswer {
  try {
    const value: unknown = JSON.parse(body.toString())
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch (cause) {
    throw new BrokenAnswer(`${label}: the answer is not JSON`, cause)
  }
  throw new BrokenAnswer(`${label}: the answer is not a JSON object`)
}

/**
 * What requests are signed with: credentials, and the difference between the server's clock and
 * this one. An answer that refuses one of them corrects it for all later requests. Requests run in
 * parallel, so each is compared with the values that signed it.
 */
type SigningState = {
  current(): Signing
  /** Corrects the values. False if another try would have the same signature and fail again. */
  repair(trouble: ErrorClass, cause: unknown, by: Signing): boolean
}

type Signing = {
  readonly credentials: Credentials
  /** The server's clock minus this one, in ms. */
  readonly offsetMs: number
}

/**
 * Services accept signatures of the last five minutes, so a smaller difference is not the reason.
 */
const SKEW_MS = 240_000

function makeSigningState(read: () => Credentials, nowMs: () => number): SigningState {
  let now: Signing | undefined
  const current = () => {
    now ??= { credentials: read(), offsetMs: 0 }
    return now
  }
  return {
    current,
    repair: (trouble, cause, by) => {
      if (trouble === 'expired') {
        now = { ...current(), credentials: read() }
        return !areSame(now.credentials, by.credentials)
      }
      if (trouble !== 'skewed') return true
      const offsetMs = readServerTimeMs(cause) - nowMs()
      const isOff = Math.abs(offsetMs - by.offsetMs) >= SKEW_MS
      if (isOff) now = { ...current(), offsetMs }
      return isOff
    },
  }
}

function areSame(one: Credentials, other: Credentials): boolean {
  return one.accessKeyId === other.accessKeyId && one.sessionToken === other.sessionToken
}

/** The time in the answer; NaN without a date, or for an answer from a cache. */
function readServerTimeMs(cause: unknown): number {
  if (!(cause instanceof ServiceError)) return Number.NaN
  const { age, date } = cause.headers
  return age === undefined ? Date.parse(String(date)) : Number.NaN
}
