/**
 * What every agent door does before it routes a request: limits of headers, Origin, CORS,
 * preflights, the documents that say where to log in, and the catch of thrown errors. Bound by
 * docs/service.md, Browsers and Tokens of issuers.
 */
import {
  buildCorsHeaders,
  buildPreflightHeaders,
  isOriginAllowed,
} from '../../core/access/origin.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import type { Problem } from '../../core/call/execute.ts'
import { CALLER_LEFT, SERVER_STOPS } from '../../core/call/no-answer.ts'
import { toProblem } from '../../core/call/problem.ts'
import type { Refusal } from '../../core/errors.ts'
import { findLoginOrigin, RESOURCE_METADATA_PATH, writeChallenge } from '../../core/login/paths.ts'
import type { Log } from '../../core/ports/outside.ts'
import type { Settings } from '../../core/settings.ts'
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
  /** Present if people can log in, by which a refused client finds out where. */
  readonly challenge?: Challenge | undefined
}

/** Writes WWW-Authenticate of a refusal. */
export type Challenge = (code: 'unauthenticated' | 'insufficient_scope') => string

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
    readonly settings: Pick<Settings, 'allowedOrigins' | 'issuers' | 'login' | 'publicOrigin'>
    readonly judgesOrigin?: (path: string) => boolean
  },
  route: (request: AgentRequest) => Promise<void>,
): StreamingHandler {
  const { allowedOrigins } = options.settings
  const loginOrigin = findLoginOrigin(options.settings)
  const readOrigin = (event: FunctionUrlEvent) => {
    const origin = findHeader(event, 'origin')
    const host = findHeader(event, 'host')
    const allowed = isOriginAllowed({ origin, host, allowedOrigins })
    return { origin, allowed }
  }
  const makeHeaders = (event: FunctionUrlEvent) => buildCorsHeaders(readOrigin(event))
  return guardDoor({ log: options.log, headersOf: makeHeaders }, (event, out, context) => {
    const from = readOrigin(event)
    const { method } = event.requestContext.http
    const challenge =
      loginOrigin === undefined ? undefined : makeChallenge(options.settings, loginOrigin, event)
    const request = { event, out, context, method, cors: buildCorsHeaders(from), challenge }
    const fit = checkHeaders(event)
    if (!fit.ok) return refuseWith(request, fit.error)
    const metadata = answerMetadata(options.settings, loginOrigin, request)
    if (metadata !== undefined) return metadata
    if (options.judgesOrigin?.(event.rawPath) === true) return route(request)
    if (!from.allowed) return refuseWith(request, BAD_ORIGIN)
    if (method === 'OPTIONS') {
      const wanted = findHeader(event, 'access-control-request-headers')
      return answerEmpty(out, 204, buildPreflightHeaders({ ...from, wanted }))
    }
    return route(request)
  })
}

const loadMetadata = loadOnce(() => import('./resource-metadata.ts'))

/** Undefined for a request for anything else. */
function answerMetadata(
  settings: Pick<Settings, 'issuers' | 'login'>,
  origin: string | undefined,
  request: AgentRequest,
): Promise<void> | undefined {
  const isAsked = request.event.rawPath.startsWith(RESOURCE_METADATA_PATH)
  if (origin === undefined || !isAsked) return undefined
  return loadMetadata().then(({ answerResourceMetadata }) =>
    answerResourceMetadata(settings, origin, request),
  )
}

function makeChallenge(
  settings: Pick<Settings, 'issuers' | 'login'>,
  origin: string,
  event: FunctionUrlEvent,
): Challenge {
  const isAnonymous = findHeader(event, 'authorization') === undefined
  return (code) => {
    const error = code === 'insufficient_scope' ? code : 'invalid_token'
    return writeChallenge(settings, origin, event.rawPath, isAnonymous ? undefined : error)
  }
}

/** Answers a refusal, or its problem document; `more` adds headers such as Allow. */
export function refuseWith(
  { challenge, cors, out }: Pick<AgentRequest, 'out' | 'cors' | 'challenge'>,
  refusal: Refusal | Problem,
  more: ResponseHeaders = {},
): Promise<void> {
  const problem = 'status' in refusal ? refusal : toProblem(refusal)
  return answerProblem(out, withChallenge(problem, challenge), { ...cors, ...more })
}

function withChallenge(problem: Problem, challenge: Challenge | undefined): Problem {
  if (challenge === undefined) return problem
  if (problem.code === 'insufficient_scope') {
    return { ...problem, wwwAuthenticate: challenge(problem.code) }
  }
  if (problem.status !== 401) return problem
  return { ...problem, wwwAuthenticate: challenge('unauthenticated') }
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
