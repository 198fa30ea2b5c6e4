/**
 * The two clients with another place to send to. Expressions, serialisation, retries and the
 * reading of answers are their own; nothing leaves the process.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { sdkRequests } from '../../../adapters/dynamodb/client/sdk-store.ts'
import { signedRequests } from '../../../adapters/dynamodb/client/signed/signed-requests.ts'
import { toWireItem } from '../../../adapters/dynamodb/client/signed/wire-value.ts'
import type { StoreRequests } from '../../../adapters/dynamodb/client/store-requests.ts'
import { RefusedRequest } from '../../../adapters/dynamodb/items/refused.ts'
import { LOCAL_CREDENTIALS } from '../../adapters/dynamodb/store-clients.ts'
import type { Model } from './model.ts'
import { PLAIN } from './model.ts'
import type { WireRequest } from './requests.ts'
import { shortClient } from './short-client.ts'

export type WireAnswer = { readonly status: number; readonly body: unknown }

/** Rejects where the connection breaks before an answer. */
export type Send = (request: WireRequest) => Promise<WireAnswer>

/** Seeds take turns, so that both clients meet every kind of trouble. */
export function requestsOver(send: Send, seed: number): StoreRequests {
  return seed % 2 === 0 ? sdkRequests(clientOver(send)) : signedOver(send)
}

function signedOver(send: Send): StoreRequests {
  return signedRequests({
    endpoint: new URL('http://127.0.0.1:9'),
    region: 'us-east-1',
    credentials: () => LOCAL_CREDENTIALS,
    exchange: {
      send: async ({ body, headers }) => {
        const answer = responseOf(await send(requestOf(headers, String(body))))
        return { status: answer.statusCode, headers: answer.headers, body: answer.body }
      },
      close: () => {},
    },
  })
}

export function clientOver(send: Send): DynamoDBClient {
  return shortClient(async ({ body, headers }: Sent) => ({
    response: responseOf(await send(requestOf(headers, TEXT.decode(body)))),
  }))
}

function requestOf(headers: Sent['headers'], body: string): WireRequest {
  const operation = String(headers['x-amz-target']).split('.')[1] ?? ''
  return { operation, body: JSON.parse(body) }
}

type Sent = {
  readonly body: Uint8Array
  readonly headers: { readonly [name: string]: string }
}

const TEXT = new TextDecoder()

function responseOf({ body, status }: WireAnswer) {
  const bytes = Buffer.from(JSON.stringify(body))
  return {
    statusCode: status,
    headers: { 'content-type': 'application/x-amz-json-1.0' },
    body: bytes,
  }
}

export function errorAnswer(
  name: string,
  { message = name, more = {}, status = 400 }: ErrorDetail = {},
): WireAnswer {
  const type = `com.amazonaws.dynamodb.v20120810#${name}`
  return { status, body: { __type: type, message, ...more } }
}

type ErrorDetail = {
  readonly message?: string
  readonly more?: { readonly [name: string]: unknown }
  readonly status?: number
}

/** The answer of one step of the model, refusals included. */
export function answerOf(
  model: Model,
  request: WireRequest,
  reading: Parameters<Model['apply']>[1] = PLAIN,
): WireAnswer {
  try {
    return { status: 200, body: model.apply(request, reading) }
  } catch (cause) {
    if (!(cause instanceof RefusedRequest)) throw cause
    return errorAnswer(cause.name, { message: cause.message, more: besides(cause) })
  }
}

function besides({ item, reasons }: RefusedRequest): { readonly [name: string]: unknown } {
  if (item !== undefined) return { Item: toWireItem(item) }
  if (reasons === undefined) return {}
  const CancellationReasons = reasons.map(({ Code, Item }) =>
    Item === undefined ? { Code } : { Code, Item: toWireItem(Item) },
  )
  return { CancellationReasons }
}
