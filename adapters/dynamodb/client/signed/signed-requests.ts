/**
 * The light client of the sweep and of the functions that agents wait for (ADR 0061): JSON over HTTP, signed by hand, with the
 * SDK's retries, repair of a wrong clock, and credentials that are read again when they have expired. Knows
 * DynamoDB's operations on items and nothing of records.
 */

import type { Credentials } from '../../../aws/sign-request.ts'
import { ATTEMPTS_MAX } from '../limits.ts'
import type { StoreAnswers, StoreInputs, StoreOperation, StoreRequests } from '../store-requests.ts'
import { type Exchange, type ExchangeOptions, httpExchange } from './exchange.ts'
import { retryBudget, retryPauseMs } from './retry-budget.ts'
import { signer } from './sign-request.ts'
import { type Signing, signingState } from './signing-state.ts'
import { BrokenAnswer, errorOf, StoreError, troubleOf } from './store-error.ts'
import { plainAnswer, requestText } from './wire-message.ts'

export type SignedRequestsOptions = ExchangeOptions & {
  readonly region: string
  /** Read at the first request, and again when the store says that they have expired. */
  readonly credentials: () => Credentials
  /** In place of HTTP: a test sees each attempt as it leaves, and answers it. */
  readonly exchange?: Exchange
}

export type SignedRequests = StoreRequests & { close(): void }

export function signedRequests(options: SignedRequestsOptions): SignedRequests {
  const { nowMs = Date.now } = options
  const exchange = options.exchange ?? httpExchange(options)
  const attempt = attempts(options.endpoint.host, options.region, exchange, nowMs)
  const state = signingState(options.credentials, nowMs)
  const budget = retryBudget()
  const retryAfter = (cause: unknown, by: Signing, tries: number) => {
    const trouble = troubleOf(cause)
    if (tries >= ATTEMPTS_MAX || trouble === 'final') return undefined
    const cost = state.repair(trouble, cause, by) ? budget.take(trouble) : undefined
    if (cost === undefined) return undefined
    return { cost, pauseMs: retryPauseMs(trouble, tries, askedPauseMs(cause)) }
  }
  return {
    close: () => exchange.close(),
    async send<O extends StoreOperation>(operation: O, input: StoreInputs[O]) {
      const body = requestText(input)
      let retry: ReturnType<typeof retryAfter>
      for (let tries = 1; ; tries += 1) {
        const by = state.current()
        try {
          const answer = await attempt(operation, body, by)
          budget.answered(retry?.cost)
          // A cast, as in any parser: DynamoDB's answer to this operation.
          return answer as StoreAnswers[O]
        } catch (cause) {
          retry = retryAfter(cause, by, tries)
          if (retry === undefined) throw cause
        }
        await sleep(retry.pauseMs)
      }
    },
  }
}

function attempts(host: string, region: string, exchange: Exchange, nowMs: () => number) {
  const sign = signer(region)
  return async (operation: StoreOperation, body: string, by: Signing): Promise<object> => {
    const request = { host, target: `DynamoDB_20120810.${operation}`, body }
    const headers = sign(request, by.credentials, nowMs() + by.offsetMs)
    const answer = await exchange.send({ headers, body })
    if (answer.status !== 200) throw errorOf(answer)
    return plainAnswer(parsed(answer.body))
  }
}

/** The pause that the server asks for; 0 when it asks for none. */
function askedPauseMs(cause: unknown): number {
  // Not a number without such a header.
  const asked = cause instanceof StoreError ? Number(cause.headers['x-amz-retry-after']) : 0
  return Number.isFinite(asked) ? asked : 0
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function parsed(body: Buffer): { [member: string]: unknown } {
  try {
    const value: unknown = JSON.parse(body.toString())
    if (typeof value === 'object' && value !== null) return { ...value }
  } catch (cause) {
    throw new BrokenAnswer('store: the answer is not JSON', cause)
  }
  throw new BrokenAnswer('store: the answer is not a JSON object')
}
