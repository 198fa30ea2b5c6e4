/**
 * What every agent door does before it routes a request: limits of headers, Origin, CORS,
 * preflights, and the catch of thrown errors. Bound by docs/service.md, Browsers.
 */
import {
  buildCorsHeaders,
  buildPreflightHeaders,
  isOriginAllowed,
} from '../../core/access/origin.ts'
import type { Problem } from '../../core/call/execute.ts'
import { CALLER_LEFT, SERVER_STOPS } from '../../core/call/no-answer.ts'
import { toProblem } from '../../core/call/problem.ts'
import type { Refusal } from '../../core/errors.ts'
import type { Log } from '../../core/ports/outside.ts'
import { answerEmpty } from './answer.ts'
import type {
  FunctionUrlEvent,
  InvocationContext,
  ResponseStream,
  StreamingHandler,
} from './events.ts'
import { guardDoor } from './guarded.ts'
import type { ResponseHeaders } from './lambda-stream.ts'
import { answerProblem } from './problem.ts'
import { checkHeaders, findHeader } from './request.ts'

export type AgentRequest = {
  readonly event: FunctionUrlEvent
  readonly out: ResponseStream
  readonly context: InvocationContext
  readonly method: string
  /** CORS headers of every answer. */
  readonly cors: ResponseHeaders
  /** The value of WWW-Authenticate of a 401; default: that for API keys. */
  readonly challenge?: string
}

const BAD_ORIGIN: Refusal = {
  code: 'forbidden',
  detail:
    'Origin: pages of this origin may not use this gateway. An operator can allow it (ALLOWED_ORIGINS).',
}

/**
 * `route` gets each request that passed the checks. It checks the Origin of requests for paths of
 * `judgesOrigin` itself, and answers their preflights.
 */
export function makeAgentDoor(
  options: {
    readonly log: Log
    readonly allowedOrigins: readonly string[]
    readonly judgesOrigin?: (path: string) => boolean
  },
  route: (request: AgentRequest) => Promise<void>,
): StreamingHandler {
  const readOrigin = (event: FunctionUrlEvent) => {
    const origin = findHeader(event, 'origin')
    const host = findHeader(event, 'host')
    const allowed = isOriginAllowed({ origin, host, allowedOrigins: options.allowedOrigins })
    return { origin, allowed }
  }
  const makeHeaders = (event: FunctionUrlEvent) => buildCorsHeaders(readOrigin(event))
  return guardDoor({ log: options.log, headersOf: makeHeaders }, (event, out, context) => {
    const from = readOrigin(event)
    const { method } = event.requestContext.http
    const request = { event, out, context, method, cors: buildCorsHeaders(from) }
    const fit = checkHeaders(event)
    if (!fit.ok) return refuseWith(request, fit.error)
    if (options.judgesOrigin?.(event.rawPath) === true) return route(request)
    if (!from.allowed) return refuseWith(request, BAD_ORIGIN)
    if (method === 'OPTIONS') {
      const wanted = findHeader(event, 'access-control-request-headers')
      return answerEmpty(out, 204, buildPreflightHeaders({ ...from, wanted }))
    }
    return route(request)
  })
}

/** Answers a refusal, or its problem document; `more` adds headers such as Allow. */
export function refuseWith(
  { challenge, cors, out }: Pick<AgentRequest, 'out' | 'cors' | 'challenge'>,
  refusal: Refusal | Problem,
  more: ResponseHeaders = {},
): Promise<void> {
  const problem = 'status' in refusal ? refusal : toProblem(refusal)
  const isChallenged = challenge !== undefined && problem.status === 401
  const answered = isChallenged ? { ...problem, wwwAuthenticate: challenge } : problem
  return answerProblem(out, answered, { ...cors, ...more })
}

/**
 * Aborts when the caller leaves or the server stops; its reason is one of core/call/no-answer.ts.
 */
export function makeGoneSignal(out: ResponseStream): AbortSignal {
  const left = new AbortController()
  const leave = () => {
    if (!out.writableEnded) left.abort(out.isCut === true ? SERVER_STOPS : CALLER_LEFT)
  }
  out.once('close', leave)
  out.on('error', leave)
  if (out.destroyed) leave()
  return left.signal
}
