import { describe, expect, test } from 'vitest'
import {
  makeOauth2ClientHook,
  makeOauth2ExchangeHook,
} from '../../../adapters/hooks/oauth2-client-credentials.ts'
import type { UpstreamAnswer, UpstreamRequest } from '../../../core/call/upstream.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { describeHook } from '../../contracts/hook-contract.ts'
import { contextOf, type HookCase, REQUEST, responseOf } from '../../contracts/hook-rounds.ts'
import { testClock } from '../../contracts/test-clock.ts'

const OPTIONS = {
  token_url: 'https://auth.example/oauth/token',
  client_id_secret: 'CLIENT_ID',
  client_secret_secret: 'CLIENT_SECRET',
}

function tokenAnswer(token: string, more: JsonObject = { expires_in: 600 }): UpstreamAnswer {
  const text = JSON.stringify({ access_token: token, token_type: 'Bearer', ...more })
  return { kind: 'answered', response: responseOf(text) }
}

const CASE: HookCase = {
  make: makeOauth2ClientHook,
  options: { ...OPTIONS, scope: 'read write', audience: 'https://api.example', style: 'basic' },
  badOptions: [
    ['nothing', {}, '/token_url'],
    ['no client', { token_url: OPTIONS.token_url }, '/client_id_secret'],
    ['a secret’s value', { ...OPTIONS, client_secret_secret: 's3cr3t' }, '/client_secret_secret'],
    ['no URL', { ...OPTIONS, token_url: 'auth.example' }, '/token_url'],
    ['a URL that is no text', { ...OPTIONS, token_url: 5 }, '/token_url'],
    ['a URL with a fragment', { ...OPTIONS, token_url: 'https://auth.example/#a' }, '/token_url'],
    ['a URL with a line break', { ...OPTIONS, token_url: 'https://auth.ex\nample' }, '/token_url'],
    ['a URL with a password', { ...OPTIONS, token_url: 'https://a:b@auth.example' }, '/token_url'],
    ['http', { ...OPTIONS, token_url: 'http://auth.example/token' }, '/token_url'],
    ['a private host', { ...OPTIONS, token_url: 'https://127.0.0.1/token' }, '/token_url'],
    ['a scope with a quote', { ...OPTIONS, scope: 'a "b"' }, '/scope'],
    ['scopes two spaces apart', { ...OPTIONS, scope: 'a  b' }, '/scope'],
    ['an audience of two lines', { ...OPTIONS, audience: 'a\nb' }, '/audience'],
    ['another style', { ...OPTIONS, style: 'jwt' }, '/style'],
  ],
  secrets: { CLIENT_ID: 'client-of-ada', CLIENT_SECRET: 'a long secret of hers' },
  sets: ['authorization'],
  answer: tokenAnswer('token-0123456789'),
}

describeHook('oauth2_client_credentials', CASE)
describeHook('oauth2_client_credentials, in the body', {
  ...CASE,
  options: { ...CASE.options, style: 'body' },
  badOptions: [],
})

/** A token endpoint that gives T-1, T-2 …, and a hook that lives as long as the test. */
function world(answers: readonly UpstreamAnswer[] = []) {
  const clock = testClock()
  const hook = makeOauth2ClientHook({ clock, outboundAllow: [] })
  let asked = 0
  const answer = async () => {
    asked += 1
    return answers[asked - 1] ?? tokenAnswer(`token-number-${asked}`)
  }
  const context = (more: Parameters<typeof contextOf>[1] = {}) =>
    contextOf({ ...CASE, options: OPTIONS }, { ...more, send: answer })
  const bearer = async (of = context()) => {
    const before = await hook.before?.(REQUEST, of)
    if (before?.ok === false) return before.error.detail
    return before?.value.headers['authorization']
  }
  return { clock, hook, context, bearer, asked: () => asked }
}

