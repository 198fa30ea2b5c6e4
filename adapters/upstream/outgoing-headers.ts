/**
 * Selects the headers of a skill that leave the gateway, and adds our own. Headers of one hop, of
 * our connection or of AWS never leave; headers that HTTP does not allow are refused instead of
 * sent.
 */
import { validateHeaderName, validateHeaderValue } from 'node:http'
import type { UpstreamRequest } from '../../core/call/upstream.ts'
import { err, ok, type Result } from '../../core/errors.ts'
import { currentTraceparent } from '../config/trace.ts'

/** Lower-case. We set `accept-encoding`, `content-length` and `traceparent` ourselves. */
const NEVER_FORWARDED = new Set(
  (
    'accept-encoding connection content-length cookie expect host keep-alive proxy-authenticate ' +
    'proxy-authorization proxy-connection te traceparent trailer transfer-encoding upgrade'
  ).split(' '),
)
/** Signatures and tokens of our own role: an upstream on AWS must never receive them. */
const AWS_HEADER = /^x-amz/
const ACCEPT_ENCODING = 'gzip, br'
const NONE: ReadonlySet<string> = new Set()
/** Methods that a server may refuse without a length (411), even without a body. */
const WITH_BODY: ReadonlySet<string> = new Set(['PATCH', 'POST', 'PUT'])

/** Lines with their ends. */
export type OutgoingHeaders = string

/**
 * Lines of headers that are the same for every call of a skill (core/call/request-plan.ts freezes
 * these). Keyed weakly, so that the cache keeps no headers alive.
 */
const known = new WeakMap<UpstreamRequest['headers'], OutgoingHeaders>()

/**
 * The error is a clause without a full stop: a header that cannot be sent (a line break, a control
 * character).
 */
export function outgoingHeaders(request: UpstreamRequest): Result<OutgoingHeaders, string> {
  const own = ownLines(request)
  if (!own.ok) return own
  let lines = `${own.value}accept-encoding: ${ACCEPT_ENCODING}\r\n`
  const traceparent = currentTraceparent()
  if (traceparent !== undefined) lines += `traceparent: ${traceparent}\r\n`
  if (request.body !== undefined || WITH_BODY.has(request.method)) {
    lines += `content-length: ${Buffer.byteLength(request.body ?? '')}\r\n`
  }
  return ok(lines)
}

function ownLines(request: UpstreamRequest): Result<OutgoingHeaders, string> {
  const { headers, sensitive } = request
  const before = sensitive === undefined ? known.get(headers) : undefined
  if (before !== undefined) return ok(before)
  const lines = writeLines(request)
  if (lines.ok && sensitive === undefined && Object.isFrozen(headers)) {
    known.set(headers, lines.value)
  }
  return lines
}

function writeLines(request: UpstreamRequest): Result<OutgoingHeaders, string> {
  const named = namedByConnection(request)
  let lines = ''
  for (const [name, value] of Object.entries(request.headers)) {
    const key = name.toLowerCase()
    const isRefused = NEVER_FORWARDED.has(key) && !isCredential(request, key)
    if (isRefused || AWS_HEADER.test(key) || named.has(key)) continue
    if (!isSendable(key, value)) {
      const shown = JSON.stringify(key.slice(0, 64))
      return err(`header ${shown}: cannot be sent; remove line breaks and controls`)
    }
    lines += `${key}: ${value}\r\n`
  }
  return ok(lines)
}

/** A cookie is sent only as a credential that the skill takes from a secret. */
function isCredential({ sensitive }: UpstreamRequest, key: string): boolean {
  return key === 'cookie' && sensitive?.headers.includes(key) === true
}

function namedByConnection(request: UpstreamRequest): ReadonlySet<string> {
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
