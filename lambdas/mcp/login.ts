/**
 * The paths of the login on the origin of /mcp: metadata, registration, pages, tokens and
 * revocation. Loaded with its first request, so that a start of the function does not read it. The
 * pages are for people and no other site may use them; the other paths are for clients of any
 * origin, because no credential of a browser counts there. Bound by docs/login.md.
 */
import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { answerEmpty, answerJson } from '../../adapters/http/answer.ts'
import type { ResponseHeaders } from '../../adapters/http/lambda-stream.ts'
import { checkJsonType, readTextOrBytes } from '../../adapters/http/request.ts'
import { makeDeadTokens } from '../../core/flow/login/dead-tokens.ts'
import { answerToken, type Form, revokeLogin } from '../../core/flow/login/exchange.ts'
import { makeFindClient } from '../../core/flow/login/find-client.ts'
import type { LoginContext, LoginNeeds } from '../../core/flow/login/login-context.ts'
import { registerClient } from '../../core/flow/login/register-client.ts'
import { parseJson } from '../../core/json/parse-json.ts'
import type { OAuthError } from '../../core/login/authorize-request.ts'
import { LOGIN_BODY_BYTES_MAX } from '../../core/login/limits.ts'
import { describeServer } from '../../core/login/metadata.ts'
import {
  AUTHORIZE_PATH,
  INVITE_PATH,
  REGISTER_PATH,
  REVOKE_PATH,
  SERVER_METADATA_PATH,
  TOKEN_PATH,
} from '../../core/login/paths.ts'
import type { LoginSettings, Settings } from '../../core/settings.ts'
import { answerInvite } from './invite-page.ts'
import { readForm } from './login-form.ts'
import { openLoginPages } from './login-pages.ts'
import { openPageAnswer } from './page-answer.ts'

type Answer = (request: AgentRequest) => Promise<void>

/** Returns the function that answers every path of the login. */
export function openLoginDoor(ports: LoginNeeds, settings: Settings, login: LoginSettings): Answer {
  const { adminUrl } = settings
  const context = { ports, login, adminUrl, deadTokens: makeDeadTokens(ports) }
  const findClient = makeFindClient(context)
  const answerPage = openPageAnswer(ports.digests)
  const pages = openLoginPages({ context, findClient }, settings, answerPage)
  return (request) => {
    const { rawPath } = request.event
    if (rawPath === AUTHORIZE_PATH) return pages(request)
    if (rawPath.startsWith(INVITE_PATH)) return answerInvite(context, answerPage, request)
    if (request.method === 'OPTIONS') return answerEmpty(request.out, 204, PREFLIGHT_HEADERS)
    switch (rawPath) {
      case REGISTER_PATH:
        return takePost(request, () => register(context, request))
      case TOKEN_PATH:
        return takePost(request, () =>
          takeForm(request, (form) => giveTokens(context, findClient, request, form)),
        )
      case REVOKE_PATH:
        return takePost(request, () => takeForm(request, (form) => revoke(context, request, form)))
      default:
        return answerMetadata(request, login.issuer)
    }
  }
}

/** Any page may read these answers: they depend on what it sends alone. */
const ANY_ORIGIN: ResponseHeaders = { 'access-control-allow-origin': '*' }
const PREFLIGHT_HEADERS: ResponseHeaders = {
  ...ANY_ORIGIN,
  'access-control-allow-methods': 'GET, POST, OPTIONS',
  'access-control-allow-headers': 'content-type, authorization, mcp-protocol-version',
  'access-control-max-age': '7200',
}

function answerMetadata(request: AgentRequest, issuer: string): Promise<void> {
  const { method, out } = request
  const { rawPath } = request.event
  if (method !== 'GET' && method !== 'HEAD') return refuseMethod(request, 'GET')
  if (rawPath === SERVER_METADATA_PATH) {
    return answerJson(out, 200, describeServer(issuer), ANY_ORIGIN)
  }
  const detail = `path: there is nothing here. The login is described at ${SERVER_METADATA_PATH}.`
  return refuseWith({ out, cors: ANY_ORIGIN }, { code: 'not_found', detail })
}

function takePost(request: AgentRequest, answer: () => Promise<void>): Promise<void> {
  return request.method === 'POST' ? answer() : refuseMethod(request, 'POST')
}

function refuseMethod({ out }: AgentRequest, allow: 'GET' | 'POST'): Promise<void> {
  const detail = `This path takes ${allow} only.`
  return refuseWith({ out, cors: ANY_ORIGIN }, { code: 'method_not_allowed', detail }, { allow })
}

async function register(context: LoginContext, { event, out }: AgentRequest): Promise<void> {
  const type = checkJsonType(event)
  const body = type.ok ? readTextOrBytes(event, { bytesMax: LOGIN_BODY_BYTES_MAX }) : type
  const json = body.ok ? parseJson(body.value) : body
  if (!json.ok) {
    const description = json.error.detail
    return answerError(out, { error: 'invalid_client_metadata', description })
  }
  const registered = await registerClient(context, json.value)
  if (!registered.ok) return answerError(out, registered.error)
  return answerJson(out, 201, registered.value, ANY_ORIGIN)
}

async function giveTokens(
  context: LoginContext,
  findClient: ReturnType<typeof makeFindClient>,
  { event, out }: AgentRequest,
  form: Form,
): Promise<void> {
  const clientId = form.get('client_id')
  if (clientId === undefined) {
    return answerError(out, { error: 'invalid_request', description: 'client_id: is missing' })
  }
  // A document is not read here: the login knows its client, and the client's site may be down.
  const network = event.requestContext.http.sourceIp
  if (!clientId.startsWith('https:') && !(await findClient(clientId, network)).ok) {
    const description = 'client_id: is not one of this gateway; register again'
    return answerError(out, { error: 'invalid_client', description })
  }
  const answer = await answerToken(context, form)
  if (!answer.ok) return answerError(out, answer.error)
  return answerJson(out, 200, answer.value, ANY_ORIGIN)
}

async function revoke(context: LoginContext, { out }: AgentRequest, form: Form): Promise<void> {
  await revokeLogin(context, form)
  return answerEmpty(out, 200, ANY_ORIGIN)
}

async function takeForm(
  { event, out }: AgentRequest,
  take: (form: Form) => Promise<void>,
): Promise<void> {
  const form = readForm(event, { bytesMax: LOGIN_BODY_BYTES_MAX })
  return form.ok ? take(form.value) : answerError(out, form.error)
}

/** RFC 6749 section 5.2: an unknown client is 401, everything else 400. */
function answerError(out: AgentRequest['out'], { description, error }: OAuthError): Promise<void> {
  const status = error === 'invalid_client' ? 401 : 400
  return answerJson(out, status, { error, error_description: description }, ANY_ORIGIN)
}
