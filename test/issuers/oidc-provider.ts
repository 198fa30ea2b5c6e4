/**
 * A real authorization server on 127.0.0.1, `oidc-provider`: PKCE, device flow, refresh tokens that
 * are used once, resource indicators, revocation. `browse` logs a person in without a browser.
 */
import { createServer } from 'node:http'
import { exportJWK, generateKeyPair } from 'jose'
import Provider, { type Configuration } from 'oidc-provider'

export const CLI_CLIENT = 'skillgate-cli'
/** Returns to the console at any port of this machine. */
export const CONSOLE_CLIENT = 'skillgate-web'

export type OidcServer = {
  readonly issuer: string
  /** Method and path of each request so far. */
  readonly requests: readonly string[]
  /** Replaces members of an answer's JSON, by path. */
  readonly changes: Map<string, (answer: object) => object>
  /**
   * Follows the pages from `url` as the person `account` does with a browser, who allows or denies
   * what is asked. Returns the last answer that is no page of the server, or the last page.
   */
  browse(url: string, person: Person): Promise<Browsed>
  stop(): Promise<void>
}

export type Person = {
  readonly account: string
  readonly denies?: true
  /** What the person types into the device's page. */
  readonly userCode?: string
}

export type Browsed = { readonly url: string; readonly status: number; readonly text: string }

export type OidcOptions = {
  /** The resource and audience of access tokens. */
  readonly resource: string
  /** Claims of access tokens, by account. */
  readonly claims: { readonly [account: string]: { readonly [claim: string]: unknown } }
  readonly accessTokenSec?: number
  /** A second resource, whose scopes are those of agents. */
  readonly agentResource?: string
}

