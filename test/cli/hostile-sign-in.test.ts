/** What a gateway or an issuer names is not believed: a hostile one gets no token and no browser. */
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { toPrograms } from '../../cli/terminal/process-shell.ts'
import { HOSTILE } from './hostile-gateway.ts'
import { type CommandOutcome, runLine } from './test-shell.ts'

const METADATA = '/v1/.well-known/oauth-protected-resource/admin'
const SERVER = '/.well-known/oauth-authorization-server'

/** Answers by path; each is the whole truth about a gateway and an issuer on one origin. */
const answers = new Map<string, unknown>()
const requests: string[] = []
const launched: string[] = []
let home = ''
let origin = ''
const server = createServer(answer)

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'skillgate-hostile-sign-in-'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
})
beforeEach(() => {
  answers.clear()
  requests.length = 0
  launched.length = 0
  answers.set(METADATA, describeGateway())
  answers.set(SERVER, describeIssuer())
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  rmSync(home, { recursive: true, force: true })
})

function answer({ method, url = '' }: IncomingMessage, response: ServerResponse): void {
  const [path = ''] = url.split('?')
  requests.push(`${method} ${path}`)
  if (path === '/v1/admin/whoami') {
    const challenge = String(
      answers.get('challenge') ?? `Bearer resource_metadata="${origin}${METADATA}"`,
    )
    response
      .writeHead(401, { 'www-authenticate': challenge, 'content-type': 'application/problem+json' })
      .end('{"type":"about:blank","title":"Unknown","status":401,"code":"unauthenticated"}')
    return
  }
  const body = answers.get(path)
  if (body === undefined) response.writeHead(404).end()
  else if (typeof body === 'string') response.writeHead(302, { location: body }).end()
  else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function describeGateway(client: object = {}) {
  const known = { issuer: origin, client_id: 'cli', scopes: ['openid'], sends_resource: true }
  return { resource: `${origin}/v1/admin`, skillgate_clients: [{ ...known, ...client }] }
}

function describeIssuer(change: object = {}) {
  return {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    device_authorization_endpoint: `${origin}/device`,
    ...change,
  }
}

/** The browser answers the authorize URL by `reply`. */
function login(
  line = '',
  reply: (authorizeUrl: URL) => string | undefined = () => undefined,
): Promise<CommandOutcome> {
  const words = `login ${origin} --store file ${line}`.trim().split(' ')
  return runLine(words, {
    home,
    answers: [],
    columns: 80,
    env: { XDG_CONFIG_HOME: join(home, 'config'), DISPLAY: ':0', NO_COLOR: '1' },
    programs: {
      ...toPrograms({ PATH: join(home, 'bin') }),
      launch: (file, args) => {
        launched.push([file, ...args].join(' '))
        const back = reply(new URL(args.at(-1) ?? ''))
        if (back !== undefined) void fetch(back).then((response) => response.text())
      },
    },
  })
}

describe('metadata of a gateway', () => {
  test.each<readonly [what: string, challenge: () => string]>([
    ['on another origin', () => 'Bearer resource_metadata="https://evil.example/x"'],
    ['by another scheme', () => 'Bearer resource_metadata="file:///etc/passwd"'],
    ['on this machine by a user of a URL', () => `Bearer resource_metadata="http://a@127.0.0.1/x"`],
  ])('%s are not read', async (_what, challenge) => {
    answers.set('challenge', challenge())
    const { code } = await login()
    expect([code, launched, requests]).toEqual([1, [], ['GET /v1/admin/whoami']])
  })

  test('of another resource are refused, because a token would be for that one', async () => {
    answers.set(METADATA, { ...describeGateway(), resource: 'https://bank.example/v1/admin' })
    const { code, err } = await login()
    expect([code, launched]).toEqual([1, []])
    expect(err).toContain('describes the sign-in of another address.')
  })

  test('that redirect are not followed', async () => {
    answers.set(METADATA, `${origin}/elsewhere`)
    expect([(await login()).code, launched]).toEqual([1, []])
    expect(requests).not.toContain('GET /elsewhere')
  })

  test.each<readonly [what: string, client: object]>([
    ['an issuer by http', { issuer: 'http://id.example' }],
    ['an issuer of another scheme', { issuer: 'javascript:alert(1)' }],
    ['an issuer that is no text', { issuer: 5 }],
    ['an issuer with a password', { issuer: 'https://a:b@id.example' }],
    ['an issuer with hidden characters', { issuer: `https://id.example/${HOSTILE}` }],
    ['a client id with control characters', { client_id: `cli${HOSTILE}` }],
    ['a client id that is no text', { client_id: { a: 1 } }],
    ['a client id of 513 characters', { client_id: 'x'.repeat(513) }],
    ['scopes in one text', { scopes: 'openid' }],
    ['a scope with a space', { scopes: ['openid admin'] }],
    ['no scopes', { scopes: undefined }],
  ])('with %s open no browser', async (_what, client) => {
    answers.set(METADATA, describeGateway(client))
    const { code, err } = await login()
    expect([code, launched]).toEqual([1, []])
    expect(err).toMatch(/admin key/)
    expect(
      [...HOSTILE.replace('[2J', '').replace('31m', '')].filter((one) => err.includes(one)),
    ).toEqual([])
  })
})

describe('metadata of an issuer', () => {
  test.each<readonly [what: string, change: object]>([
    ['another issuer', { issuer: 'https://other.example' }],
    ['a token endpoint by http', { token_endpoint: 'http://id.example/token' }],
    ['no token endpoint', { token_endpoint: undefined }],
    ['a page for the browser by another scheme', { authorization_endpoint: 'file:///bin/sh' }],
    [
      'a page for the browser with a space',
      { authorization_endpoint: 'https://x.example/ --help' },
    ],
    ['a page that begins as an option', { authorization_endpoint: '--help' }],
    ['a page without slashes', { authorization_endpoint: 'https:x.example' }],
    ['a page with hidden characters', { authorization_endpoint: `https://x.example/${HOSTILE}` }],
    [
      'a page of 2,049 characters',
      { authorization_endpoint: `https://x.example/${'x'.repeat(2_031)}` },
    ],
    ['more bytes than metadata have', { padding: 'x'.repeat(300_000) }],
  ])('with %s open no browser', async (_what, change) => {
    answers.set(SERVER, describeIssuer(change))
    expect([(await login()).code, launched]).toEqual([1, []])
  })

  test('are looked for where RFC 8414 and OpenID Connect put them, behind a path too', async () => {
    answers.set(METADATA, describeGateway({ issuer: `${origin}/tenant/` }))
    const { err } = await login()
    expect(err).toContain(`${origin}/tenant/ has no metadata, so nobody can sign in there.`)
    expect(requests.slice(-2)).toEqual([
      'GET /.well-known/oauth-authorization-server/tenant',
      'GET /tenant/.well-known/openid-configuration',
    ])
  })
})

describe('the answer in the browser', () => {
  const back = (url: URL, change: { readonly [name: string]: string | undefined }) => {
    const answered = new URL(url.searchParams.get('redirect_uri') ?? '')
    const all = { code: 'a-code', state: url.searchParams.get('state') ?? '', ...change }
    for (const [name, value] of Object.entries(all)) {
      if (value !== undefined) answered.searchParams.set(name, value)
    }
    return answered.href
  }

  test('of another issuer is refused, and its code goes nowhere', async () => {
    const { code, err } = await login('', (url) => back(url, { iss: 'https://evil.example' }))
    expect(code).toBe(4)
    expect(err).toContain('The answer in the browser came from another issuer.')
    expect(requests).not.toContain('POST /token')
  })

  test('without the issuer is refused where the issuer says that it names itself', async () => {
    answers.set(SERVER, describeIssuer({ authorization_response_iss_parameter_supported: true }))
    expect((await login('', (url) => back(url, {}))).code).toBe(4)
    expect(requests).not.toContain('POST /token')
  })

  test('that has an error and a code is an error', async () => {
    const { code, err } = await login('', (url) => back(url, { error: `no${HOSTILE}` }))
    expect(code).toBe(4)
    expect(err).toContain('refuses: no\\u{1b}')
    expect(requests).not.toContain('POST /token')
  })

  test('leads to a token that is refused if it is no bearer token', async () => {
    answers.set('/token', { access_token: 'a'.repeat(40), token_type: 'DPoP', expires_in: 60 })
    const { code, err } = await login('', (url) => back(url, {}))
    expect(code).toBe(1)
    expect(err).toContain('gives no token that works here.')
  })
})

test('the browser is started without a shell, with one address that has PKCE and the resource', async () => {
  const { searchParams } = await new Promise<URL>((resolve) => {
    void login('', (url) => {
      resolve(url)
      return `${url.searchParams.get('redirect_uri')}?error=access_denied&state=${url.searchParams.get('state')}`
    })
  })
  expect(launched).toEqual([`xdg-open ${origin}/authorize?${searchParams}`])
  expect(searchParams.get('code_challenge_method')).toBe('S256')
  expect(searchParams.get('code_challenge')).toMatch(/^[\w-]{43}$/)
  expect(searchParams.get('resource')).toBe(`${origin}/v1/admin`)
  expect(searchParams.get('scope')).toBe('openid')
})

test('one of several issuers must be chosen', async () => {
  const [client] = describeGateway().skillgate_clients
  const other = { ...client, issuer: 'https://other.example' }
  answers.set(METADATA, { ...describeGateway(), skillgate_clients: [client, other] })
  const unclear = await login()
  expect([unclear.code, launched]).toEqual([2, []])
  expect(unclear.err).toContain(`Choose one with --issuer: ${origin}, https://other.example\n`)
  const wrong = await login('--issuer https://third.example')
  expect([wrong.code, wrong.err.split('\n')[0]]).toEqual([
    2,
    '--issuer: this gateway does not have it.',
  ])
})

test('a port that is none is refused before anything is opened', async () => {
  for (const port of ['65536', '-1', 'x', '080800']) {
    const { code, err } = await login(`--port ${port}`)
    expect([port, code, launched]).toEqual([port, 2, []])
    expect(err).toContain('--port')
  }
})

test('a gateway without issuers asks for the admin key, and --device says why it cannot', async () => {
  answers.set('challenge', 'Bearer realm="skillgate"')
  const { code, err } = await login('--device')
  expect(code).toBe(1)
  expect(err).toContain(
    'This gateway has no issuer where people can sign in.\nLeave --device and --issuer out, and enter an admin key.\n',
  )
})