describe('a call', () => {
  test('carries the token, which is marked as a secret and masked from then on', async () => {
    const { hook, context } = world()
    const of = context()
    const before = await hook.before?.(REQUEST, of)
    expect(before).toEqual({
      ok: true,
      value: {
        ...REQUEST,
        headers: { ...REQUEST.headers, authorization: 'Bearer token-number-1' },
        sensitive: { headers: ['authorization'], query: false, body: false },
      },
    })
    expect(of.concealed).toEqual([['OAUTH2_ACCESS_TOKEN', 'token-number-1']])
  })

  test('masks the token of another call as well', async () => {
    const { hook, context, bearer } = world()
    await bearer()
    const of = context()
    await hook.before?.(REQUEST, of)
    expect(of.concealed).toEqual([['OAUTH2_ACCESS_TOKEN', 'token-number-1']])
  })

  test('uses the token until a minute before its end', async () => {
    const { clock, bearer, asked } = world()
    expect(await bearer()).toBe('Bearer token-number-1')
    clock.advance(431_999)
    expect(await bearer()).toBe('Bearer token-number-1')
    expect(asked()).toBe(1)
    clock.advance(108_001)
    expect(await bearer()).toBe('Bearer token-number-2')
  })

  test.each([
    ['user', { uid: 'u-2' }],
    ['skill', { skillId: 'sg_other' }],
    ['scope', { options: { ...OPTIONS, scope: 'read' } }],
    ['client secret', { secrets: new Map([...secretPairs(), ['CLIENT_SECRET', 'a new one']]) }],
    ['client id', { secrets: new Map([...secretPairs(), ['CLIENT_ID', 'another']]) }],
  ])('of another %s has another token', async (_what, more) => {
    const { context, bearer } = world()
    expect(await bearer()).toBe('Bearer token-number-1')
    expect(await bearer(context(more))).toBe('Bearer token-number-2')
    expect(await bearer()).toBe('Bearer token-number-1')
  })

  test('without a token fails with a short reason, and the next call asks again', async () => {
    const refused = responseOf('{"error":"invalid_client"}', { status: 401 })
    const { bearer } = world([{ kind: 'answered', response: refused }])
    expect(await bearer()).toBe('The token endpoint answered 401 (invalid_client).')
    expect(await bearer()).toBe('Bearer token-number-2')
  })

  test('that is cut while it waits for a token fails', async () => {
    const { bearer } = world([{ kind: 'cut' }])
    expect(await bearer()).toBe('The call ended before it had a token.')
  })
})

describe('an upstream that refuses the token', () => {
  const REFUSED = responseOf('{}', { status: 401 })

  test('gets the request again, with a new token', async () => {
    const { hook, context, bearer } = world()
    const of = context()
    await hook.before?.(REQUEST, of)
    expect(await hook.after?.(REFUSED, of)).toEqual({ ok: true, value: 'again' })
    expect(await bearer()).toBe('Bearer token-number-2')
  })

  test('costs one new token, however many calls were refused at once', async () => {
    const { hook, context, bearer, asked } = world()
    const calls = [context(), context(), context()]
    for (const of of calls) await hook.before?.(REQUEST, of)
    for (const of of calls) {
      await hook.after?.(REFUSED, of)
      expect(await bearer()).toBe('Bearer token-number-2')
    }
    expect(asked()).toBe(2)
  })

  test.each([200, 400, 403, 500])(
    'an upstream that answers %i has not refused the token',
    async (status) => {
      const { hook, context } = world()
      const response = responseOf('{}', { status })
      expect(await hook.after?.(response, context())).toEqual({ ok: true, value: response })
    },
  )
})

test('a token endpoint of the allow-list may be http and private', () => {
  const { clock } = world()
  const hook = makeOauth2ClientHook({ clock, outboundAllow: ['127.0.0.1:9000'] })
  const options = { ...OPTIONS, token_url: 'http://127.0.0.1:9000/token' }
  expect(hook.optionFaults(options)).toEqual([])
})

function secretPairs(): readonly (readonly [string, string])[] {
  return Object.entries(CASE.secrets)
}

