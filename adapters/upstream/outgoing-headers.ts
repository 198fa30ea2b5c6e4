/**
 * Which of a skill's headers leave the gateway. What belongs to one hop, to our connection or to
 * AWS never does; what HTTP does not allow is refused instead of sent.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import { ok, type Result, refuse } from '../../core/errors.ts'

/** Lower-case; `accept-encoding` and `content-length` are ours to set. */
const NEVER_FORWARDED = new Set(
  (
    'accept-encoding connection content-length cookie expect host keep-alive proxy-authenticate ' +
    'proxy-authorization proxy-connection te trailer transfer-encoding upgrade'
  ).split(' '),
)
/** Signatures and tokens of our own role; an upstream on AWS must never be sent one. */
const AWS_HEADER = /^x-amz/
const ACCEPT_ENCODING = 'gzip, br'
const NONE: ReadonlySet<string> = new Set()

/** Names and values by turns. */
export type OutgoingHeaders = readonly string[]

/** Refuses `invalid_skill` for a header that cannot be sent (a line break, a control character). */
export function outgoingHeaders(request: UpstreamRequest): Result<OutgoingHeaders> {
  const named = namedByConnection(request)
  const headers: string[] = []
  for (const [name, value] of Object.entries(request.headers)) {
    const key = name.toLowerCase()
    if (NEVER_FORWARDED.has(key) || AWS_HEADER.test(key) || named.has(key)) continue
    if (!isSendable(key, value)) {
      const shown = JSON.stringify(key.slice(0, 64))
      return refuse(
        'invalid_skill',
        `header ${shown}: cannot be sent; remove line breaks and controls`,
      )
    }
    headers.push(key, value)
  }
  headers.push('accept-encoding', ACCEPT_ENCODING)
  if (request.body !== undefined) {
    headers.push('content-length', `${Buffer.byteLength(request.body)}`)
  }
  return ok(headers)
}

function namedByConnection(request: UpstreamRequest): ReadonlySet<string> {
  const { connection } = request.headers
  return connection === undefined ? NONE : new Set(connection.toLowerCase().split(/[\s,]+/))
}

/** Node can only say so by throwing. */
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
