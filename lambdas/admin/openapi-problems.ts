/**
 * Describes refusals in the OpenAPI document: the statuses of a route, and the codes of each
 * status. Derived from the closed error codes, so that the document lists no status without a code.
 */
import { ERRORS, type ErrorCode } from '../../core/errors.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { RouteShape } from './route.ts'

/**
 * Refusals of every route of administrators: the credential, its role, exceeded limits, and faults
 * of the gateway.
 */
export const ALWAYS_REFUSED: readonly ErrorCode[] = [
  'malformed',
  'unauthenticated',
  'forbidden',
  'too_large',
  'headers_too_large',
  'internal',
  'store_unavailable',
  'timed_out',
]

export type RouteRefusal = {
  readonly name: string
  readonly status: number
  readonly response: JsonObject
}

/**
 * Returns one entry for each status. Equal sets of codes have equal names. `always`: refusals of
 * every route of the table.
 */
export function describeRefusals(
  route: RouteShape,
  always: readonly ErrorCode[],
): readonly RouteRefusal[] {
  const codes = new Map<number, ErrorCode[]>()
  for (const code of listRefusedCodes(route, always)) {
    const { status } = ERRORS[code]
    codes.set(status, [...(codes.get(status) ?? []), code])
  }
  return [...codes]
    .sort(([a], [b]) => a - b)
    .map(([status, same]) => ({ status, name: same.join('-'), response: toResponse(status, same) }))
}

function listRefusedCodes(
  { body, refuses }: RouteShape,
  always: readonly ErrorCode[],
): ReadonlySet<ErrorCode> {
  const bodyCodes: readonly ErrorCode[] = body?.kind === 'json' ? ['invalid_arguments'] : []
  return new Set([...always, ...bodyCodes, ...refuses])
}

function toResponse(status: number, codes: readonly ErrorCode[]): JsonObject {
  const headers = {
    ...(status === 401 ? { 'WWW-Authenticate': toHeaderReference('WwwAuthenticate') } : {}),
    ...(status === 503 || status === 409 || status === 429
      ? { 'Retry-After': toHeaderReference('RetryAfter') }
      : {}),
  }
  return {
    description: codes.map((code) => ERRORS[code].title).join(', or: '),
    ...(Object.keys(headers).length === 0 ? {} : { headers }),
    content: {
      'application/problem+json': {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { properties: { status: { const: status }, code: { enum: codes } } },
          ],
        },
      },
    },
  }
}

function toHeaderReference(name: string): JsonObject {
  return { $ref: `#/components/headers/${name}` }
}

const FAULT_SCHEMA: JsonObject = {
  type: 'object',
  required: ['pointer', 'message'],
  properties: {
    pointer: { type: 'string', description: 'JSON Pointer into the body; or /path/…, /query/….' },
    message: { type: 'string', description: 'The rule, and what to send.' },
  },
}

const PROBLEM_SCHEMA = {
  type: 'object',
  description: 'RFC 9457. Names the field, the limit and the remedy; never a value.',
  required: ['type', 'title', 'status', 'detail', 'code'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer', minimum: 400, maximum: 599 },
    detail: { type: 'string' },
    code: { type: 'string' },
    errors: { type: 'array', items: { $ref: '#/components/schemas/Fault' } },
    retryAfterSec: { type: 'number', minimum: 0 },
    wwwAuthenticate: {
      type: 'string',
      description: 'With 401: the value of WWW-Authenticate, which API Gateway renames on the way.',
    },
  },
  examples: [
    {
      type: 'about:blank',
      title: 'Arguments do not fit',
      status: 422,
      detail: '/amount: is missing; it must be a number of credits.',
      code: 'invalid_arguments',
      errors: [{ pointer: '/amount', message: 'is missing; it must be a number of credits' }],
    },
  ],
} satisfies JsonObject

const REMEDY_REFERENCE = { $ref: '#/components/schemas/Remedy' }

/** `hasRemedies`: problems of the API have remedies, which are for administrators. */
export function describeProblems(hasRemedies: boolean): JsonObject {
  const { properties, ...problem } = PROBLEM_SCHEMA
  const remedy = hasRemedies ? { remedy: REMEDY_REFERENCE } : {}
  return { Fault: FAULT_SCHEMA, Problem: { ...problem, properties: { ...properties, ...remedy } } }
}

export const PROBLEM_HEADERS: JsonObject = {
  WwwAuthenticate: {
    description: 'API Gateway renames this header to x-amzn-Remapped-www-authenticate.',
    schema: { type: 'string' },
  },
  RetryAfter: { description: 'Seconds.', schema: { type: 'integer', minimum: 1 } },
}
