/**
 * The light client of an AWS service (ADR 0061): signed JSON requests, with the SDK's retries, the correction
 * of a wrong clock, and credentials that are read again after they expire.
 */
import { BrokenAnswer, type Exchange } from '../exchange.ts'
import { type Credentials, signer } from '../sign-request.ts'
import type { JsonService } from './json-service.ts'
import { retryBudget, retryPauseMs } from './retry-budget.ts'
import { errorOf, ServiceError, troubleOf } from './service-error.ts'
import { type Signing, signingState } from './signing-state.ts'

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

export function signedCalls(
  service: JsonService,
  exchange: Exchange,
  options: SignedCallsOptions,
): SignedCalls {
  const { attemptsMax, pauseMs } = service.limits
  const { nowMs = Date.now } = options
  const attempt = makeAttempt(service, exchange, { ...options, nowMs })
  const state = signingState(options.credentials, nowMs)
  const budget = retryBudget()
  const retryAfter = (cause: unknown, signing: Signing, tries: number) => {
    const trouble = troubleOf(cause)
    if (tries >= attemptsMax || trouble === 'final') return undefined
    const cost = state.repair(trouble, cause, signing) ? budget.take(trouble) : undefined
    if (cost === undefined) return undefined
    const pause = { trouble, tries, pauseMs, askedMs: readRequestedPauseMs(cause) }
    return { cost, pauseMs: retryPauseMs(pause) }
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
  const sign = signer(signingName, region)
  return async (operation: string, body: string, signing: Signing): Promise<ParsedAnswer> => {
    const types = { 'content-type': contentType, 'x-amz-target': `${targetPrefix}${operation}` }
    const request = { method: 'POST', url: endpoint, headers: types, body }
    const headers = sign(request, signing.credentials, nowMs() + signing.offsetMs)
    const answer = await exchange.send({ ...request, headers })
    if (answer.status !== 200) throw errorOf(service, answer)
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
