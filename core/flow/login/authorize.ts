/**
 * The two pages of a login. The first names the client and takes an API key or an invitation; the
 * second shows what the key may call and asks for consent. Nothing is stored before the consent, and both pages show
 * on every login: a remembered consent would let one site use another's client.
 *
 *   GET /authorize ─▶ page 1 + cookie ─ POST key ─▶ page 2 ─ POST consent ─▶ login put
 *     ─▶ invitation used, if there is one ─▶ 303 code
 *
 * The login's id follows from the cookie's nonce, so a form that is sent twice makes one login, and
 * its second answer is the same code.
 */

import { isInviteHash } from '../../access/invite.ts'
import { toProof, toSealingKey } from '../../access/key-proof.ts'
import type { KeyRecord } from '../../access/principal.ts'
import { err, ok, type Result } from '../../errors.ts'
import {
  type AuthorizeRequest,
  type OAuthError,
  readAuthorizeRequest,
  readParameters,
  readRedirectUri,
} from '../../login/authorize-request.ts'
import { isFormProven, type LoginForm, proveForm } from '../../login/form-proof.ts'
import { CLIENT_ID_CHARS_MAX, FORM_LIFE_SEC } from '../../login/limits.ts'
import type { Login } from '../../login/login.ts'
import { addQuery, isAdmissible } from '../../login/redirects.ts'
import { makeCode, makeHandle, toLoginId } from '../../login/tokens.ts'
import type { ClientRefusal, FindClient } from './find-client.ts'
import { findPerson, findPersonOfKey, type Person, spendInvite } from './find-person.ts'
import type { LoginContext } from './login-context.ts'
import { countWrongTry, readTries, type Tries } from './login-tries.ts'
import { INVITE_USED, type InviteRefusal, openInvite } from './open-invite.ts'

/** What a request to the page leads to; the door writes the page. */
export type PageOutcome =
  | {
      readonly kind: 'ask-key'
      readonly request: AuthorizeRequest
      readonly form: ProvenForm
      readonly wrongKey?: string
      /** Whom the browser's invitation is for. */
      readonly invited?: string
    }
  | ({
      readonly kind: 'ask-consent'
      readonly request: AuthorizeRequest
      readonly form: ProvenForm
    } & Person)
  | {
      readonly kind: 'redirect'
      readonly location: string
      /** The invitation was used, so the browser may forget it. */
      readonly usedInvite?: boolean
    }
  | InviteRefusal
  | { readonly kind: 'no-client'; readonly refusal: ClientRefusal }
  | { readonly kind: 'bad-request'; readonly detail: string }
  /** The form is old, of another browser or of another site. */
  | { readonly kind: 'bad-form' }

/** A form with its proof, as the page carries it in hidden fields. */
export type ProvenForm = LoginForm & { readonly proof: string }

type Flow = { readonly context: LoginContext; readonly findClient: FindClient }

const NONCE_BYTES = 16

/**
 * Answers GET /authorize. `invite` is the secret of the invitation that the browser has opened, and
 * `network` where the browser is. Throws `Fault` if the store fails.
 */
export async function openPage(
  flow: Flow,
  query: string,
  { invite, network }: { readonly invite: string | undefined; readonly network: string },
): Promise<PageOutcome> {
  const { clock, digests, ids, logins } = flow.context.ports
  const request = await readRequest(flow, query, network)
  if (!request.ok) return request.error
  const opened = invite === undefined ? undefined : await openInvite(flow.context, invite, network)
  if (opened?.ok === false && opened.error.kind === 'too-many') return opened.error
  const form = { nonce: ids.token(NONCE_BYTES), query, openedAtMs: clock.nowMs() }
  const proof = proveForm(digests, await logins.secret(), form)
  const asked = { kind: 'ask-key' as const, request: request.value, form: { ...form, proof } }
  return opened?.ok === true ? { ...asked, invited: opened.value.profile.username } : asked
}

export type SentForm = ProvenForm & {
  /** The API key or the invitation of the first form. */
  readonly key?: string | undefined
  /** The key's hash of the second form. */
  readonly keyHash?: string | undefined
  readonly decision?: string | undefined
}

/** Answers POST /authorize. `network` is where the browser is. Throws `Fault`. */
export async function takeForm(flow: Flow, sent: SentForm, network: string): Promise<PageOutcome> {
  const { clock, digests, logins } = flow.context.ports
  const secret = await logins.secret()
  const ageMs = clock.nowMs() - sent.openedAtMs
  const isProven = isFormProven(digests, secret, {
    ...toForm(sent),
    proof: sent.proof,
    keyHash: sent.keyHash ?? '',
  })
  if (!isProven || ageMs >= FORM_LIFE_SEC * 1000) return { kind: 'bad-form' }
  const request = await readRequest(flow, sent.query, network)
  if (!request.ok) return request.error
  if (sent.keyHash === undefined) return takeKey(flow, request.value, sent, network)
  if (sent.decision !== 'allow') {
    return redirectError(flow.context, request.value, {
      error: 'access_denied',
      description: 'The person said no.',
    })
  }
  return takeConsent(flow, request.value, { ...sent, keyHash: sent.keyHash })
}