/** Starts the server. The test that starts it stops it. */
export async function startOidcServer(options: OidcOptions): Promise<OidcServer> {
  const requests: string[] = []
  const changes: OidcServer['changes'] = new Map()
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), alg: 'ES256', use: 'sig', kid: 'oidc-1' }
  const provider = new Provider(issuer, toConfiguration(options, key))
  provider.use(async (ctx, next) => {
    requests.push(`${ctx.method} ${ctx.path}`)
    if (ctx.path.startsWith('/interaction/')) return interact(provider, ctx)
    await next()
    const change = changes.get(ctx.path)
    if (change !== undefined && typeof ctx.body === 'object') ctx.body = change(Object(ctx.body))
  })
  server.on('request', provider.callback())
  return {
    issuer,
    requests,
    changes,
    browse: (url, person) => browse(issuer, url, person),
    stop: () => {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

const AGENT_SCOPES = 'tools:call account'

function toConfiguration(
  { accessTokenSec = 300, agentResource, claims, resource }: OidcOptions,
  key: object,
): Configuration {
  return {
    jwks: { keys: [key] },
    clients: [
      {
        client_id: CLI_CLIENT,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1/callback'],
        response_types: ['code'],
        grant_types: [
          'authorization_code',
          'refresh_token',
          'urn:ietf:params:oauth:grant-type:device_code',
        ],
        id_token_signed_response_alg: 'ES256',
      },
      {
        client_id: CONSOLE_CLIENT,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1/v1/console/'],
        response_types: ['code'],
        grant_types: ['authorization_code', 'refresh_token'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    scopes: ['openid', 'offline_access', 'admin', ...AGENT_SCOPES.split(' ')],
    cookies: { keys: ['a key of this test'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    ttl: {
      AccessToken: accessTokenSec,
      DeviceCode: 600,
      Grant: 86_400,
      IdToken: 3_600,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 3_600,
    },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: (_ctx, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    extraTokenClaims: (_ctx, token) =>
      'accountId' in token ? { ...claims[String(token.accountId)] } : {},
    features: {
      devInteractions: { enabled: false },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: showForm,
        userCodeConfirmSource: showForm,
        successSource: (ctx) => showForm(ctx, 'Done.'),
      },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: (_ctx, asked) => {
          if (![resource, agentResource].includes(asked)) throw new Error(`no resource ${asked}`)
          return {
            scope: asked === resource ? 'admin' : AGENT_SCOPES,
            audience: asked,
            accessTokenFormat: 'jwt',
            accessTokenTTL: accessTokenSec,
            jwt: { sign: { alg: 'ES256' } },
          }
        },
      },
    },
  }
}

function showForm(ctx: Pick<Context, 'body'>, form: string): void {
  ctx.body = form
}

type Context = Parameters<Parameters<Provider['use']>[0]>[0]

/** The pages of login and consent; the person's cookie says who it is and what is answered. */
async function interact(provider: Provider, ctx: Context): Promise<void> {
  const account = ctx.cookies.get('account') ?? ''
  const details = await provider.interactionDetails(ctx.req, ctx.res)
  const { grantId, params, prompt, session } = details
  if (ctx.cookies.get('denies') === 'true') {
    const refusal = { error: 'access_denied', error_description: 'the person said no' }
    return provider.interactionFinished(ctx.req, ctx.res, refusal)
  }
  if (prompt.name === 'login') {
    return provider.interactionFinished(ctx.req, ctx.res, { login: { accountId: account } })
  }
  const clientId = String(params['client_id'])
  const found = grantId === undefined ? undefined : await provider.Grant.find(grantId)
  const grant = found ?? new provider.Grant({ accountId: session?.accountId ?? account, clientId })
  grant.addOIDCScope(`openid offline_access admin ${AGENT_SCOPES}`)
  const asked = params['resource']
  if (typeof asked === 'string') grant.addResourceScope(asked, `admin ${AGENT_SCOPES}`)
  const consent = { grantId: await grant.save() }
  return provider.interactionFinished(
    ctx.req,
    ctx.res,
    { consent },
    { mergeWithLastSubmission: true },
  )
}

/** Pages that a login has at most. */
const HOPS_MAX = 16

type Place = { readonly url: string; readonly form?: URLSearchParams | undefined }

async function browse(issuer: string, start: string, person: Person): Promise<Browsed> {
  const jar = new Map([['account', person.account]])
  if (person.denies) jar.set('denies', 'true')
  let place: Place = { url: start }
  let isEntered = false
  for (let hop = 0; hop < HOPS_MAX; hop += 1) {
    const response = await visit(issuer, place, jar)
    const text = await response.text()
    const next = findNext(issuer, place.url, { response, text }, person)
    // The page that asks for the code comes again after an error, and after a person said no.
    const isAskedAgain = isEntered && next?.form?.has('confirm') === false
    if (next === undefined || isAskedAgain) return { url: place.url, status: response.status, text }
    isEntered ||= next.form !== undefined
    place = next
  }
  throw new Error(`the login does not end: ${place.url}`)
}

/** The person's cookies go to the server alone. */
async function visit(issuer: string, { form, url }: Place, jar: Map<string, string>) {
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const isOwn = url.startsWith(`${issuer}/`)
  const response = await fetch(url, {
    redirect: 'manual',
    headers: isOwn ? { cookie, accept: 'text/html' } : {},
    ...(form === undefined ? {} : { method: 'POST', body: form }),
  })
  if (isOwn) keepCookies(jar, response)
  return response
}

/** Where a redirect or a filled form leads; undefined at the end. */
function findNext(
  issuer: string,
  url: string,
  { response, text }: { readonly response: Response; readonly text: string },
  person: Person,
): Place | undefined {
  const location = response.headers.get('location')
  if (location !== null) return { url: new URL(location, url).href }
  const form = url.startsWith(`${issuer}/`) ? fillForm(text, person) : undefined
  const action = /action="([^"]+)"/.exec(text)?.[1] ?? url
  return form === undefined ? undefined : { url: new URL(action, url).href, form }
}

function keepCookies(jar: Map<string, string>, response: Response): void {
  for (const line of response.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') jar.delete(name)
    else jar.set(name, value)
  }
}

/** Fills the two pages of the device flow; undefined for any other page. */
function fillForm(html: string, { denies, userCode }: Person): URLSearchParams | undefined {
  if (userCode === undefined || !html.includes('<form')) return undefined
  const fields = new URLSearchParams()
  for (const [input] of html.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]+)"/.exec(input)?.[1]
    if (name !== undefined) fields.set(name, /value="([^"]*)"/.exec(input)?.[1] ?? '')
  }
  if (fields.has('user_code')) fields.set('user_code', userCode)
  if (denies && fields.get('confirm') !== null) fields.set('abort', 'yes')
  return fields.has('xsrf') ? fields : undefined
}
