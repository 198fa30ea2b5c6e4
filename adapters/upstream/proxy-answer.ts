/**
 * Reads what a function answers to API Gateway's proxy integration: `{statusCode, headers, body,
 * isBase64Encoded}`. Without a status, the whole answer is a body of JSON with the status 200, as
 * in format 2.0. Bound by
 * https://docs.aws.amazon.com/apigateway/latest/developerguide/http-api-develop-integrations-lambda.html
 */
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import { toAnswered } from './read-response.ts'

type Members = { readonly [member: string]: unknown }

const JSON_HEAD = { status: 200, headers: ['content-type', 'application/json'] }
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/

/** `payload`: the function's answer. Never throws. */
export function readProxyAnswer(
  payload: Uint8Array,
  showHeaders?: readonly string[],
): UpstreamAnswer {
  const members = parseMembers(payload)
  if (members === undefined || members['statusCode'] === undefined) {
    return toAnswered(JSON_HEAD, payload, showHeaders)
  }
  const { body = '', isBase64Encoded = false, statusCode } = members
  const status = Number(statusCode)
  if (!Number.isInteger(status) || status < 200 || status > 599) {
    return refuse('has a statusCode that is no status from 200 to 599')
  }
  if (typeof body !== 'string') return refuse('has a body that is no string')
  if (isBase64Encoded === true && !BASE64.test(body)) {
    return refuse('has a body that is not the base64 that isBase64Encoded announces')
  }
  const bytes = Buffer.from(body, isBase64Encoded === true ? 'base64' : 'utf8')
  return toAnswered({ status, headers: listHeaders(members) }, bytes, showHeaders)
}

function parseMembers(payload: Uint8Array): Members | undefined {
  try {
    const parsed: unknown = JSON.parse(new TextDecoder().decode(payload))
    const isObject = typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed)
    return isObject ? { ...parsed } : undefined
  } catch {
    // The caller passes the bytes on as they are.
    return undefined
  }
}

/** Names and values in turn. Without a type, API Gateway takes a body for JSON. */
function listHeaders({ headers, multiValueHeaders }: Members): readonly string[] {
  const pairs = [...Object.entries(Object(headers)), ...Object.entries(Object(multiValueHeaders))]
  const flat = pairs.flatMap(([name, value]) =>
    [value].flat().flatMap((one) => [name.toLowerCase(), String(one)]),
  )
  const hasType = pairs.some(([name]) => name.toLowerCase() === 'content-type')
  return hasType ? flat : [...flat, 'content-type', 'application/json']
}

function refuse(detail: string): UpstreamAnswer {
  return { kind: 'unreadable', detail }
}
