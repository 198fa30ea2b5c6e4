/**
 * The admin door's middy stack: it turns a REST event into a typed request for the handler, and the
 * handler's answer into a REST answer. A thrown error becomes a problem document and one log line.
 * Permissions are checked elsewhere. Only doors that agents do not call use this file, so that the
 * others' cold starts do not load middy.
 */
import middy from '@middy/core'
import { toProblem } from '../../core/call/problem.ts'
import { ERRORS, ok, type Refusal, type Result } from '../../core/errors.ts'
import type { Log } from '../../core/ports/outside.ts'
import { addRemedy } from '../../core/remedies/admin-problem.ts'
import { readIncomingTrace, runWithTrace } from '../config/trace.ts'
import type { RequestHeaders, RestApiEvent } from './events.ts'
import type { ResponseHeaders } from './lambda-stream.ts'
import { makeProblemHeaders, toThrownRefusal } from './problem.ts'
import { readContext, readEventHeaders, readRestApiEvent } from './read-event.ts'
import { ADMIN_BODY_BYTES_MAX, checkHeaders, checkPlainBody, readBodyBytes } from './request.ts'

export type AdminRequest = {
  readonly method: string
  /** Without the stage: `/admin/sync_skill`. */
  readonly path: string
  readonly headers: RequestHeaders
  readonly query: URLSearchParams
  /** Empty if there is no body. */
  readonly body: Uint8Array
  readonly requestId: string
  /** The client's address as the platform saw it; '' if unknown. */
  readonly sourceAddress: string
  /** The domain of the API as the platform saw it; '' if unknown. */
  readonly domainName: string
}

export type AdminAnswer = {
  readonly status: number
  /** An object is sent as JSON, a text unchanged; undefined: an empty answer. */
  readonly body: object | string | undefined
  readonly headers?: ResponseHeaders
}

export type RestApiAnswer = {
  readonly statusCode: number
  readonly headers: ResponseHeaders
  readonly body: string
  readonly isBase64Encoded: false
}

export type AdminDoor = (event: unknown, context: unknown) => Promise<RestApiAnswer>

/** 504 is answered this long before the host ends the call, or the client would get a bare 502. */
const TIME_LEFT_TO_ANSWER_MS = 500
/** The longest run of a function; it bounds middy's timer on a host without a limit. */
const INVOCATION_MS_MAX = 900_000

const COMMON_HEADERS: ResponseHeaders = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

export function makeAdminDoor(options: {
  readonly log: Log
  readonly handle: (request: AdminRequest) => Promise<AdminAnswer>
  /**
   * Judges headers and address before anything else, and returns them as `handle` gets them.
   */
  readonly admit?: ((sent: Sent) => Promise<Result<Sent>>) | undefined
  /** Limit of a body to that path; undefined: {@link ADMIN_BODY_BYTES_MAX}. */
  readonly bytesMaxOf?: (method: string, path: string) => number | undefined
}): AdminDoor {
  const stack = middy<unknown, RestApiAnswer>({ timeoutEarlyInMillis: TIME_LEFT_TO_ANSWER_MS })
    .onError((request) => {
      const refusal = toTimedRefusal(request.error)
      const fields = { code: refusal.code, requestId: request.context.awsRequestId }
      options.log.note(ERRORS[refusal.code].logLevel, 'door-failed', fields, request.error)
      request.response = toRestAnswer(toRefusalAnswer(refusal))
    })
    .handler(async (event: unknown) => {
      const admitted = await admitEvent(readRestApiEvent(event), options.admit)
      if (!admitted.ok) return toRestAnswer(toRefusalAnswer(admitted.error))
      const request = readAdminRequest(admitted.value, options.bytesMaxOf)
      return toRestAnswer(
        request.ok ? await options.handle(request.value) : toRefusalAnswer(request.error),
      )
    })
  return (event, context) =>
    runWithTrace(readIncomingTrace(readEventHeaders(event)), () =>
      stack(event, boundContext(context)),
    )
}

/**
 * The answer for a refusal, with the headers that its status requires. `challenge` replaces the
 * usual value of WWW-Authenticate.
 */
export function toRefusalAnswer(
  refusal: Refusal,
  headers: ResponseHeaders = {},
  challenge?: string,
): AdminAnswer {
  const made = addRemedy(toProblem(refusal), refusal)
  const isChallenged = challenge !== undefined && made.status === 401
  const problem = isChallenged ? { ...made, wwwAuthenticate: challenge } : made
  return {
    status: problem.status,
    body: problem,
    headers: { ...headers, ...makeProblemHeaders(problem) },
  }
}

type Sent = { readonly headers: RequestHeaders; readonly address: string }

async function admitEvent(
  event: RestApiEvent,
  admit: ((sent: Sent) => Promise<Result<Sent>>) | undefined,
): Promise<Result<RestApiEvent>> {
  if (admit === undefined) return ok(event)
  const admitted = await admit({ headers: event.headers, address: event.sourceIp })
  if (!admitted.ok) return admitted
  return ok({ ...event, headers: admitted.value.headers, sourceIp: admitted.value.address })
}

function readAdminRequest(
  event: RestApiEvent,
  bytesMaxOf: (method: string, path: string) => number | undefined = () => undefined,
): Result<AdminRequest> {
  const fit = checkHeaders(event)
  if (!fit.ok) return fit
  const plain = checkPlainBody(event)
  if (!plain.ok) return plain
  const bytesMax = bytesMaxOf(event.httpMethod, event.path) ?? ADMIN_BODY_BYTES_MAX
  const body = readBodyBytes(event, { bytesMax })
  if (!body.ok) return body
  return ok({
    method: event.httpMethod,
    path: event.path,
    headers: event.headers,
    query: new URLSearchParams(event.query.map(([name, one]): [string, string] => [name, one])),
    body: body.value,
    requestId: event.requestId,
    sourceAddress: event.sourceIp,
    domainName: event.domainName,
  })
}

function toRestAnswer({ status, body, headers }: AdminAnswer): RestApiAnswer {
  return {
    statusCode: status,
    headers: {
      ...COMMON_HEADERS,
      ...(typeof body === 'object' ? { 'content-type': 'application/json; charset=utf-8' } : {}),
      ...headers,
    },
    body: typeof body === 'object' ? JSON.stringify(body) : (body ?? ''),
    isBase64Encoded: false,
  }
}

function toTimedRefusal(cause: unknown): Refusal {
  if (!(cause instanceof Error && cause.name === 'TimeoutError')) return toThrownRefusal(cause)
  return {
    code: 'timed_out',
    detail: 'The request took too long; ask for less at once, or try again.',
  }
}

function boundContext(value: unknown) {
  const context = readContext(value)
  return {
    awsRequestId: context.awsRequestId,
    getRemainingTimeInMillis: () => Math.min(context.getRemainingTimeInMillis(), INVOCATION_MS_MAX),
  }
}
