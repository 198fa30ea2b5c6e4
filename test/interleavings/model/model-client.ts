/**
 * The SDK's real client with another place to send to. Expressions, serialisation, retries and the
 * reading of answers are the SDK's own; nothing leaves the process and nothing is signed.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { dynamoClient } from '../../../adapters/dynamodb/client/client.ts'
import type { Model } from './model.ts'
import { PLAIN } from './model.ts'
import type { WireRequest } from './requests.ts'
import { Refused } from './wire.ts'

export type WireAnswer = { readonly status: number; readonly body: unknown }

/** Rejects where the connection breaks before an answer. */
export type Send = (request: WireRequest) => Promise<WireAnswer>

export function clientOver(send: Send): DynamoDBClient {
  const client = dynamoClient({ endpoint: 'http://127.0.0.1:9' })
  const { config } = client
  Object.assign(config, { signer: async () => ({ sign: async (request: unknown) => request }) })
  config.requestHandler = {
    ...config.requestHandler,
    handle: async ({ body, headers }: { body: Uint8Array; headers: Record<string, string> }) => {
      const operation = String(headers['x-amz-target']).split('.')[1] ?? ''
      const request = { operation, body: JSON.parse(TEXT.decode(body)) }
      return { response: responseOf(await send(request)) }
    },
  } as typeof config.requestHandler
  return client
}

const TEXT = new TextDecoder()

function responseOf({ body, status }: WireAnswer) {
  const bytes = new TextEncoder().encode(JSON.stringify(body))
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
    if (!(cause instanceof Refused)) throw cause
    return errorAnswer(cause.name, { message: cause.message, more: cause.more })
  }
}
