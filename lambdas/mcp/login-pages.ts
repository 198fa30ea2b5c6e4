/**
 * The pages at /authorize. A form counts only with the cookie of the browser that opened its page,
 * and never from another site. Two tabs have two cookies, so both work.
 */
import { type AgentRequest, refuseWith } from '../../adapters/http/agent-door.ts'
import { answerEmpty, answerText } from '../../adapters/http/answer.ts'
import { findHeader } from '../../adapters/http/request.ts'
import {
  openPage,
  type PageOutcome,
  type ProvenForm,
  type SentForm,
  takeForm,
} from '../../core/flow/login/authorize.ts'
import type { Form } from '../../core/flow/login/exchange.ts'
import type { FindClient } from '../../core/flow/login/find-client.ts'
import { listUse } from '../../core/flow/login/list-use.ts'
import type { LoginContext } from '../../core/flow/login/login-context.ts'
import {
  FORM_LIFE_SEC,
  LOGIN_BODY_BYTES_MAX,
  PAGE_FORM_BYTES_MAX,
} from '../../core/login/limits.ts'
import {
  makePageHeaders,
  PAGE_STYLE,
  writeConsentPage,
  writeKeyPage,
  writeNotice,
} from '../../core/login/pages.ts'
import type { Settings } from '../../core/settings.ts'
import { readForm } from './login-form.ts'

type Flow = { readonly context: LoginContext; readonly findClient: FindClient }
type Pages = Flow & { readonly settings: Settings; readonly styleHash: string }

/** Returns the function that answers /authorize. */
export function openLoginPages(
  flow: Flow,
  settings: Settings,
): (request: AgentRequest) => Promise<void> {
  const styleHash = toBase64(flow.context.ports.digests.sha256(PAGE_STYLE))
  const pages = { ...flow, settings, styleHash }
  return async (request) => {
    const outcome = await decide(pages, request)
    return answerOutcome(pages, request, outcome)
  }
}

async function decide(
  pages: Pages,
  { event, method }: AgentRequest,
): Promise<PageOutcome | 'method'> {
  if (method === 'GET') {
    if (event.rawQueryString.length > LOGIN_BODY_BYTES_MAX) {
      return { kind: 'bad-request', detail: `query: is over ${LOGIN_BODY_BYTES_MAX} characters` }
    }
    return openPage(pages, event.rawQueryString)
  }
  if (method !== 'POST') return 'method'
  const origin = findHeader(event, 'origin')
  // `null` comes from a browser that hides the origin; the form's own proof then decides.
  if (origin !== undefined && origin !== 'null' && origin !== pages.context.login.issuer) {
    return { kind: 'bad-form' }
  }
  const form = readForm(event, { bytesMax: PAGE_FORM_BYTES_MAX })
  if (!form.ok) return { kind: 'bad-request', detail: form.error.description }
  const sent = readSent(pages.context, form.value, findHeader(event, 'cookie'))
  if (sent === undefined) return { kind: 'bad-form' }
  return takeForm(pages, sent, event.requestContext.http.sourceIp)
}

/** The fields of a form with the nonce of its cookie; undefined without the cookie. */
function readSent(
  context: LoginContext,
  form: Form,
  cookies: string | undefined,
): SentForm | undefined {
  const tab = form.get('tab') ?? ''
  const nonce = /^[A-Za-z0-9_-]{8}$/.test(tab)
    ? findCookie(cookies, toCookieName(context, tab))
    : undefined
  if (nonce === undefined) return undefined
  return {
    nonce,
    query: form.get('request') ?? '',
    openedAtMs: Number(form.get('opened')),
    proof: form.get('proof') ?? '',
    key: form.get('key'),
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
      return answerEmpty(request.out, 303, { location: outcome.location })
    default:
      return answerNotice(pages, request, outcome)
  }
}

