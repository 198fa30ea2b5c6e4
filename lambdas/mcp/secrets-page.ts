/**
 * The page at /secrets/{token}, on which a user sets missing secrets. Loaded with its first request.
 * A form counts only with the cookie of the browser that opened its page, and never from another
 * site. Bound by docs/service.md, Asking for secrets.
 */
import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { findHeader } from '../../adapters/http/request.ts'
import {
  openSecretsPage,
  type SecretsOutcome,
  type SentSecrets,
  type SetSecretsContext,
  type SetSecretsNeeds,
  type ShownOutcome,
  takeSecrets,
} from '../../core/flow/login/set-secrets.ts'
import { writeNotice } from '../../core/login/pages.ts'
import { OAUTH_CALLBACK_PATH, OAUTH_CLIENT_PATH, SECRETS_PATH } from '../../core/login/paths.ts'
import { toValueField, writeSecretsPage } from '../../core/login/secret-pages.ts'
import { SECRET_FORM_BYTES_MAX, SECRETS_PER_LINK_MAX } from '../../core/secrets/limits.ts'
import type { Settings } from '../../core/settings.ts'
import { readFormCookie, toTab, writeFormCookie } from './login-cookies.ts'
import { readForm } from './login-form.ts'
import { openPageAnswer, type PageAnswer, toRefusedPage } from './page-answer.ts'
import { answerClient, finishLogin, sendToServer } from './upstream-login.ts'

/** Returns the function that answers the page. `origin` is the gateway's public one. */
export function openSecretsDoor(
  ports: SetSecretsNeeds,
  { prefix }: Pick<Settings, 'prefix'>,
  origin: string,
): (request: AgentRequest) => Promise<void> {
  const context = { ports, login: { issuer: origin }, prefix }
  const answerPage = openPageAnswer(ports.digests)
  return async (request) => {
    const { rawPath } = request.event
    if (rawPath === OAUTH_CLIENT_PATH) return answerClient(request, origin)
    if (request.method === 'GET') {
      const page =
        rawPath === OAUTH_CALLBACK_PATH
          ? await finishLogin(context, request)
          : toPage(context, await openSecretsPage(context, toToken(request)))
      return answerPage(request, page)
    }
    if (request.method !== 'POST' || rawPath === OAUTH_CALLBACK_PATH) return refuseMethod(request)
    const outcome = await take(context, request)
    return outcome.kind === 'log-in'
      ? sendToServer(context, request, outcome.started)
      : answerPage(request, toPage(context, outcome))
  }
}

function toToken({ event }: AgentRequest): string {
  return event.rawPath.slice(SECRETS_PATH.length)
}

function refuseMethod({ cors, event, out }: AgentRequest): Promise<void> {
  const allow = event.rawPath === OAUTH_CALLBACK_PATH ? 'GET' : 'GET, POST'
  const detail = `This page takes ${allow.replace(', ', ' and ')} only.`
  return refuseWith({ out, cors }, { code: 'method_not_allowed', detail }, { allow })
}

async function take(context: SetSecretsContext, request: AgentRequest): Promise<SecretsOutcome> {
  const { event } = request
  const origin = findHeader(event, 'origin')
  // `null` comes from a browser that hides the origin; the form's own proof then decides.
  if (origin !== undefined && origin !== 'null' && origin !== context.login.issuer) {
    return { kind: 'bad-form' }
  }
  const form = readForm(event, { bytesMax: SECRET_FORM_BYTES_MAX })
  if (!form.ok) return { kind: 'not-stored', detail: `${form.error.description}.` }
  const field = (name: string) => form.value.get(name) ?? ''
  const nonce = readFormCookie(context, findHeader(event, 'cookie'), field('tab'))
  if (nonce === undefined) return { kind: 'bad-form' }
  const sent: SentSecrets = {
    nonce,
    query: toToken(request),
    openedAtMs: Number(field('opened')),
    proof: field('proof'),
    key: field('key'),
    values: Array.from({ length: SECRETS_PER_LINK_MAX }, (_, index) => field(toValueField(index))),
  }
  return takeSecrets(context, sent, event.requestContext.http.sourceIp)
}

function toPage(context: SetSecretsContext, outcome: ShownOutcome): PageAnswer {
  switch (outcome.kind) {
    case 'ask':
      return toAskingPage(context, outcome)
    case 'stored': {
      const sentence = `The secrets of ${outcome.link.toolName} are set. Go back to your program and let it go on.`
      return { status: 200, html: writeNotice('Saved', [sentence]) }
    }
    case 'no-link':
      return { status: 404, html: writeNotice('This link cannot be used', [outcome.detail]) }
    case 'bad-form':
      return { status: 403, html: writeNotice('Open the link again', [OLD_FORM]) }
    case 'not-stored':
      return { status: 400, html: writeNotice('Nothing was stored', [outcome.detail]) }
    case 'too-many':
      return toRefusedPage(outcome)
    default:
      return outcome satisfies never
  }
}

const OLD_FORM =
  'This form is too old, or was opened in another browser. Open the link of your program again, and allow cookies of this page.'

function toAskingPage(
  context: SetSecretsContext,
  { form, link, origins, wrong }: Extract<SecretsOutcome, { kind: 'ask' }>,
): PageAnswer {
  const { nonce, openedAtMs, proof, query } = form
  const hidden = { tab: toTab(context, nonce), opened: String(openedAtMs), proof }
  const gatewayHost = new URL(context.login.issuer).host
  const action = `${SECRETS_PATH}${query}`
  const html = writeSecretsPage({ link, origins, gatewayHost, action, hidden, wrong })
  const cookie = wrong === undefined ? { 'set-cookie': writeFormCookie(context, nonce) } : {}
  return { status: 200, html, headers: cookie }
}
