/**
 * Streamable HTTP: POST /mcp for every revision from 2025-03-26 on, decided per request, without a
 * session. The door refuses before any work (type, size, Origin, credential) and writes responses;
 * the flows do the rest. Calls are made in this function, by the code of execute. Bound by
 * docs/service.md, Streamable HTTP, ADR 0026 and ADR 0062.
 */

import { readAcceptedTypes } from '../../adapters/http/accept.ts'
import {
  type AgentRequest,
  makeAgentDoor,
  makeGoneSignal,
  refuseWith,
} from '../../adapters/http/agent-door.ts'
import { answerEmpty, answerText } from '../../adapters/http/answer.ts'
import type { StreamingHandler } from '../../adapters/http/events.ts'
import { makeReplyBody, type ReplyBody } from '../../adapters/http/reply-body.ts'
import {
  checkJsonType,
  findHeader,
  REQUEST_BODY_BYTES_MAX,
  readTextOrBytes,
} from '../../adapters/http/request.ts'
import { readCredential } from '../../core/access/credential.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import { toProblem } from '../../core/call/problem.ts'
import type { Refusal } from '../../core/errors.ts'
import { admitToken } from '../../core/flow/access/admit-token.ts'
import {
  findCredentialId,
  KEY_MISSING,
  logRefusedKey,
} from '../../core/flow/access/authenticate.ts'
import { openCallScope } from '../../core/flow/access/call-scope.ts'
import { type StoreWait, startStoreWait } from '../../core/flow/access/store-wait.ts'
import type { CatalogNeeds } from '../../core/flow/catalog/catalog.ts'
import { makeExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import type { LoginNeeds } from '../../core/flow/login/login-context.ts'
import type { HttpReply, PostedRequest } from '../../core/flow/streamable-http/http-post.ts'
import { createMcpCaches, type McpContext } from '../../core/flow/streamable-http/mcp-caches.ts'
import type { OpenListenNeeds } from '../../core/flow/streamable-http/open-listen.ts'
import type { ListenNeeds } from '../../core/flow/streamable-http/run-listen.ts'
import {
  acceptUnanswered,
  type Batch,
  type BatchReply,
  serveBatch,
} from '../../core/flow/streamable-http/serve-batch.ts'
import {
  type ServeRequestNeeds,
  serveRequest,
} from '../../core/flow/streamable-http/serve-request.ts'
import { authenticateLister } from '../../core/flow/tools/answer-tools-list.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import { type ListWatch, makeListWatch } from '../../core/flow/tools/tool-list-watch.ts'
import { writeErrorReply } from '../../core/jsonrpc/write-message.ts'
import { writeChallenge } from '../../core/login/paths.ts'
import type { Classification, Work } from '../../core/mcp/classified.ts'
import { classify } from '../../core/mcp/classify.ts'
import type { Settings } from '../../core/settings.ts'
import { callsHere, type ExecutePorts, visitsHere } from '../call/answer-call.ts'
import { isCatalogPath, isLoginPath, isMcpPath, MCP_PATH } from './paths.ts'

type DoorPorts = CatalogNeeds & ServeRequestNeeds & OpenListenNeeds & ListenNeeds & LoginNeeds
export type McpPorts = Omit<DoorPorts, 'execute' | 'jobVisits'> & ExecutePorts

type Door = McpContext<DoorPorts> & {
  readonly catalog: (request: AgentRequest) => Promise<void>
  /** Absent while nobody can log in. */
  readonly login: ((request: AgentRequest) => Promise<void>) | undefined
  readonly watch: ListWatch
}

/** Builds a door that makes calls in its own process. */
export function createMcpDoor(ports: McpPorts, settings: Settings): StreamingHandler {
  const host = { ports, settings, caches: makeExecuteCaches(), lists: makeToolListCache() }
  const here = { execute: callsHere(host), jobVisits: visitsHere(host) }
  return createMcpDoorOver({ ...ports, ...here }, settings)
}

/**
 * Builds a door whose calls are made by `ports.execute`, for hosts that share one execute among
 * their doors.
 */
export function createMcpDoorOver(ports: DoorPorts, settings: Settings): StreamingHandler {
  const caches = createMcpCaches()
  const loadCatalog = loadOnce(async () => {
    const { openCatalogDoor } = await import('./catalog.ts')
    return openCatalogDoor(ports, settings, caches.lists)
  })
  const catalog = async (request: AgentRequest) => (await loadCatalog())(request)
  const login = openLogin(ports, settings)
  const door: Door = { ports, settings, caches, catalog, login, watch: makeListWatch() }
  const { allowedOrigins } = settings
  const judgesOrigin = login === undefined ? () => false : isLoginPath
  return makeAgentDoor({ log: ports.log, allowedOrigins, judgesOrigin }, (request) =>
    route(door, request),
  )
}

function openLogin(ports: LoginNeeds, settings: Settings): Door['login'] {
  const { login } = settings
  if (login === undefined) return undefined
  const load = loadOnce(async () => {
    const { openLoginDoor } = await import('./login.ts')
    return openLoginDoor(ports, settings, login)
  })
  return async (request) => (await load())(request)
}

function route(door: Door, asked: AgentRequest): Promise<void> {
  const { rawPath } = asked.event
  if (isCatalogPath(rawPath)) return door.catalog(asked)
  if (door.login !== undefined && isLoginPath(rawPath)) return door.login(asked)
  if (!isMcpPath(rawPath)) {
    const detail = `path: there is nothing here. MCP over Streamable HTTP is POST ${MCP_PATH}.`
    return refuseWith(asked, { code: 'not_found', detail })
  }
  const { isRefused, request } = challenge(door.settings, asked)
  if (isRefused) return refuseWith(request, KEY_MISSING)
  // A GET without a stream must get 405: after another status, clients keep sending it (ADR 0026).
  if (request.method !== 'POST') {
    const detail = 'This path takes POST only: there are no sessions and no streams to resume.'
    return refuseWith(request, { code: 'method_not_allowed', detail }, { allow: 'POST, OPTIONS' })
  }
  return post(door, request)
}

/**
 * With a login, every 401 tells where to log in, and a caller without a credential gets one at
 * once: products that decide at their first request would otherwise show a connected server.
 */
function challenge(
  { anonymousList, login }: Settings,
  request: AgentRequest,
): { readonly request: AgentRequest; readonly isRefused: boolean } {
  if (login === undefined) return { request, isRefused: false }
  const isAnonymous = findHeader(request.event, 'authorization') === undefined
  const written = writeChallenge(login.issuer, MCP_PATH, !isAnonymous)
  return {
    request: { ...request, challenge: written },
    isRefused: isAnonymous && !anonymousList,
  }
}

function post(door: Door, request: AgentRequest): Promise<void> {
  const { event } = request
  const type = checkJsonType(event)
  if (!type.ok) return refuseWith(request, type.error)
  const body = readTextOrBytes(event, { bytesMax: REQUEST_BODY_BYTES_MAX })
  if (!body.ok) return refuseWith(request, body.error)
  const posted = {
    body: body.value,
    header: (name: string) => findHeader(event, name),
    headerNames: () => Object.keys(event.headers),
  }
  return admitAndDispatch(door, request, classify(posted))
}

function admitAndDispatch(
  door: Door,
  request: AgentRequest,
  message: Classification,
): Promise<void> {
  const credential = readCredential(door.ports.digests, findHeader(request.event, 'authorization'))
  if (door.login !== undefined && credential.kind === 'anonymous' && isCall(message)) {
    return refuseWith(request, KEY_MISSING)
  }
  const address = request.event.requestContext.http.sourceIp
  const wait = startStoreWait(door.ports.clock)
  const admission =
    message.kind === 'refused'
      ? undefined
      : admitToken(door.ports, door.caches.tokens, { address, credential }, wait)
  const proceed = (refusal: Refusal | undefined) => {
    if (refusal === undefined) return dispatch(door, request, message, wait)
    const reason = refusal.code === 'rate_limited' ? 'limited' : 'unknown'
    logRefusedKey(door.ports, credential, reason)
    return refuseWith(request, refusal)
  }
  // A key of the gateway's own form is admitted without waiting.
  return admission instanceof Promise ? admission.then(proceed) : proceed(admission)
}

/** A client that may list tools without a credential logs in when its call gets 401. */
function isCall(message: Classification): boolean {
  return message.kind === 'request' && message.intent.kind === 'call-tool'
}

function dispatch(
  door: Door,
  request: AgentRequest,
  message: Classification,
  wait: StoreWait,
): Promise<void> {
  switch (message.kind) {
    case 'refused': {
      const headers = { 'content-type': 'application/json', ...request.cors }
      return answerText(
        request.out,
        message.status,
        writeErrorReply(message.id, message.error),
        headers,
      )
    }
    case 'notification':
    case 'response':
      return takeMessage(door, request, message, wait)
    case 'batch':
      return answerBatch(door, request, message, wait)
    case 'request':
      return message.intent.kind === 'listen'
        ? answerListen(door, request, message)
        : answerSingle(door, request, message, wait)
    default:
      return message satisfies never
  }
}

const loadListen = loadOnce(() => import('./listen.ts'))

async function answerListen(door: Door, request: AgentRequest, work: Work): Promise<void> {
  const { listen } = await loadListen()
  return listen(door, request, work)
}

async function takeMessage(
  door: Door,
  request: AgentRequest,
  message: Extract<Classification, { kind: 'notification' | 'response' }>,
  wait: StoreWait,
): Promise<void> {
  const credential = readCredential(door.ports.digests, findHeader(request.event, 'authorization'))
  const caller = await authenticateLister(door.ports, credential, wait)
  if (caller.kind === 'refused') return refuseWith(request, caller.refusal)
  const acceptance = await acceptUnanswered(
    door,
    message,
    await findCredentialId(door.ports, credential),
  )
  if (acceptance === 'accepted') return answerEmpty(request.out, 202, request.cors)
  return refuseWith(request, { code: 'too_large', detail: ANSWER_TOO_LARGE })
}

const ANSWER_TOO_LARGE = 'result: is too large for an answer to a tool; send 256 KiB at most.'

async function answerSingle(
  door: Door,
  request: AgentRequest,
  work: Work,
  wait: StoreWait,
): Promise<void> {
  const body = createReplyBody(door, request)
  const posted = { ...toPostedRequest(door, request, body, work), wait }
  const served = await serveRequest(door, work, posted)
  await finish(posted, send(request, body, served))
}

/**
 * Ends the request. Lambda freezes the process at the end of an invocation, so work that follows
 * the response is finished before the response ends.
 */
async function finish({ scope }: Pick<PostedRequest, 'scope'>, sent: Promise<void>) {
  await scope.close(sent)
  await sent
}

function send(request: AgentRequest, body: ReplyBody, served: HttpReply): Promise<void> {
  switch (served.kind) {
    case 'reply':
      return body.answer(served.status, served.text)
    case 'refused':
      return refuseWith(request, toProblem(served.refusal, toProblemFields(served)))
    case 'nothing':
      return body.leave()
    default:
      return served satisfies never
  }
}

function toProblemFields({ callId }: Extract<HttpReply, { kind: 'refused' }>) {
  return callId === undefined ? {} : { callId }
}

async function answerBatch(
  door: Door,
  request: AgentRequest,
  items: Batch,
  wait: StoreWait,
): Promise<void> {
  const body = createReplyBody(door, request)
  const posted = { ...toPostedRequest(door, request, body, undefined), wait }
  await finish(posted, sendBatch(request, body, await serveBatch(door, items, posted)))
}

function sendBatch(request: AgentRequest, body: ReplyBody, served: BatchReply): Promise<void> {
  if (served.kind === 'refused') return refuseWith(request, served.refusal)
  return served.texts.length === 0 ? body.leave() : body.answerAll(served.texts)
}

function createReplyBody(door: Door, request: AgentRequest): ReplyBody {
  const accepts = readAcceptedTypes(findHeader(request.event, 'accept'))
  return makeReplyBody(request, { accepts, clock: door.ports.clock })
}

const RUNS_CALLS: ReadonlySet<string> = new Set(['call-tool', 'task'])

function toPostedRequest(
  door: Door,
  { context, event, out }: AgentRequest,
  body: ReplyBody,
  work: Work | undefined,
): Omit<PostedRequest, 'wait'> {
  const nowMs = door.ports.clock.nowMs()
  const remainingMs = context.getRemainingTimeInMillis()
  return {
    credential: readCredential(door.ports.digests, findHeader(event, 'authorization')),
    client: findHeader(event, 'user-agent'),
    acceptedAtMs: nowMs,
    scope: openCallScope(door.ports),
    deadlineMs: Number.isFinite(remainingMs) ? nowMs + remainingMs : undefined,
    channel: body.accepts === 'json' ? undefined : body,
    // A batch may contain calls, and an update of a task lets its call go on.
    gone: work === undefined || RUNS_CALLS.has(work.intent.kind) ? makeGoneSignal(out) : undefined,
  }
}
