/**
 * The HTTP of logins at upstreams: the redirect to the authorization server, the callback, and the
 * document that describes the gateway as a client. Bound by docs/upstream-credentials.md.
 */
import type { AgentRequest } from '../../adapters/http/agent-door.ts'
import { answerEmpty, answerJson } from '../../adapters/http/answer.ts'
import { findHeader } from '../../adapters/http/request.ts'
import type { SetSecretsContext } from '../../core/flow/login/set-secrets.ts'
import {
  describeOAuthClient,
  finishUpstreamLogin,
  type StartedLogin,
} from '../../core/flow/login/upstream-login.ts'
import { CALLBACK_QUERY_CHARS_MAX } from '../../core/login/limits.ts'
import { writeNotice } from '../../core/login/pages.ts'
import { dropUpstreamCookie, readUpstreamCookie, writeUpstreamCookie } from './login-cookies.ts'
import type { PageAnswer } from './page-answer.ts'

/** Any server may read the document, and keep it for an hour. */
const CLIENT_HEADERS = {
  'access-control-allow-origin': '*',
  'cache-control': 'public, max-age=3600',
}

export function answerClient({ out }: AgentRequest, origin: string): Promise<void> {
  return answerJson(out, 200, describeOAuthClient(origin), CLIENT_HEADERS)
}

/** 303, so that the browser does not send the form on (RFC 9700 section 4.12). */
export function sendToServer(
  context: SetSecretsContext,
  { out }: AgentRequest,
  started: StartedLogin,
): Promise<void> {
  return answerEmpty(out, 303, {
    location: started.location,
    'referrer-policy': 'no-referrer',
    'set-cookie': writeUpstreamCookie(context, started),
  })
}

/** The page of the callback. */
export async function finishLogin(
  context: SetSecretsContext,
  { event }: AgentRequest,
): Promise<PageAnswer> {
  const query = event.rawQueryString.slice(0, CALLBACK_QUERY_CHARS_MAX)
  const state = new URLSearchParams(query).get('state') ?? ''
  const cookie = readUpstreamCookie(context, findHeader(event, 'cookie'), state)
  const finished = await finishUpstreamLogin(context, query, cookie)
  if (!finished.ok) {
    return { status: 400, html: writeNotice('The login did not end', [finished.error]) }
  }
  const sentence = `The tool ${finished.value.toolName} now uses your login. Go back to your program and let it go on.`
  const spent = { 'set-cookie': dropUpstreamCookie(context, state) }
  return { status: 200, html: writeNotice('Logged in', [sentence]), headers: spent }
}
