/**
 * The light client of DynamoDB, for the sweep and the functions that agents wait for (docs/design/store.md#two-clients-of-dynamodb). It
 * sends operations on items; adapters/aws/signed/ holds what other AWS services share with it.
 */
import { type Exchange, type ExchangeOptions, makeHttpExchange } from '../../../aws/exchange.ts'
import { makeSignedCalls, type SignedCallsOptions } from '../../../aws/signed/signed-calls.ts'
import type { StoreAnswers, StoreInputs, StoreOperation, StoreRequests } from '../store-requests.ts'
import { STORE_SERVICE } from './store-service.ts'
import { toPlainAnswer, writeRequestText } from './wire-message.ts'

export type SignedRequestsOptions = ExchangeOptions &
  SignedCallsOptions & {
    /** Replaces the default timeout of the store. */
    readonly requestTimeoutMs?: number | undefined
    /** Replaces HTTP: a test receives each attempt and answers it. */
    readonly exchange?: Exchange
  }

export type SignedRequests = StoreRequests & { close(): void }

/** Opens the client; `close` ends its idle sockets. */
export function signedRequests(options: SignedRequestsOptions): SignedRequests {
  const exchange = options.exchange ?? storeExchange(options)
  const calls = makeSignedCalls(STORE_SERVICE, exchange, options)
  return {
    close: () => exchange.close(),
    async send<O extends StoreOperation>(operation: O, input: StoreInputs[O]) {
      const answer = await calls.send(operation, writeRequestText(input))
      // A cast, as in any parser: this is DynamoDB's answer to the operation.
      return toPlainAnswer(answer) as StoreAnswers[O]
    },
  }
}

/** Sends over http or https, as the endpoint of each request says. */
export function storeExchange({
  requestTimeoutMs = STORE_SERVICE.limits.requestTimeoutMs,
  ...options
}: Pick<SignedRequestsOptions, 'nowMs' | 'requestTimeoutMs' | 'socketPath'>): Exchange {
  const { label, limits } = STORE_SERVICE
  return makeHttpExchange(label, { ...limits, requestTimeoutMs }, options)
}
