/**
 * The pages at /authorize. A form counts only with the cookie of the browser that opened its page,
 * and never from another site. Two tabs have two cookies, so both work.
 */
import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { answerEmpty } from '../../adapters/http/answer.ts'
import { findHeader } from '../../adapters/http/request.ts'
import { isInviteHash } from '../../core/access/invite.ts'
import {
  openPage,
  type PageOutcome,
  type ProvenForm,
  type SentForm,
  takeForm,
} from '../../core/flow/login/authorize.ts'
import type { Form } from '../../core/flow/login/exchange.ts'
import type { ClientRefusal, FindClient } from '../../core/flow/login/find-client.ts'
import { listUse } from '../../core/flow/login/list-use.ts'
import type { LoginContext } from '../../core/flow/login/login-context.ts'
import { LOGIN_BODY_BYTES_MAX, PAGE_FORM_BYTES_MAX } from '../../core/login/limits.ts'
import { writeConsentPage, writeKeyPage, writeNotice } from '../../core/login/pages.ts'
import { isFunctionUrl } from '../../core/settings/function-url.ts'
import type { Settings } from '../../core/settings.ts'
import {
  dropInviteCookie,
  readFormCookie,
  readInviteCookie,
  toTab,
  writeFormCookie,
} from './login-cookies.ts'
import { readForm } from './login-form.ts'
import { type AnswerPage, type PageAnswer, toRefusedPage } from './page-answer.ts'

type Flow = { readonly context: LoginContext; readonly findClient: FindClient }
type Pages = Flow & { readonly settings: Settings; readonly answerPage: AnswerPage }

/** Returns the function that answers /authorize. */
export function openLoginPages(
  flow: Flow,
  settings: Settings,
  answerPage: AnswerPage,
): (request: AgentRequest) => Promise<void> {
  const pages = { ...flow, settings, answerPage }
  return async (request) => {
    const outcome = await decide(pages, request)
    return answerOutcome(pages, request, outcome)
  }
}

async function decide(
  pages: Pages,
  { event, method }: AgentRequest,
): Promise<PageOutcome | 'method'> {
  const network = event.requestContext.http.sourceIp
  const cookies = findHeader(event, 'cookie')
  if (method === 'GET') {
    if (event.rawQueryString.length > LOGIN_BODY_BYTES_MAX) {
      return { kind: 'bad-request', detail: `query: is over ${LOGIN_BODY_BYTES_MAX} characters` }
    }
    const invite = readInviteCookie(pages.context, cookies)
    return openPage(pages, event.rawQueryString, { invite, network })
  }
  if (method !== 'POST') return 'method'
  const origin = findHeader(event, 'origin')
  // `null` comes from a browser that hides the origin; the form's own proof then decides.
  if (origin !== undefined && origin !== 'null' && origin !== pages.context.login.issuer) {
    return { kind: 'bad-form' }
  }
  const form = readForm(event, { bytesMax: PAGE_FORM_BYTES_MAX })
  if (!form.ok) return { kind: 'bad-request', detail: form.error.description }
  const sent = readSent(pages.context, form.value, cookies)
  if (sent === undefined) return { kind: 'bad-form' }
  return takeForm(pages, sent, network)
}

/** The fields of a form with the nonce of its cookie; undefined without the cookie. */
function readSent(
  context: LoginContext,
  form: Form,
  cookies: string | undefined,
): SentForm | undefined {
  const nonce = readFormCookie(context, cookies, form.get('tab') ?? '')
  if (nonce === undefined) return undefined
  return {
    nonce,
    query: form.get('request') ?? '',
    openedAtMs: Number(form.get('opened')),
    proof: form.get('proof') ?? '',
    key: form.get('use') === 'invite' ? readInviteCookie(context, cookies) : form.get('key'),
    keyHash: form.get('key_id'),
    decision: form.get('decision'),
  }
}

