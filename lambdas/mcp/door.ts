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
import type { Credential } from '../../core/access/credential.ts'
import type { ProvisionIdentity } from '../../core/access/identity.ts'
import { loadOnce } from '../../core/cache/load-once.ts'
import { toProblem } from '../../core/call/problem.ts'
import type { Result } from '../../core/errors.ts'
import {
  type AdmitCallerNeeds,
  admitCaller,
  readCallerToken,
} from '../../core/flow/access/admit-caller.ts'
import {
  CALL_SCOPE_MISSING,
  findCredentialId,
  KEY_MISSING,
} from '../../core/flow/access/authenticate.ts'
import { openCallScope } from '../../core/flow/access/call-scope.ts'
import { listsForAnybody } from '../../core/flow/access/lists-for-anybody.ts'
import { startStoreWait } from '../../core/flow/access/store-wait.ts'
import type { CatalogNeeds } from '../../core/flow/catalog/catalog.ts'
import { makeExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import type { LoginNeeds } from '../../core/flow/login/login-context.ts'
import type { SetSecretsNeeds } from '../../core/flow/login/set-secrets.ts'
import type { HttpReply, PostedRequest } from '../../core/flow/streamable-http/http-post.ts'
import { createMcpCaches, type McpContext } from '../../core/flow/streamable-http/mcp-caches.ts'
import { needsCallScope } from '../../core/flow/streamable-http/missing-scope.ts'
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
import { makeLateProvision } from '../../core/flow/users/late-provision.ts'
import type { ProvisionNeeds } from '../../core/flow/users/provision-identity.ts'
import { writeErrorReply } from '../../core/jsonrpc/write-message.ts'
import { findLinkOrigin } from '../../core/login/paths.ts'
import type { Classification, ClassifiedRefusal, Work } from '../../core/mcp/classified.ts'
import { classify } from '../../core/mcp/classify.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Settings } from '../../core/settings.ts'
import { callsHere, type ExecutePorts, visitsHere } from '../call/answer-call.ts'
import { readingsHere } from '../call/readings-here.ts'
import {
  isCardPath,
  isCatalogPath,
  isLoginPath,
  isMcpPath,
  isSecretsPath,
  MCP_PATH,
} from './paths.ts'

type DoorPorts = AdmitCallerNeeds &
  CatalogNeeds &
  ServeRequestNeeds &
  OpenListenNeeds &
  ListenNeeds &
  LoginNeeds &
  ProvisionNeeds &
  SetSecretsNeeds
export type McpPorts = Omit<DoorPorts, 'execute' | 'jobVisits' | 'mcpReadings'> &
  ExecutePorts &
  Pick<Ports, 'mcpServers'>

type Door = McpContext<
  DoorPorts & {
    readonly provision: ProvisionIdentity
    readonly makeSecret: () => Promise<string>
  }
> & {
  readonly catalog: (request: AgentRequest) => Promise<void>
  /** Absent without a login of the gateway's own and without issuers. */
  readonly login: ((request: AgentRequest) => Promise<void>) | undefined
  /** Absent where users set no secrets. */
  readonly secrets: ((request: AgentRequest) => Promise<void>) | undefined
  readonly watch: ListWatch
}

/** Builds a door that makes calls in its own process. */
export function createMcpDoor(ports: McpPorts, settings: Settings): StreamingHandler {
  // Links to the page of secrets are sealed with a secret that only this function makes.
  const logins = { readSecret: () => ports.logins.secret() }
  const host = {
    ports: { ...ports, logins },
    settings,
    caches: makeExecuteCaches(),
    lists: makeToolListCache(),
  }
  const here = {
    execute: callsHere(host),
    jobVisits: visitsHere(host),
    mcpReadings: readingsHere(host),
  }
  return createMcpDoorOver({ ...ports, ...here }, settings)
}

/**
 * Builds a door whose calls are made by `ports.execute`, for hosts that share one execute among
 * their doors.
 */
export function createMcpDoorOver(given: DoorPorts, settings: Settings): StreamingHandler {
  const ports = {
    ...given,
    provision: makeLateProvision(given, settings),
    makeSecret: () => given.logins.secret(),
  }
  const caches = createMcpCaches()
  const loadCatalog = loadOnce(async () => {
    const { openCatalogDoor } = await import('./catalog.ts')
    return openCatalogDoor(ports, settings, caches.lists)
  })
  const catalog = async (request: AgentRequest) => (await loadCatalog())(request)
  const login = openLogin(ports, settings)
  const secrets = openSecrets(ports, settings)
  const watch = makeListWatch()
  const door: Door = { ports, settings, caches, catalog, login, secrets, watch }
  const judgesOrigin = (path: string) =>
    isCardPath(path) ||
    (login !== undefined && isLoginPath(path)) ||
    (secrets !== undefined && isSecretsPath(path))
  return makeAgentDoor({ log: ports.log, settings, judgesOrigin }, (request) =>
    route(door, request),
  )
}

function openLogin(ports: LoginNeeds, settings: Settings): Door['login'] {
  const { issuers, login } = settings
  if (login === undefined && issuers.length === 0) return undefined
  const load = loadOnce(async () => {
    if (login === undefined) return (await import('./foreign-login.ts')).openForeignLogin(issuers)
    const { openLoginDoor } = await import('./login.ts')
    return openLoginDoor(ports, settings, login)
  })
  return async (request) => (await load())(request)
}

function openSecrets(ports: SetSecretsNeeds, settings: Settings): Door['secrets'] {
  const origin = findLinkOrigin(settings)
  if (origin === undefined) return undefined
  const load = loadOnce(async () => {
    const { openSecretsDoor } = await import('./secrets-page.ts')
    return openSecretsDoor(ports, settings, origin)
  })
  return async (request) => (await load())(request)
}

function route(door: Door, request: AgentRequest): Promise<void> {
  const { rawPath } = request.event
  if (isCardPath(rawPath))
    return loadCards().then((cards) => cards.answerCard(door.settings, request))
  if (isCatalogPath(rawPath)) return answerCatalog(door, request)
  if (door.login !== undefined && isLoginPath(rawPath)) return door.login(request)
  if (door.secrets !== undefined && isSecretsPath(rawPath)) return door.secrets(request)
  if (!isMcpPath(rawPath)) {
    const detail = `path: there is nothing here. MCP over Streamable HTTP is POST ${MCP_PATH}.`
    return refuseWith(request, { code: 'not_found', detail })
  }
  // Products that decide at their first request would otherwise show a server without a login.
  if (!listsForAnybody(door.settings) && isAnonymous(request)) {
    return refuseWith(request, KEY_MISSING)
  }
  // A GET without a stream must get 405: after another status, clients keep sending it (ADR 0026).
  if (request.method !== 'POST') {
    const detail = 'This path takes POST only: there are no sessions and no streams to resume.'
    return refuseWith(request, { code: 'method_not_allowed', detail }, { allow: 'POST, OPTIONS' })
  }
  return post(door, request)
}

const loadCards = loadOnce(() => import('./cards.ts'))

/** The list of official tools is as public as tools/list is. */
function answerCatalog(door: Door, request: AgentRequest): Promise<void> {
  if (listsForAnybody(door.settings)) return door.catalog(request)
  const detail =
    'path: there is nothing here. This gateway lists its tools to callers who logged in.'
  return refuseWith(request, { code: 'not_found', detail })
}

function isAnonymous({ event }: AgentRequest): boolean {
  return findHeader(event, 'authorization') === undefined
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
  if (message.kind === 'refused') return answerRefused(request, message)
  if (door.login !== undefined && isAnonymous(request) && isCall(message)) {
    return refuseWith(request, KEY_MISSING)
  }
  const wait = startStoreWait(door.ports.clock)
  const { caches, ports, settings } = door
  const authorization = findHeader(request.event, 'authorization')
  const admission = admitCaller(
    { ports, settings, lookups: caches.tokens },
    {
      authorization,
      address: request.event.requestContext.http.sourceIp,
    },
    wait,
  )
  const proceed = (admitted: Result<Credential>) =>
    admitted.ok
      ? dispatch(door, request, message, {
          callerToken: readCallerToken(admitted.value, authorization),
          credential: admitted.value,
          wait,
        })
      : refuseWith(request, admitted.error)
  // A key of the gateway's own form is admitted without waiting.
  return admission instanceof Promise ? admission.then(proceed) : proceed(admission)
}

function answerRefused(
  { cors, out }: AgentRequest,
  { error, id, status }: ClassifiedRefusal,
): Promise<void> {
  const headers = { 'content-type': 'application/json', ...cors }
  return answerText(out, status, writeErrorReply(id, error), headers)
}

/** A client that may list tools without a credential logs in when its call gets 401. */
function isCall(message: Classification): boolean {
  return message.kind === 'request' && message.intent.kind === 'call-tool'
}

type Admitted = Pick<PostedRequest, 'callerToken' | 'credential' | 'wait'>

function dispatch(
  door: Door,
  request: AgentRequest,
  message: Exclude<Classification, ClassifiedRefusal>,
  admitted: Admitted,
): Promise<void> {
  switch (message.kind) {
    case 'notification':
    case 'response':
      return takeMessage(door, request, message, admitted)
    case 'batch':
      return answerBatch(door, request, message, admitted)
    case 'request':
      return message.intent.kind === 'listen'
        ? answerListen(door, request, message, admitted)
        : answerSingle(door, request, message, admitted)
    default:
      return message satisfies never
  }
}

const loadListen = loadOnce(() => import('./listen.ts'))

async function answerListen(
  door: Door,
  request: AgentRequest,
  work: Work,
  { credential }: Admitted,
): Promise<void> {
  const { listen } = await loadListen()
  return listen(door, request, { work, credential })
}

async function takeMessage(
  door: Door,
  request: AgentRequest,
  message: Extract<Classification, { kind: 'notification' | 'response' }>,
  { credential, wait }: Admitted,
): Promise<void> {
  const caller = await authenticateLister(door.ports, credential, wait)
  if (caller.kind === 'refused') return refuseWith(request, caller.refusal)
  if (caller.kind === 'principal' && caller.principal.isReadOnly === true) {
    if (needsCallScope(door.settings, message)) return refuseWith(request, CALL_SCOPE_MISSING)
  }
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
  admitted: Admitted,
): Promise<void> {
  const body = createReplyBody(door, request)
  const posted = { ...toPostedRequest(door, request, body, work), ...admitted }
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
  admitted: Admitted,
): Promise<void> {
  const body = createReplyBody(door, request)
  const posted = { ...toPostedRequest(door, request, body, undefined), ...admitted }
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
): Omit<PostedRequest, keyof Admitted> {
  const nowMs = door.ports.clock.nowMs()
  const remainingMs = context.getRemainingTimeInMillis()
  return {
    client: findHeader(event, 'user-agent'),
    acceptedAtMs: nowMs,
    scope: openCallScope(door.ports),
    deadlineMs: Number.isFinite(remainingMs) ? nowMs + remainingMs : undefined,
    channel: body.accepts === 'json' ? undefined : body,
    // A batch may contain calls, and an update of a task lets its call go on.
    gone: work === undefined || RUNS_CALLS.has(work.intent.kind) ? makeGoneSignal(out) : undefined,
  }
}
