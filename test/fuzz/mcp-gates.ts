/**
 * The refusals of the door mcp before it reads a message: each status only where it is due, and
 * always there.
 */

import { isJsonObject } from '../../core/json/json.ts'
import { parsed } from './answer-faults.ts'
import { KEYS } from './canaries.ts'
import type { CountedAnswer } from './counted-answer.ts'
import type { OddRequest } from './odd-requests.ts'

const PATHS = ['/mcp', '/mcp/', '/v1/mcp', '/v1/mcp/']
const BODY_BYTES_MAX = 1_048_576
const HEADER_BYTES_MAX = 8_192
const HEADERS_BYTES_MAX = 32_768

/** Statuses that no message is answered with; a 404 may be the one of an unknown method. */
export function isGate({ method, path }: OddRequest, { status, text }: CountedAnswer): boolean {
  if (status === 404) {
    const body = parsed(text)
    return !(isJsonObject(body) && body['jsonrpc'] === '2.0') || !PATHS.includes(path)
  }
  return ![200, 202, 400].includes(status) || method !== 'POST'
}

export function gateFaults(request: OddRequest, answer: CountedAnswer): readonly string[] {
  const { headers, status } = answer
  const faults: string[] = []
  const due = DUE.find(({ isDue }) => isDue(request))
  const isServed = !isGate(request, answer)
  if (due !== undefined && due.status !== status) {
    faults.push(`status ${status} where ${due.status} is due`)
  }
  if (!isServed && due === undefined && !isLater(request, status)) {
    faults.push(`status ${status} without its reason`)
  }
  if (status === 405 && headers['allow'] === undefined) faults.push('a 405 without Allow')
  if (status === 401 && headers['www-authenticate'] === undefined) {
    faults.push('a 401 without WWW-Authenticate')
  }
  if (status === 429 && headers['retry-after'] === undefined) {
    faults.push('a 429 without Retry-After')
  }
  return faults
}

/** In the order of the door's checks; for the others only whether they are possible. */
const DUE: readonly { status: number; isDue(request: OddRequest): boolean }[] = [
  { status: 431, isDue: hasLargeHeaders },
  { status: 403, isDue: isForeign },
  { status: 204, isDue: (request) => !hasOrigin(request) && request.method === 'OPTIONS' },
  { status: 404, isDue: (request) => !hasOrigin(request) && !PATHS.includes(request.path) },
  {
    status: 405,
    isDue: (request) => !hasOrigin(request) && !['POST', 'OPTIONS'].includes(request.method),
  },
  {
    status: 415,
    isDue: (request) => !hasOrigin(request) && headerOf(request, 'content-type') === undefined,
  },
]

/** The checks that need more than a look at the request. */
function isLater(request: OddRequest, status: number): boolean {
  switch (status) {
    case 401:
      return !isKnown(headerOf(request, 'authorization'))
    case 403:
      return hasOrigin(request)
    case 204:
    case 404:
    case 405:
      return hasOrigin(request)
    case 413:
      return Buffer.byteLength(request.body ?? '') > BODY_BYTES_MAX
    case 415:
      return headerOf(request, 'content-type') !== 'application/json'
    case 429:
      return true
    case 431:
      return (headerOf(request, 'authorization')?.length ?? 0) > 4_000
    case 503:
      return request.isStoreDown
    default:
      return false
  }
}

function isKnown(authorization: string | undefined): boolean {
  if (authorization === undefined) return true
  return Object.values(KEYS).some((key) => authorization === `Bearer ${key}`)
}

function isForeign(request: OddRequest): boolean {
  const isEvil = headerOf(request, 'origin') === 'https://evil.example'
  return isEvil && headerOf(request, 'host') === 'gw.example'
}

function hasOrigin(request: OddRequest): boolean {
  return headerOf(request, 'origin') !== undefined
}

/** Repeated headers in other spellings, as the platform passes them on. */
function folded({ headers }: OddRequest): ReadonlyMap<string, string> {
  const bySpelling = new Map<string, string>([['host', 'gw.example'], ...headers])
  const all = new Map<string, string>()
  for (const [name, value] of bySpelling) {
    const key = name.toLowerCase()
    const before = all.get(key)
    all.set(key, before === undefined ? value : `${before},${value}`)
  }
  return all
}

function headerOf(request: OddRequest, name: string): string | undefined {
  return folded(request).get(name)
}

function hasLargeHeaders(request: OddRequest): boolean {
  const sizes = [...folded(request)].map(
    ([name, value]) => [Buffer.byteLength(name), Buffer.byteLength(value)] as const,
  )
  const total = sizes.reduce((sum, [name, value]) => sum + name + value, 0)
  return total > HEADERS_BYTES_MAX || sizes.some(([, value]) => value > HEADER_BYTES_MAX)
}
