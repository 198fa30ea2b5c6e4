/**
 * The closed error vocabulary: the codes that may cross the wire, with their HTTP and JSON-RPC
 * forms. A refusal is a value ({@link Refusal}). An operating fault is thrown ({@link Fault}) and
 * caught once, at the door. Anything else that is thrown is a bug and becomes `internal`. Bound by
 * docs/service.md, Execute, and RFC 9457.
 */
import type { JsonObject } from './json/json.ts'
import type { Remedy } from './remedies/remedy.ts'

/** One code's forms on HTTP and JSON-RPC, its log level, and its advice about sending again. */
export type ErrorShape = {
  readonly status: number
  /** JSON-RPC code of a request that fails. `tools/call` turns most failures into results. */
  readonly rpcCode: number
  readonly title: string
  readonly logLevel: 'info' | 'warn' | 'error'
  readonly retry: 'never' | 'after-a-change' | 'later'
}

export const ERRORS = {
  malformed: errorShape(400, -32602, 'Malformed request'),
  unauthenticated: errorShape(401, -32001, 'Unknown or missing credential'),
  insufficient_credits: errorShape(402, -32002, 'Not enough credits'),
  /** The month's budget of the user or of the key has no room for the price. */
  budget_reached: errorShape(402, -32002, 'Monthly budget reached'),
  forbidden: errorShape(403, -32003, 'Not allowed', { logLevel: 'warn', retry: 'never' }),
  /** The scope of the API key does not allow this tool, or not at its price. */
  key_scope: errorShape(403, -32003, 'Outside the scope of this key'),
  /** The access token lacks a scope. A new login can give it. */
  insufficient_scope: errorShape(403, -32003, 'Scope of the access token is too small'),
  /** The user was disabled, or is being deleted; the detail has the administrator's reason. */
  user_disabled: errorShape(403, -32003, 'User is disabled'),
  unknown_skill: errorShape(404, -32602, 'Unknown skill'),
  not_found: errorShape(404, -32601, 'Not found'),
  method_not_allowed: errorShape(405, -32601, 'Method not allowed'),
  conflict: errorShape(409, -32600, 'Conflict'),
  too_large: errorShape(413, -32600, 'Too large'),
  unsupported_media_type: errorShape(415, -32600, 'Unsupported media type'),
  invalid_arguments: errorShape(422, -32602, 'Arguments do not fit'),
  invalid_skill: errorShape(422, -32602, 'Skill definition does not fit'),
  /** The secret is set, but not for this skill's tier or for where it sends. */
  secret_refused: errorShape(403, -32003, 'A secret is not for this use', { logLevel: 'warn' }),
  secret_missing: errorShape(422, -32602, 'A secret is not set'),
  headers_too_large: errorShape(431, -32600, 'Header too large'),
  rate_limited: errorShape(429, -32004, 'Too many calls this minute', { retry: 'later' }),
  /** The key has made as many calls as it may make in a day (UTC). */
  daily_calls_reached: errorShape(429, -32004, 'Calls of the day used up', { retry: 'later' }),
  too_many_holds: errorShape(429, -32004, 'Too many calls in flight', { retry: 'later' }),
  /** Each plan of an import or of a set of skills takes a slot, and all slots are in use. */
  too_many_plans: errorShape(429, -32004, 'Too many plans at once', { retry: 'later' }),
  too_many_streams: errorShape(429, -32004, 'Too many open streams', {
    logLevel: 'warn',
    retry: 'later',
  }),
  /** The headers of an agent's request contradict its body. */
  header_mismatch: errorShape(400, -32020, 'Header and body differ'),
  client_capability_missing: errorShape(400, -32021, 'The client cannot be asked', {
    retry: 'never',
  }),
  input_state_invalid: errorShape(400, -32602, 'Input state is not valid'),
  cancelled: errorShape(499, -32005, 'Cancelled', { retry: 'never' }),
  internal: errorShape(500, -32603, 'Internal error', { logLevel: 'error', retry: 'later' }),
  upstream_failed: errorShape(502, -32603, 'Upstream failed', { logLevel: 'warn', retry: 'later' }),
  secret_unreadable: errorShape(503, -32603, 'A secret cannot be read', {
    logLevel: 'error',
    retry: 'later',
  }),
  store_unavailable: errorShape(503, -32603, 'Store unavailable', {
    logLevel: 'error',
    retry: 'later',
  }),
  /** The keys or the answer of an authorization server are needed and cannot be had. */
  issuer_unavailable: errorShape(503, -32603, 'Authorization server unavailable', {
    logLevel: 'warn',
    retry: 'later',
  }),
  timed_out: errorShape(504, -32603, 'Deadline passed', { logLevel: 'warn', retry: 'later' }),
} as const satisfies Record<string, ErrorShape>

export type ErrorCode = keyof typeof ERRORS

/**
 * One place where the input is not valid. `pointer` is a JSON Pointer (RFC 6901) into the input.
 */
export type FieldError = { readonly pointer: string; readonly message: string }

/**
 * Classes of upstream failures that decide the advice to the caller. Other failures have no class.
 * - `secret_rejected`: the upstream answered 401 or 403 to a request with stored secrets.
 * - `access_denied`: the upstream answered 401 or 403 to a request without stored secrets.
 * - `busy`: the upstream asked for a pause.
 * - `unreadable`: the answer is not what the skill expects.
 * - `too_large`: the answer is over the skill's limit.
 * - `reported`: the status is a success, but the body says that the call failed.
 */
export const FAILURE_CLASSES = [
  'secret_rejected',
  'access_denied',
  'busy',
  'unreachable',
  'unreadable',
  'too_large',
  'reported',
] as const

export type FailureClass = (typeof FAILURE_CLASSES)[number]

/**
 * Why a request is not served, in words for its sender. The text names the field and the limit. It
 * has no secret, no argument value and no stack trace. A remedy that administrators word
 * differently, as a request or as a command, stands in `remedy` and not in `detail`.
 */
export type Refusal = {
  readonly code: ErrorCode
  /** One or two plain sentences. */
  readonly detail: string
  readonly remedy?: Remedy
  readonly faults?: readonly FieldError[]
  readonly retryAfterSec?: number
  /** Only with the code `upstream_failed`. */
  readonly upstreamFault?: FailureClass
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
 * An outside dependency failed: the store, an issuer, or another function of ours. Adapters throw it with the
 * `cause`; doors catch it once and answer `code` with a safe text.
 */
export class Fault extends Error {
  readonly code: 'store_unavailable' | 'issuer_unavailable' | 'upstream_failed' | 'internal'
  constructor(code: Fault['code'], message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'Fault'
    this.code = code
  }
}

/** The defaults describe a sender's mistake: logged as information, and solved by a new request. */
function errorShape(
  status: number,
  rpcCode: number,
  title: string,
  { logLevel = 'info', retry = 'after-a-change' }: Partial<ErrorShape> = {},
): ErrorShape {
  return { status, rpcCode, title, logLevel, retry }
}
