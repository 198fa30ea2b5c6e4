/**
 * Requests one access token by the client credentials grant (RFC 6749 4.4) or in exchange for the
 * caller's own (RFC 8693): it makes the request and reads its answer. Messages about a failed answer repeat only its status and a registered
 * error code, because the rest may contain the credentials.
 */
import type { UpstreamAnswer, UpstreamRequest, UpstreamResponse } from '../../core/call/upstream.ts'
import { err, ok } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { HookFailure } from '../../core/ports/registry.ts'
import { readBodyText } from '../../core/response/read-body.ts'
import { classifyStatus, type StatusFailure } from '../../core/response/upstream-fault.ts'
import type { FetchedToken, TokenResult } from './token-cache.ts'

export type TokenRequest = {
  readonly tokenUrl: string
  readonly clientId: string
  readonly clientSecret: string
  readonly scope: string | undefined
  readonly audience: string | undefined
  /** RFC 8707: the upstream that the token is for. */
  readonly resource: string | undefined
  /** The caller's access token, which is exchanged; undefined for client credentials. */
  readonly subjectToken?: string
  /** The place of the credentials (RFC 6749 2.3.1). */
  readonly style: 'basic' | 'body'
}

/** Bytes of an answer; one with a long JWT has 10 kB. */
const ANSWER_BYTES_MAX = 65_536
/** Characters of a token, which is sent in a header: common servers accept headers of 8 kB. */
export const TOKEN_CHARS_MAX = 8_000
/** A shorter token could not be masked; no server issues one. */
const TOKEN_CHARS_MIN = 8
/** b64token of RFC 6750 and the other characters that servers use: visible ASCII, no space. */
const TOKEN = /^[\x21-\x7e]+$/

/** A token that expires during a call fails the call, so its last minute is not used. */
const MARGIN_SEC = 60
/** Bounds how long a revoked grant still works, for any `expires_in`. */
const LIFE_SEC_MAX = 3_600
/** The life of a token whose answer has no `expires_in`, which RFC 6749 5.1 allows. */
const LIFE_SEC_DEFAULT = 300

/** Codes of RFC 6749 5.2, RFC 8707 2, and those that servers use from RFC 6749 4.1.2.1. */
const SHOWN_CODES: ReadonlySet<Json | undefined> = new Set(
  (
    'invalid_request invalid_client invalid_grant unauthorized_client unsupported_grant_type ' +
    'invalid_scope invalid_target access_denied server_error temporarily_unavailable'
  ).split(' '),
)

/** Codes about the client's credentials; servers send them with 400 or 401. */
const REJECTED_CODES: ReadonlySet<Json | undefined> = new Set([
  'invalid_client',
  'unauthorized_client',
  'access_denied',
])

export function makeTokenRequest(wanted: TokenRequest): UpstreamRequest {
  const { audience, clientId, clientSecret, resource, scope, style, tokenUrl } = wanted
  const form = new URLSearchParams(toGrant(wanted))
  if (scope !== undefined) form.set('scope', scope)
  if (audience !== undefined) form.set('audience', audience)
  if (resource !== undefined) form.set('resource', resource)
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': 'Skillgate',
  }
  const request = { method: 'POST', url: tokenUrl } as const
  if (style === 'body') {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
    const sensitive = { headers: [], query: false, body: true }
    return { ...request, headers, body: form.toString(), sensitive }
  }
  const pair = `${encodeForm(clientId)}:${encodeForm(clientSecret)}`
  const authorization = `Basic ${Buffer.from(pair).toString('base64')}`
  const hasToken = wanted.subjectToken !== undefined
  const sensitive = { headers: ['authorization'], query: false, body: hasToken }
  return { ...request, headers: { ...headers, authorization }, body: form.toString(), sensitive }
}

/** The type of the caller's token, and of the wanted one. */
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token'

function toGrant({ subjectToken }: TokenRequest): Record<string, string> {
  if (subjectToken === undefined) return { grant_type: 'client_credentials' }
  return {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    subject_token: subjectToken,
    subject_token_type: ACCESS_TOKEN,
    requested_token_type: ACCESS_TOKEN,
  }
}

/** RFC 6749 2.3.1: id and secret are encoded by appendix B before they are joined. */
function encodeForm(text: string): string {
  return new URLSearchParams([['', text]]).toString().slice(1)
}

export function readTokenAnswer(answer: UpstreamAnswer, nowMs: number): TokenResult {
  switch (answer.kind) {
    case 'answered':
      return readToken(answer.response, nowMs)
    case 'cut':
      return err('cut')
    case 'refused_target':
      return fail(`may not be called: ${answer.detail}`, UNREACHABLE)
    case 'unreachable':
      return fail(answer.detail, UNREACHABLE)
    case 'unreadable':
      return fail(answer.detail, UNREADABLE)
    case 'too_large':
      return fail(`sent more than ${answer.bytesMax} bytes`, UNREADABLE)
    default:
      return answer satisfies never
  }
}

function readToken(response: UpstreamResponse, nowMs: number): TokenResult {
  const { status } = response
  const body = readBody(response)
  if (status < 200 || status > 299) {
    const code = body?.['error']
    const fault = REJECTED_CODES.has(code)
      ? REJECTED_FAULT
      : classifyStatus(response, { nowMs, sentSecrets: true })
    return fail(`answered ${status}${SHOWN_CODES.has(code) ? ` (${code})` : ''}`, fault)
  }
  const token = body?.['access_token']
  const isToken =
    typeof token === 'string' &&
    token.length >= TOKEN_CHARS_MIN &&
    token.length <= TOKEN_CHARS_MAX &&
    TOKEN.test(token)
  if (!isToken) return fail(`answered ${status} without a usable access_token`, UNREADABLE)
  if (!isBearer(body?.['token_type']))
    return fail('gave a token that is not a bearer token', UNREADABLE)
  return ok<FetchedToken>({ token, lifeMs: readLifeSec(body?.['expires_in']) * 1000 })
}

/** Undefined for an answer that is not a JSON object, or is too long. */
export function readBody(response: UpstreamResponse): JsonObject | undefined {
  if (response.body.length > ANSWER_BYTES_MAX) return undefined
  const text = readBodyText(response, true)
  const parsed = text.ok ? parseJson(text.value, { repeatedNames: 'last' }) : undefined
  return parsed?.ok === true && isJsonObject(parsed.value) ? parsed.value : undefined
}

/** RFC 6749 5.1 requires the type, in any case; some servers omit it. */
function isBearer(type: Json | undefined): boolean {
  return type === undefined || (typeof type === 'string' && type.toLowerCase() === 'bearer')
}

/** Seconds for which the token is used. Some servers send the number as a text. */
function readLifeSec(expiresIn: Json | undefined): number {
  const isNumber = typeof expiresIn === 'number' || /^\d{1,12}$/.test(String(expiresIn))
  if (!isNumber) return LIFE_SEC_DEFAULT
  return Math.min(LIFE_SEC_MAX, Math.max(0, Number(expiresIn) - MARGIN_SEC))
}

const UNREACHABLE: StatusFailure = { upstreamFault: 'unreachable' }
const UNREADABLE: StatusFailure = { upstreamFault: 'unreadable' }
const REJECTED_FAULT: StatusFailure = { upstreamFault: 'secret_rejected' }

function fail(
  problem: string,
  fault: StatusFailure,
): { readonly ok: false; readonly error: HookFailure } {
  return err({ detail: `The token endpoint ${problem}.`, ...fault })
}
