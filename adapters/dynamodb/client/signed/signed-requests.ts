/**
 * The light client of the store, of the sweep and of the functions that agents wait for (ADR 0061). Knows DynamoDB's
 * operations on items and nothing of records; adapters/aws/signed/ has what it shares with other services.
 */
import { type Exchange, type ExchangeOptions, httpExchange } from '../../../aws/exchange.ts'
import { type SignedCallsOptions, signedCalls } from '../../../aws/signed/signed-calls.ts'
import type { StoreAnswers, StoreInputs, StoreOperation, StoreRequests } from '../store-requests.ts'
import { STORE_SERVICE } from './store-service.ts'
import { plainAnswer, requestText } from './wire-message.ts'

export type SignedRequestsOptions = ExchangeOptions &
  SignedCallsOptions & {
    /** In place of the store's own. */
    readonly requestTimeoutMs?: number | undefined
    /** In place of HTTP: a test sees each attempt as it leaves, and answers it. */
    readonly exchange?: Exchange
  }

export type SignedRequests = StoreRequests & { close(): void }

export function signedRequests(options: SignedRequestsOptions): SignedRequests {
  const exchange = options.exchange ?? storeExchange(options)
  const calls = signedCalls(STORE_SERVICE, exchange, options)
  return {
    close: () => exchange.close(),
    async send<O extends StoreOperation>(operation: O, input: StoreInputs[O]) {
      const answer = await calls.send(operation, requestText(input))
      // A cast, as in any parser: DynamoDB's answer to this operation.
      return plainAnswer(answer) as StoreAnswers[O]
    },
  }
}

/** http or https, as the endpoint of each request says. */
export function storeExchange({
  requestTimeoutMs = STORE_SERVICE.limits.requestTimeoutMs,
  ...options
}: Pick<SignedRequestsOptions, 'nowMs' | 'requestTimeoutMs' | 'socketPath'>): Exchange {
  const { label, limits } = STORE_SERVICE
  return httpExchange(label, { ...limits, requestTimeoutMs }, options)
}