async function takeKey(
  { context }: Flow,
  request: AuthorizeRequest,
  sent: SentForm,
  network: string,
): Promise<PageOutcome> {
  const { digests, logins } = context.ports
  const tries = await readTries(context.ports, network)
  if (tries.isOver) return toTooMany(tries)
  const found = await findPerson(context, (sent.key ?? '').trim())
  if (!found.ok) {
    const after = found.error.isGuess ? await countWrongTry(context.ports, network) : tries
    if (after.isOver) return toTooMany(after)
    const form = { ...toForm(sent), proof: sent.proof }
    return { kind: 'ask-key', request, form, wrongKey: found.error.detail }
  }
  const form = toForm(sent)
  const proof = proveForm(digests, await logins.secret(), form, found.value.key.keyHash)
  return { kind: 'ask-consent', request, form: { ...form, proof }, ...found.value }
}

/**
 *   A: entry ✔ ── login put ✔ ── 303 code        B, the form again: login put, refused ── same 303
 * A second form with another key, or after the code was exchanged, is refused. Dying before the
 * login: nothing was allowed. Dying after: a login whose code nobody got, which ends after 60 s.
 */
async function takeConsent(
  { context }: Flow,
  request: AuthorizeRequest,
  sent: SentForm & { readonly keyHash: string },
): Promise<PageOutcome> {
  const { digests, logins } = context.ports
  const found = await findPersonOfKey(context, sent.keyHash)
  if (!found.ok) return isInviteHash(sent.keyHash) ? INVITE_USED : { kind: 'bad-form' }
  const secret = await logins.secret()
  const handle = makeHandle(digests, secret, sent.nonce)
  const { key } = found.value
  const login = makeLogin(context, request, { key, handle })
  if (!(await logins.create(login))) {
    const first = await logins.find(login.id)
    if (first?.keyHash !== key.keyHash || first.generation > 0) return { kind: 'bad-form' }
  }
  const usedInvite = isInviteHash(key.keyHash)
  if (usedInvite && !(await spendInvite(context, key, login.id))) return INVITE_USED
  return { ...redirect(context, request, { code: makeCode(digests, secret, handle) }), usedInvite }
}

function makeLogin(
  { ports: { clock, digests } }: LoginContext,
  request: AuthorizeRequest,
  { handle, key }: { readonly handle: string; readonly key: KeyRecord },
): Login {
  const { client } = request
  const nowMs = clock.nowMs()
  return {
    id: toLoginId(digests, handle),
    uid: key.uid,
    username: key.username,
    keyHash: key.keyHash,
    keyPrefix: key.keyPrefix,
    proof: toProof(digests, toSealingKey(digests, handle)),
    clientHash: digests.sha256(client.clientId),
    clientName: client.name,
    ...(client.documentHost === undefined ? {} : { clientHost: client.documentHost }),
    redirectUri: request.redirectUri,
    ...(request.account ? { account: true } : {}),
    challenge: request.challenge,
    generation: 0,
    createdAtMs: nowMs,
    rotatedAtMs: nowMs,
    tokenHashes: [],
    version: 1,
  }
}

/** Reads a request up to the point from which errors go to the client. */
async function readRequest(
  { context, findClient }: Flow,
  query: string,
  network: string,
): Promise<Result<AuthorizeRequest, PageOutcome>> {
  const { issuer, redirectHosts } = context.login
  const parameters = readParameters(query)
  if (!parameters.ok) return refusePage(parameters.error)
  const clientId = parameters.value.get('client_id')
  if (clientId === undefined) return refusePage('client_id: is missing')
  if (clientId.length > CLIENT_ID_CHARS_MAX) return refusePage('client_id: is too long')
  const client = await findClient(clientId, network)
  if (!client.ok) return err({ kind: 'no-client', refusal: client.error })
  const redirectUri = readRedirectUri(parameters.value, client.value)
  if (redirectUri === undefined) {
    return refusePage('redirect_uri: is not one that the client registered')
  }
  // The operator may have taken the host off the list since the client registered.
  if (client.value.isConsole !== true && !isAdmissible(redirectUri, redirectHosts)) {
    return refusePage('redirect_uri: its host is not on the list of this gateway (loginRedirects)')
  }
  const read = readAuthorizeRequest(parameters.value, { client: client.value, issuer, redirectUri })
  if (read.ok) return ok(read.value)
  const state = parameters.value.get('state')
  return err(redirectError(context, { redirectUri, state }, read.error))
}

function redirect(
  { login }: LoginContext,
  { redirectUri, state }: Pick<AuthorizeRequest, 'redirectUri' | 'state'>,
  added: { readonly [name: string]: string },
): Extract<PageOutcome, { kind: 'redirect' }> {
  const location = addQuery(redirectUri, { ...added, state, iss: login.issuer })
  return { kind: 'redirect', location }
}

function redirectError(
  context: LoginContext,
  request: Pick<AuthorizeRequest, 'redirectUri' | 'state'>,
  { description, error }: OAuthError,
): PageOutcome {
  return redirect(context, request, { error, error_description: description })
}

function refusePage(detail: string): Result<never, PageOutcome> {
  return err({ kind: 'bad-request', detail })
}

function toForm({ nonce, openedAtMs, query }: LoginForm): LoginForm {
  return { nonce, openedAtMs, query }
}

function toTooMany({ retryAfterSec }: Tries): PageOutcome {
  return { kind: 'too-many', retryAfterSec }
}
