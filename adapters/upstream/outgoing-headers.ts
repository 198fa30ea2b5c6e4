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

export type OutgoingHeaders = { readonly [name: string]: string }

/** Refuses `invalid_skill` for a header that cannot be sent (a line break, a control character). */
export function outgoingHeaders(request: UpstreamRequest): Result<OutgoingHeaders> {
  const named = new Set((request.headers['connection'] ?? '').toLowerCase().split(/[\s,]+/))
  const headers: { [name: string]: string } = {}
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
    headers[key] = value
  }
  headers['accept-encoding'] = ACCEPT_ENCODING
  if (request.body !== undefined) headers['content-length'] = `${Buffer.byteLength(request.body)}`
  return ok(headers)
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
