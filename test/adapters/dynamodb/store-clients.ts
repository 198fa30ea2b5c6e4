/**
 * Both clients of the store behind one shape, for tests that run on each: `STORE_CLIENT=sdk` chooses the AWS SDK's,
 * and the light one, which the functions that agents wait for have, is the default. Every request can be watched in
 * wire form as it leaves, each attempt of it.
 */
import type { Exchange } from '../../../adapters/aws/exchange.ts'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import { sdkRequests } from '../../../adapters/dynamodb/client/sdk-store.ts'
import {
  signedRequests,
  storeExchange,
} from '../../../adapters/dynamodb/client/signed/signed-requests.ts'
import type { StoreRequests } from '../../../adapters/dynamodb/client/store-requests.ts'

export type StoreClientName = 'sdk' | 'signed'

export const STORE_CLIENT: StoreClientName =
  process.env['STORE_CLIENT'] === 'sdk' ? 'sdk' : 'signed'

/** `operation` as in AWS's API. */
export type SentRequest = {
  readonly operation: string
  readonly input: { readonly [name: string]: unknown }
}

export type WatchedRequests = {
  readonly requests: StoreRequests
  /** Shows every request from now on. */
  watch(onRequest: (sent: SentRequest) => void): void
  close(): void
}

export const LOCAL_CREDENTIALS = {
  accessKeyId: 'local',
  secretAccessKey: 'local',
  sessionToken: undefined,
}

export function requestsAt(
  endpoint: string,
  options: { readonly client?: StoreClientName; readonly requestTimeoutMs?: number } = {},
): WatchedRequests {
  const { client = STORE_CLIENT, requestTimeoutMs } = options
  return client === 'sdk'
    ? sdkRequestsAt(endpoint, requestTimeoutMs)
    : signedRequestsAt(endpoint, requestTimeoutMs)
}

function sdkRequestsAt(endpoint: string, requestTimeoutMs: number | undefined): WatchedRequests {
  const client = dynamoClient({ endpoint, requestTimeoutMs })
  return {
    requests: sdkRequests(client),
    watch: (onRequest) =>
      client.middlewareStack.add(
        (next, { commandName }) =>
          (args) => {
            const operation = String(commandName).replace(/Command$/, '')
            onRequest({ operation, input: { ...args.input } })
            return next(args)
          },
        // After the document client has converted values to wire form.
        { step: 'build' },
      ),
    close: () => client.destroy(),
  }
}

function signedRequestsAt(endpoint: string, requestTimeoutMs: number | undefined): WatchedRequests {
  const watching: ((sent: SentRequest) => void)[] = []
  const at = { endpoint: new URL(endpoint), requestTimeoutMs }
  const http = storeExchange(at)
  const exchange: Exchange = {
    ...http,
    send: (request) => {
      const operation = String(request.headers['x-amz-target']).split('.')[1] ?? ''
      for (const onRequest of watching)
        onRequest({ operation, input: JSON.parse(String(request.body)) })
      return http.send(request)
    },
  }
  const region = 'us-east-1'
  const requests = signedRequests({ ...at, region, credentials: () => LOCAL_CREDENTIALS, exchange })
  return { requests, watch: (onRequest) => watching.push(onRequest), close: requests.close }
}
