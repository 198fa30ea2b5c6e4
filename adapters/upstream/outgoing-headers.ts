/**
 * Selects the headers of a skill that are sent to its upstream, and adds the gateway's own. Headers
 * of a connection or of AWS are never sent; headers that HTTP does not allow are refused.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import { currentTraceparent } from '../config/trace.ts'

/** Lower-case names. The gateway itself sets `accept-encoding`, `content-length`, `traceparent`. */
const NEVER_FORWARDED = new Set(
  (
    'accept-encoding connection content-length cookie expect host keep-alive proxy-authenticate ' +
    'proxy-authorization proxy-connection te traceparent trailer transfer-encoding upgrade'
  ).split(' '),
)
/**
 * Signatures and tokens of the gateway's role: an upstream on AWS must never receive them, unless
 * its skill has the request signed.
 */
const AWS_HEADER = /^x-amz/
const ACCEPT_ENCODING = 'gzip, br'
const NONE: ReadonlySet<string> = new Set()
/** Methods that a server may refuse without a length (411), even without a body. */
const WITH_BODY: ReadonlySet<string> = new Set(['PATCH', 'POST', 'PUT'])

/** Alternating names and values, as they are sent. */
export type OutgoingHeaders = readonly string[]

/** The error is a clause without a full stop that names a header with forbidden characters. */
export function selectOutgoingHeaders(
  request: UpstreamRequest,
  host: string,
): Result<OutgoingHeaders, string> {
  const own = selectOwnHeaders(request)
  if (!own.ok) return own
  const sent = ['host', host, ...own.value.flat(), 'accept-encoding', ACCEPT_ENCODING]
  const traceparent = currentTraceparent()
  if (traceparent !== undefined) sent.push('traceparent', traceparent)
  if (request.body !== undefined || WITH_BODY.has(request.method)) {
    sent.push('content-length', String(Buffer.byteLength(request.body ?? '')))
  }
  return ok([...sent, 'connection', 'keep-alive'])
}

/** Selects the headers of the skill itself, by lower-case name. */
export function selectOwnHeaders(
  request: UpstreamRequest,
): Result<readonly (readonly [name: string, value: string])[], string> {
  const connectionNames = readConnectionNames(request)
  const sent: [string, string][] = []
  for (const [name, value] of Object.entries(request.headers)) {
    const key = name.toLowerCase()
    const isRefused =
      (NEVER_FORWARDED.has(key) && !isCredential(request, key)) ||
      (AWS_HEADER.test(key) && request.signing === undefined)
    if (isRefused || connectionNames.has(key)) continue
    if (!isSendable(key, value)) {
      const shown = JSON.stringify(key.slice(0, 64))
      return err(`header ${shown}: cannot be sent; remove line breaks and controls`)
    }
    sent.push([key, value])
  }
  return ok(sent)
}

/** True for a cookie that the skill takes from a secret: other cookies are not sent. */
function isCredential({ sensitive }: UpstreamRequest, key: string): boolean {
  return key === 'cookie' && sensitive?.headers.includes(key) === true
}

function readConnectionNames(request: UpstreamRequest): ReadonlySet<string> {
  const { connection } = request.headers
  return connection === undefined ? NONE : new Set(connection.toLowerCase().split(/[\s,]+/))
}

/** Node reports an invalid header only by throwing. */
function isSendable(name: string, value: string): boolean {
  try {
    validateHeaderName(name)
    validateHeaderValue(name, value)
    return true
  } catch (cause) {
    if (cause instanceof TypeError) return false
    throw cause
  }
}
