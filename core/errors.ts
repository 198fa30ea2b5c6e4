/**
 * The closed error vocabulary: what may cross the wire, and how each code looks on each wire. A
 * refusal is a value ({@link Refusal}). An operating fault is thrown ({@link Fault}) and caught
 * once, at the door. Anything else that is thrown is a bug and becomes `internal`. Bound by
 * docs/service.md, Execute, and RFC 9457.
 */
import type { JsonObject } from './json/json.ts'

/** One code on HTTP and JSON-RPC, its log level, and whether the request is worth sending again. */
export type ErrorShape = {
  readonly status: number
  /** JSON-RPC code where the code ends a request (tools/call turns most of them into results). */
  readonly rpcCode: number
  readonly title: string
  readonly logLevel: 'info' | 'warn' | 'error'
  readonly retry: 'never' | 'after-a-change' | 'later'
}

export const ERRORS = {
  malformed: shape(400, -32602, 'Malformed request'),
  unauthenticated: shape(401, -32001, 'Unknown or missing credential'),
  insufficient_credits: shape(402, -32002, 'Not enough credits'),
  /** The month's budget of the user or of the key has no room for the price. */
  budget_reached: shape(402, -32002, 'Monthly budget reached'),
  forbidden: shape(403, -32003, 'Not allowed', { logLevel: 'warn', retry: 'never' }),
  /** The user was disabled, or is being deleted; the detail has the administrator's reason. */
  user_disabled: shape(403, -32003, 'User is disabled'),
  unknown_skill: shape(404, -32602, 'Unknown skill'),
  not_found: shape(404, -32601, 'Not found'),
  method_not_allowed: shape(405, -32601, 'Method not allowed'),
  conflict: shape(409, -32600, 'Conflict'),
  too_large: shape(413, -32600, 'Too large'),
  unsupported_media_type: shape(415, -32600, 'Unsupported media type'),
  invalid_arguments: shape(422, -32602, 'Arguments do not fit'),
  invalid_skill: shape(422, -32602, 'Skill definition does not fit'),
  /** The secret is set, but not for this skill's tier or for where it sends. */
  secret_refused: shape(403, -32003, 'A secret is not for this use', { logLevel: 'warn' }),
  secret_missing: shape(422, -32602, 'A secret is not set'),
  headers_too_large: shape(431, -32600, 'Header too large'),
  rate_limited: shape(429, -32004, 'Too many calls this minute', { retry: 'later' }),
  too_many_holds: shape(429, -32004, 'Too many calls in flight', { retry: 'later' }),
  /** Plans of imports and of sets take a place each, and all are taken. */
  too_many_plans: shape(429, -32004, 'Too many plans at once', { retry: 'later' }),
  too_many_streams: shape(429, -32004, 'Too many open streams', {
    logLevel: 'warn',
    retry: 'later',
  }),
  /** The headers of an agent's request contradict its body. */
  header_mismatch: shape(400, -32020, 'Header and body differ'),
  client_capability_missing: shape(400, -32021, 'The client cannot be asked', { retry: 'never' }),
  input_state_invalid: shape(400, -32602, 'Input state is not valid'),
  cancelled: shape(499, -32005, 'Cancelled', { retry: 'never' }),
  internal: shape(500, -32603, 'Internal error', { logLevel: 'error', retry: 'later' }),
  upstream_failed: shape(502, -32603, 'Upstream failed', { logLevel: 'warn', retry: 'later' }),
  secret_unreadable: shape(503, -32603, 'A secret cannot be read', {
    logLevel: 'error',
    retry: 'later',
  }),
  store_unavailable: shape(503, -32603, 'Store unavailable', { logLevel: 'error', retry: 'later' }),
  timed_out: shape(504, -32603, 'Deadline passed', { logLevel: 'warn', retry: 'later' }),
} as const satisfies Record<string, ErrorShape>

export type ErrorCode = keyof typeof ERRORS

/**
 * One place where the input does not fit. `pointer` is a JSON Pointer (RFC 6901) into the input.
 */
export type FieldFault = { readonly pointer: string; readonly message: string }

/**
 * Why an upstream gave no result, where the class decides the advice; any other failure of an
 * upstream has none. secret_rejected: it answered 401 or 403 to a request with stored secrets.
 * access_denied: it did so to one without. busy: it asked for a pause. unreadable: its answer is
 * not what the skill expects. too_large: its answer is over the skill's limit. reported: it answered
 * with success, and its answer says that the call failed.
 */
export const UPSTREAM_FAULTS = [
  'secret_rejected',
  'access_denied',
  'busy',
  'unreachable',
  'unreadable',
  'too_large',
  'reported',
] as const

export type UpstreamFault = (typeof UPSTREAM_FAULTS)[number]

/**
 * Why a request is not served, in words for its sender: names the field, the limit and the remedy.
 * Holds no secret, no argument value, no stack.
 */
export type Refusal = {
  readonly code: ErrorCode
  /** One or two plain sentences. */
  readonly detail: string
  readonly faults?: readonly FieldFault[]
  readonly retryAfterSec?: number
  /** With `upstream_failed`. */
  readonly upstreamFault?: UpstreamFault
  /** With `client_capability_missing`: what the client has to declare. */
  readonly requiredCapabilities?: JsonObject
}

/** A value, or why there is none. `error` is a {@link Refusal} unless a module has its own. */
export type Result<T, E = Refusal> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: E }

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

export function err<E>(error: E): { readonly ok: false; readonly error: E } {
  return { ok: false, error }
}

/** Shorthand for the refusal of one request: `refuse('malformed', 'skill: is missing; send …')`. */
export function refuse(
  code: ErrorCode,
  detail: string,
  more: Omit<Refusal, 'code' | 'detail'> = {},
): { readonly ok: false; readonly error: Refusal } {
  return { ok: false, error: { code, detail, ...more } }
}

/**
 * An outside dependency failed: the store, or another function of ours. Adapters throw it with the
 * `cause`; doors catch it once and answer `code` with a safe text.
 */
export class Fault extends Error {
  readonly code: 'store_unavailable' | 'upstream_failed' | 'internal'
  constructor(code: Fault['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'Fault'
    this.code = code
  }
}

/** By default the sender's own mistake: of little interest to us, and mended by another request. */
function shape(
  status: number,
  rpcCode: number,
  title: string,
  { logLevel = 'info', retry = 'after-a-change' }: Partial<ErrorShape> = {},
): ErrorShape {
  return { status, rpcCode, title, logLevel, retry }
}
