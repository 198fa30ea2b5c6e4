/**
 * The door by which people sign in to the console: who may use it, what it asks an issuer, and what
 * it passes on. The issuer is a scripted upstream.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import type { AdminDoor } from '../../../adapters/http/admin-kit.ts'
import { toIssuer } from '../../../core/issuers/issuer-setting.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { CONSOLE_SIGN_IN_REQUESTS_MAX } from '../../../core/login/limits.ts'
import { createAdminDoor } from '../../../lambdas/admin/door.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'

const ORIGIN = 'https://admin.example'
const ID = 'https://id.example'
const OTHER = 'https://other.example'
const VERIFIER = 'v'.repeat(43)
const NONCE = 'n'.repeat(43)
const METADATA = {
  issuer: ID,
  authorization_endpoint: `${ID}/authorize`,
  token_endpoint: `${ID}/token`,
  revocation_endpoint: `${ID}/revoke`,
}
const ISSUERS = [ID, OTHER].map((issuer) =>
  toIssuer({
    issuer,
    audiences: ['https://mcp.example/mcp'],
    admin: {
      audiences: [`${ORIGIN}/v1/admin`],
      clientId: 'console',
      scopes: ['openid'],
      roleOf: { claim: 'groups', values: { ops: 'operator' } },
    },
  }),
)
const ADMIN = { issuer: ID, audience: 'administrators' }
const CODE = { ...ADMIN, code: 'c1', verifier: VERIFIER, nonce: NONCE }

let world: World
let door: AdminDoor

beforeEach(() => open({}))

function open(more: object): void {
  const adminUrl = `${ORIGIN}/v1/admin`
  world = makeWorld({ ...SETTINGS, issuers: ISSUERS, adminUrl, ...more })
  door = createAdminDoor(world.ports, world.settings, { upstream: world.ports.upstream })
}

type Sent = {
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
  readonly sourceIp?: string
}

async function ask(step: string, body: Json | undefined, sent: Sent = {}) {
  const { headers = { origin: ORIGIN, 'content-type': 'application/json' } } = sent
  const { method = 'POST', sourceIp = '192.0.2.1' } = sent
  const event = {
    httpMethod: method,
    path: `/console/sign-in${step}`,
    headers,
    multiValueHeaders: null,
    multiValueQueryStringParameters: {},
    requestContext: { requestId: 'r', stage: 'v1', identity: { sourceIp } },
    body: body === undefined ? null : JSON.stringify(body),
    isBase64Encoded: false,
  }
  const context = { awsRequestId: 'a', getRemainingTimeInMillis: () => 30_000 }
  const answer = await door(event, context)
  const json: JsonObject = answer.body === '' ? {} : JSON.parse(answer.body)
  return { status: answer.statusCode, json, text: answer.body }
}

function idToken(claims: object): string {
  const body = { iss: ID, aud: 'console', nonce: NONCE, ...claims }
  return `e30.${Buffer.from(JSON.stringify(body)).toString('base64url')}.c2ln`
}

const TOKENS = {
  access_token: 'at',
  token_type: 'Bearer',
  expires_in: 300,
  refresh_token: 'rt',
  id_token: idToken({}),
  secret_of_the_issuer: 'x',
}

function answerWith(...answers: readonly { readonly status?: number; readonly json: unknown }[]) {
  for (const { json, status = 200 } of answers) {
    world.upstream.next({ kind: 'answer', status, body: JSON.stringify(json) })
  }
}

describe('the ways', () => {
  test('are the issuers with administrators; keys of users are taken where users have no other way', async () => {
    const { json, status } = await ask('', undefined, { method: 'GET' })
    expect([status, json['redirectUri'], json['keys']]).toEqual([
      200,
      `${ORIGIN}/v1/console/`,
      { administrators: false, users: true },
    ])
    expect(json['ways']).toEqual(
      [ID, OTHER].map((issuer) => ({
        issuer,
        audience: 'administrators',
        isOwn: false,
        clientId: 'console',
        scopes: ['openid'],
        resource: `${ORIGIN}/v1/admin`,
      })),
    )
    expect(world.upstream.requests).toEqual([])
  })

  test('without issuers and login are none, and keys are taken', async () => {
    open({ issuers: [] })
    const { json } = await ask('', undefined, { method: 'GET' })
    expect([json['ways'], json['keys']]).toEqual([[], { administrators: true, users: true }])
  })
})

describe('a request', () => {
  const type = { 'content-type': 'application/json' }
  test.each<readonly [what: string, headers: { [name: string]: string }, status: number]>([
    ['of another origin', { ...type, origin: 'https://evil.example' }, 403],
    ['of a hidden origin', { ...type, origin: 'null' }, 403],
    ['of an origin that begins alike', { ...type, origin: `${ORIGIN}.evil.example` }, 403],
    ['without an origin', type, 403],
    ['of another type', { origin: ORIGIN, 'content-type': 'text/plain' }, 415],
  ])('%s is refused, and no issuer is asked', async (_what, headers, status) => {
    expect((await ask('/tokens', CODE, { headers })).status).toBe(status)
    expect(world.upstream.requests).toEqual([])
  })

  test.each<readonly [what: string, body: Json]>([
    ['for an issuer that is not in the settings', { ...CODE, issuer: 'https://evil.example' }],
    ['for users at an issuer without them', { ...CODE, audience: 'users' }],
    ['without a verifier', { ...ADMIN, code: 'c1', nonce: NONCE }],
    ['without a nonce at an issuer of OpenID', { ...ADMIN, code: 'c1', verifier: VERIFIER }],
    ['with a code that is an object', { ...CODE, code: { a: 1 } }],
    ['with a refresh token of two lines', { ...ADMIN, refreshToken: 'a\nb' }],
    ['that is a list', [CODE]],
  ])('%s is refused, and no issuer is asked', async (_what, body) => {
    expect((await ask('/tokens', body)).status).toBe(400)
    expect(world.upstream.requests).toEqual([])
  })

  test('past the limit of its network is refused, and another network goes on', async () => {
    answerWith({ json: METADATA })
    for (let count = 0; count < CONSOLE_SIGN_IN_REQUESTS_MAX; count += 1) {
      expect((await ask('/start', ADMIN)).status).toBe(200)
    }
    const limited = await ask('/start', ADMIN)
    expect([limited.status, limited.json['code']]).toEqual([429, 'rate_limited'])
    expect((await ask('/start', ADMIN, { sourceIp: '198.51.100.1' })).status).toBe(200)
  })
})

describe('the start', () => {
  test('names the page of the issuer, whose metadata are read once', async () => {
    answerWith({ json: { ...METADATA, authorization_response_iss_parameter_supported: true } })
    const started = await ask('/start', ADMIN)
    await ask('/start', ADMIN)
    expect(started.json).toEqual({ authorizationUrl: `${ID}/authorize`, namesIssuer: true })
    expect(world.upstream.requests).toHaveLength(1)
  })

  test.each<readonly [what: string, metadata: object]>([
    ['of another issuer', { ...METADATA, issuer: OTHER }],
    ['with a script in place of a page', { ...METADATA, authorization_endpoint: 'javascript:x' }],
    ['with a page without TLS', { ...METADATA, authorization_endpoint: 'http://id.example/a' }],
    ['without a token endpoint', { ...METADATA, token_endpoint: undefined }],
  ])('fails for metadata %s', async (_what, metadata) => {
    answerWith({ json: metadata })
    const { json, status } = await ask('/start', ADMIN)
    expect([status, json['code']]).toEqual([503, 'issuer_unavailable'])
  })
})

describe('tokens', () => {
  test('of a code are passed on with their lifetime and nothing else', async () => {
    answerWith({ json: METADATA }, { json: TOKENS })
    const { json, status } = await ask('/tokens', CODE)
    expect([status, json]).toEqual([
      200,
      { accessToken: 'at', expiresInSec: 300, refreshToken: 'rt' },
    ])
    const sent = new URLSearchParams(String(world.upstream.requests[1]?.body))
    expect(Object.fromEntries(sent)).toEqual({
      grant_type: 'authorization_code',
      code: 'c1',
      code_verifier: VERIFIER,
      redirect_uri: `${ORIGIN}/v1/console/`,
      resource: `${ORIGIN}/v1/admin`,
      client_id: 'console',
    })
  })

  test('of a refresh token need no id token', async () => {
    answerWith({ json: METADATA }, { json: { ...TOKENS, id_token: undefined } })
    expect((await ask('/tokens', { ...ADMIN, refreshToken: 'rt' })).status).toBe(200)
  })

  test.each<readonly [what: string, answer: { status?: number; json: unknown }]>([
    ['the code was used', { status: 400, json: { error: 'invalid_grant' } }],
    ['there is no access token', { json: { ...TOKENS, access_token: undefined } }],
    ['the token is bound to a key', { json: { ...TOKENS, token_type: 'DPoP' } }],
    ['the nonce is of another sign-in', { json: { ...TOKENS, id_token: idToken({ nonce: 'x' }) } }],
    [
      'the id token is of another issuer',
      { json: { ...TOKENS, id_token: idToken({ iss: OTHER }) } },
    ],
    ['the id token is of another client', { json: { ...TOKENS, id_token: idToken({ aud: 'x' }) } }],
    ['there is no id token', { json: { ...TOKENS, id_token: undefined } }],
    ['a token is huge', { json: { ...TOKENS, access_token: 'a'.repeat(8_001) } }],
  ])('are refused if %s', async (_what, answer) => {
    answerWith({ json: METADATA }, answer)
    const { json, status } = await ask('/tokens', CODE)
    expect([status, json['code']]).toEqual([401, 'unauthenticated'])
  })

  test.each<readonly [what: string, answer: Parameters<World['upstream']['next']>[0]]>([
    ['HTML', { kind: 'answer', status: 200, body: '<h1>x</h1>' }],
    ['an error of the server', { kind: 'answer', status: 500, body: '{}' }],
    ['a redirect', { kind: 'answer', status: 302, body: '' }],
  ])('are not there if the issuer answers %s', async (_what, answer) => {
    answerWith({ json: METADATA })
    world.upstream.next(answer)
    const { json, status, text } = await ask('/tokens', CODE)
    expect([status, json['code']]).toEqual([503, 'issuer_unavailable'])
    expect(text).not.toContain('<h1>')
  })

  test('never come into the log, nor do codes', async () => {
    answerWith({ json: METADATA }, { status: 400, json: { error: 'invalid_grant' } })
    await ask('/tokens', { ...CODE, code: 'the-code' })
    const notes = JSON.stringify(world.log.notes)
    expect(notes).toContain('console-sign-in-refused')
    expect(notes).not.toContain('the-code')
    expect(notes).not.toContain(VERIFIER)
  })
})

test('the end takes a token back at its issuer, which may fail', async () => {
  answerWith({ json: METADATA }, { status: 503, json: {} })
  expect((await ask('/end', { ...ADMIN, token: 'rt' })).status).toBe(204)
  const sent = world.upstream.requests[1]
  expect([sent?.url, sent?.body]).toEqual([`${ID}/revoke`, 'token=rt&client_id=console'])
})