function askKey(
  pages: Pages,
  request: AgentRequest,
  { form, request: asked, wrongKey }: Extract<PageOutcome, { kind: 'ask-key' }>,
): Promise<void> {
  const tab = toTab(pages.context, form)
  const html = writeKeyPage({
    client: asked.client,
    redirectUri: asked.redirectUri,
    gatewayHost: toHost(pages.context),
    hidden: toHidden(tab, form),
    wrongKey,
  })
  const cookie =
    wrongKey === undefined ? { 'set-cookie': writeCookie(pages.context, tab, form) } : {}
  return answerPage(pages, request, { status: 200, html, headers: cookie })
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
    hidden: { ...toHidden(toTab(pages.context, form), form), key_id: key.keyHash },
    username: profile.username,
    keyPrefix: key.keyPrefix,
    ...use,
  })
  return answerPage(pages, request, { status: 200, html })
}

type Notice = Extract<PageOutcome, { kind: 'bad-form' | 'bad-request' | 'no-client' | 'too-many' }>

function answerNotice(pages: Pages, request: AgentRequest, notice: Notice): Promise<void> {
  switch (notice.kind) {
    case 'too-many': {
      const minutes = Math.ceil(notice.retryAfterSec / 60)
      const html = writeNotice('Too many wrong keys', [
        `Too many wrong keys came from your network. Wait ${minutes} minutes, then start again in your program.`,
      ])
      const headers = { 'retry-after': String(notice.retryAfterSec) }
      return answerPage(pages, request, { status: 429, html, headers })
    }
    case 'no-client': {
      const sentence =
        notice.refusal.kind === 'unknown'
          ? 'This gateway does not know the program that sent you here. Remove the connection in your program and add it again.'
          : `The description of the program that sent you here, at ${notice.refusal.host}, could not be used. The gateway's log says why; its operator may have to list a host (loginRedirects).`
      return answerPage(pages, request, {
        status: 401,
        html: writeNotice('Unknown program', [sentence]),
      })
    }
    case 'bad-request': {
      const sentences = [
        `${notice.detail}.`,
        'Start again in your program. If this page comes again, tell its maker.',
      ]
      return answerPage(pages, request, {
        status: 400,
        html: writeNotice('This login cannot go on', sentences),
      })
    }
    case 'bad-form': {
      const sentence =
        'This form is too old, was used already, or was opened in another browser. Start again in your program, and allow cookies of this page.'
      return answerPage(pages, request, {
        status: 403,
        html: writeNotice('Start again', [sentence]),
      })
    }
    default:
      return notice satisfies never
  }
}

function answerPage(
  { styleHash }: Pages,
  { out }: AgentRequest,
  page: {
    readonly status: number
    readonly html: string
    readonly headers?: Record<string, string>
  },
): Promise<void> {
  return answerText(out, page.status, page.html, { ...makePageHeaders(styleHash), ...page.headers })
}

function toHidden(tab: string, { openedAtMs, proof, query }: ProvenForm) {
  return { tab, request: query, opened: String(openedAtMs), proof }
}

/** Names the cookie of a form; two tabs have two. */
function toTab({ ports }: LoginContext, { nonce }: ProvenForm): string {
  return ports.digests.sha256(`tab\n${nonce}`).slice(0, 8)
}

/** With https, the name keeps other hosts of the domain from setting the cookie. */
function toCookieName({ login }: LoginContext, tab: string): string {
  return `${login.issuer.startsWith('https:') ? '__Host-' : ''}sg_login_${tab}`
}

function writeCookie(context: LoginContext, tab: string, { nonce }: ProvenForm): string {
  const isSecure = context.login.issuer.startsWith('https:')
  const flags = `Path=/; HttpOnly; SameSite=Strict; Max-Age=${FORM_LIFE_SEC}`
  return `${toCookieName(context, tab)}=${nonce}; ${flags}${isSecure ? '; Secure' : ''}`
}

function findCookie(cookies: string | undefined, name: string): string | undefined {
  for (const cookie of (cookies ?? '').split(';')) {
    const [key, value] = cookie.trim().split('=')
    if (key === name && value !== undefined && value !== '') return value
  }
  return undefined
}

function toHost({ login }: LoginContext): string {
  return new URL(login.issuer).host
}

/** Base64 with padding, as Content-Security-Policy names hashes. */
function toBase64(digest: string): string {
  return `${digest.replaceAll('-', '+').replaceAll('_', '/')}=`
}