describe('a client without a token endpoint', () => {
  const ISSUER = 'https://auth.example/realms/one'
  const options = {
    issuer: ISSUER,
    client_id_secret: 'CLIENT_ID',
    client_secret_secret: 'CLIENT_SECRET',
    resource: 'https://mcp.example/mcp',
  }
  const metadata = (more: JsonObject = {}): UpstreamAnswer => ({
    kind: 'answered',
    response: responseOf(
      JSON.stringify({ issuer: ISSUER, token_endpoint: 'https://auth.example/token', ...more }),
    ),
  })

  /** Answers metadata by path, and a token to a POST. */
  function server(answers: { readonly [path: string]: UpstreamAnswer }) {
    const sent: UpstreamRequest[] = []
    const clock = testClock()
    const hook = makeOauth2ClientHook({ clock, outboundAllow: [] })
    const send = async (request: UpstreamRequest): Promise<UpstreamAnswer> => {
      sent.push(request)
      if (request.method === 'POST') return tokenAnswer('token-0123456789')
      const none = { kind: 'answered', response: responseOf('', { status: 404 }) } as const
      return answers[new URL(request.url).pathname] ?? none
    }
    const askToken = () => hook.before?.(REQUEST, contextOf({ ...CASE, options }, { send }))
    return { askToken, clock, hook, sent }
  }

  test.each([
    '/.well-known/oauth-authorization-server/realms/one',
    '/realms/one/.well-known/openid-configuration',
  ])('finds it in the metadata at %s, and sends the resource', async (path) => {
    const { askToken, sent } = server({ [path]: metadata() })
    expect(await askToken()).toMatchObject({
      ok: true,
      value: { headers: { authorization: 'Bearer token-0123456789' } },
    })
    const form = new URLSearchParams(String(sent.at(-1)?.body))
    expect([sent.at(-1)?.url, form.get('resource'), form.get('grant_type')]).toEqual([
      'https://auth.example/token',
      'https://mcp.example/mcp',
      'client_credentials',
    ])
  })

  test.each([
    ['another issuer', metadata({ issuer: 'https://auth.example' })],
    ['an endpoint at another host', metadata({ token_endpoint: 'https://evil.example/token' })],
    ['no endpoint', metadata({ token_endpoint: 5 })],
    ['no JSON', { kind: 'answered', response: responseOf('<html>') } as const],
  ])('sends no secret if the metadata name %s', async (_what, answer) => {
    const { askToken, sent } = server({
      '/.well-known/oauth-authorization-server/realms/one': answer,
    })
    expect((await askToken())?.ok).toBe(false)
    expect(sent.map(({ method }) => method)).toEqual(['GET'])
  })

  test('reads the metadata once in an hour', async () => {
    const path = '/.well-known/oauth-authorization-server/realms/one'
    const { askToken, clock, sent } = server({ [path]: metadata() })
    const reads = () => sent.filter(({ method }) => method === 'GET').length
    await askToken()
    await clock.advance(1_800_000)
    await askToken()
    expect(reads()).toBe(1)
    await clock.advance(1_800_000)
    await askToken()
    expect(reads()).toBe(2)
  })

  test('has its secrets bound to the issuer', () => {
    const { hook } = server({})
    expect(hook.urls?.(options)).toEqual([ISSUER])
  })
})

describe("an exchange of the caller's token", () => {
  const options = { ...OPTIONS, audience: 'orders-api' }

  function exchange(callerToken: string | undefined) {
    const sent: UpstreamRequest[] = []
    const concealed: string[] = []
    const hook = makeOauth2ExchangeHook({ clock: testClock(), outboundAllow: [] })
    const send = async (request: UpstreamRequest) => {
      sent.push(request)
      return tokenAnswer(`token-number-${sent.length}`)
    }
    const askToken = async (token = callerToken) => {
      const context = contextOf({ ...CASE, options }, { send })
      const conceal = (_name: string, value: string) => void concealed.push(value)
      return hook.before?.(REQUEST, { ...context, conceal, callerToken: token })
    }
    return { askToken, concealed, sent }
  }

  test('sends it to the token endpoint alone, and the new token to the upstream', async () => {
    const { askToken, concealed, sent } = exchange('caller-token-of-ada')
    const request = await askToken()
    expect(request).toMatchObject({
      ok: true,
      value: { headers: { authorization: 'Bearer token-number-1' } },
    })
    expect(JSON.stringify(request)).not.toContain('caller-token-of-ada')
    expect(sent).toHaveLength(1)
    expect(sent[0]).toMatchObject({
      url: 'https://auth.example/oauth/token',
      sensitive: { body: true },
    })
    expect(Object.fromEntries(new URLSearchParams(String(sent[0]?.body)))).toEqual({
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'caller-token-of-ada',
      subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
      audience: 'orders-api',
    })
    expect(concealed).toEqual(['caller-token-of-ada', 'token-number-1'])
  })

  test('is made once for each token of the caller', async () => {
    const { askToken, sent } = exchange('caller-token-one')
    await askToken()
    await askToken()
    expect(sent).toHaveLength(1)
    await askToken('caller-token-two')
    expect(sent).toHaveLength(2)
  })

  test('is refused in words for a caller without such a token', async () => {
    const { askToken, sent } = exchange(undefined)
    expect(await askToken()).toMatchObject({
      ok: false,
      error: { detail: expect.stringContaining('acts with the login of its caller') },
    })
    expect(sent).toEqual([])
  })
})