function answerOutcome(
  pages: Pages,
  request: AgentRequest,
  outcome: PageOutcome | 'method',
): Promise<void> {
  if (outcome === 'method') {
    const detail = 'This page takes GET and POST only.'
    return refuseWith(
      { out: request.out, cors: {} },
      { code: 'method_not_allowed', detail },
      { allow: 'GET, POST' },
    )
  }
  switch (outcome.kind) {
    case 'ask-key':
      return askKey(pages, request, outcome)
    case 'ask-consent':
      return askConsent(pages, request, outcome)
    case 'redirect':
      // 303, so that the browser does not send the form on (RFC 9700 section 4.12).
      return answerEmpty(request.out, 303, {
        location: outcome.location,
        ...(outcome.usedInvite === true ? { 'set-cookie': dropInviteCookie(pages.context) } : {}),
      })
    case 'bad-invite':
    case 'too-many':
      return pages.answerPage(request, toRefusedPage(outcome))
    default:
      return answerNotice(pages, request, outcome)
  }
}

function askKey(
  pages: Pages,
  request: AgentRequest,
  { form, invited, request: asked, wrongKey }: Extract<PageOutcome, { kind: 'ask-key' }>,
): Promise<void> {
  const { context } = pages
  const html = writeKeyPage({
    client: asked.client,
    redirectUri: asked.redirectUri,
    gatewayHost: toHost(context),
    hidden: toHidden(context, form),
    takesKeys: !isFunctionUrl(context.login.issuer),
    invited,
    wrongKey,
  })
  const cookie =
    wrongKey === undefined ? { 'set-cookie': writeFormCookie(context, form.nonce) } : {}
  return pages.answerPage(request, { status: 200, html, headers: cookie })
}

async function askConsent(
  pages: Pages,
  request: AgentRequest,
  { form, key, profile, request: asked }: Extract<PageOutcome, { kind: 'ask-consent' }>,
): Promise<void> {
  const use = await listUse(pages.context.ports, pages.settings, { key, profile })
  const html = writeConsentPage({
    client: asked.client,
    redirectUri: asked.redirectUri,
    gatewayHost: toHost(pages.context),
    hidden: { ...toHidden(pages.context, form), key_id: key.keyHash },
    username: profile.username,
    account: asked.account,
    keyPrefix: isInviteHash(key.keyHash) ? undefined : key.keyPrefix,
    ...use,
  })
  return pages.answerPage(request, { status: 200, html })
}

type Notice = Extract<PageOutcome, { kind: 'bad-form' | 'bad-request' | 'no-client' }>

function answerNotice(pages: Pages, request: AgentRequest, notice: Notice): Promise<void> {
  switch (notice.kind) {
    case 'no-client':
      return pages.answerPage(request, toClientPage(notice.refusal))
    case 'bad-request': {
      const sentences = [
        `${notice.detail}.`,
        'Start again in your program. If this page comes again, tell its maker.',
      ]
      return pages.answerPage(request, {
        status: 400,
        html: writeNotice('This login cannot go on', sentences),
      })
    }
    case 'bad-form': {
      const sentence =
        'This form is too old, was used already, or was opened in another browser. Start again in your program, and allow cookies of this page.'
      return pages.answerPage(request, {
        status: 403,
        html: writeNotice('Start again', [sentence]),
      })
    }
    default:
      return notice satisfies never
  }
}

function toClientPage(refusal: ClientRefusal): PageAnswer {
  switch (refusal.kind) {
    case 'unknown': {
      const sentence =
        'This gateway does not know the program that sent you here. Remove the connection in your program and add it again.'
      return { status: 401, html: writeNotice('Unknown program', [sentence]) }
    }
    case 'unreadable': {
      const sentence = `The description of the program that sent you here, at ${refusal.host}, could not be used. The gateway's log says why; its operator may have to list a host (loginRedirects).`
      return { status: 401, html: writeNotice('Unknown program', [sentence]) }
    }
    case 'too-many-documents': {
      const { retryAfterSec } = refusal
      const sentence = `Too many descriptions of programs were read for your network. Wait ${Math.ceil(retryAfterSec / 60)} minutes, then start again in your program.`
      return {
        status: 429,
        html: writeNotice('Too many programs', [sentence]),
        headers: { 'retry-after': String(retryAfterSec) },
      }
    }
    default:
      return refusal satisfies never
  }
}

function toHidden(context: LoginContext, { nonce, openedAtMs, proof, query }: ProvenForm) {
  const tab = toTab(context, nonce)
  return { tab, request: query, opened: String(openedAtMs), proof }
}

function toHost({ login }: LoginContext): string {
  return new URL(login.issuer).host
}
