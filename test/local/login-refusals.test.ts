/** What the login refuses, over HTTP on a twin. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  CALLBACK,
  clientOf,
  type LoginClient,
  makeClient,
  register,
  tokensOf,
} from './login-client.ts'
import { logIn, openBrowser } from './login-person.ts'
import { type LoginTwin, startLoginTwin } from './login-twin.ts'

let twin: LoginTwin
let client: LoginClient

beforeAll(async () => {
  twin = await startLoginTwin()
  client = await makeClient(twin.origin)
})
afterAll(() => twin.stop())

async function newCode(): Promise<string> {
  const callback = await logIn(twin.origin, client.authorizeUrl(), twin.credentials.key)
  return callback.searchParams.get('code') ?? ''
}

describe('a request of a login', () => {
  test.each([
    ['no client', { client_id: undefined }, 400],
    ['an unknown client', { client_id: 'c1.e30.0123456789012345678901' }, 401],
    ['a client with http', { client_id: 'http://client.example/id' }, 401],
    ['a client document at a private address', { client_id: 'https://127.0.0.1:1/id' }, 401],
    ['a client document without a path', { client_id: 'https://client.example/' }, 401],
    ['no redirect URI', { redirect_uri: undefined }, 400],
    ['another redirect URI', { redirect_uri: 'https://evil.example/' }, 400],
    ['another host of loopback', { redirect_uri: 'http://localhost:4711/callback' }, 400],
    ['another path', { redirect_uri: `${CALLBACK}/x` }, 400],
    ['another case', { redirect_uri: 'http://127.0.0.1:4711/Callback' }, 400],
  ])('a page is refused, and nobody is redirected, for %s', async (_what, change, status) => {
    const page = await openBrowser(twin.origin).open(client.authorizeUrl(change))
    expect([page.status, page.location]).toEqual([status, undefined])
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
  })

  test('with a parameter that comes twice is refused, and nobody is redirected', async () => {
    const url = client.authorizeUrl()
    url.searchParams.append('redirect_uri', 'https://evil.example/')
    const page = await openBrowser(twin.origin).open(url)
    expect([page.status, page.location]).toEqual([400, undefined])
  })

  test.each([
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_request', { code_challenge: undefined }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_request', { code_challenge_method: undefined }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_target', { resource: 'https://other.example/mcp' }],
  ])('tells the client %s, with issuer and state, for %j', async (error, change) => {
    const url = client.authorizeUrl({ ...change, state: 's 1' })
    const { location, status } = await openBrowser(twin.origin).open(url)
    expect(status).toBe(303)
    const answer = new URL(location ?? '')
    expect(`${answer.origin}${answer.pathname}`).toBe(CALLBACK)
    expect(answer.searchParams.get('error')).toBe(error)
    expect(answer.searchParams.get('iss')).toBe(twin.origin)
    expect(answer.searchParams.get('state')).toBe('s 1')
  })

  test('may have a state of 2,048 characters, and not one more', async () => {
    const browser = openBrowser(twin.origin)
    const fits = await browser.open(client.authorizeUrl({ state: 's'.repeat(2_048) }))
    expect(fits.status).toBe(200)
    const past = await browser.open(client.authorizeUrl({ state: 's'.repeat(2_049) }))
    expect(past.location).toContain('error=invalid_request')
  })

  test('may have a query of 8,192 characters, whose form still fits, and not one more', async () => {
    const browser = openBrowser(twin.origin)
    const padding = (chars: number) =>
      client.authorizeUrl({ state: '%'.repeat(1_500), x: 'x'.repeat(chars) })
    // The first character is the question mark.
    const rest = 8_192 - (padding(1).search.length - 1) + 1
    const fits = await browser.open(padding(rest))
    expect(fits.status).toBe(200)
    expect((await browser.send(fits, { key: twin.credentials.key })).status).toBe(200)
    expect((await browser.open(padding(rest + 1))).status).toBe(400)
  })

  test('comes back to another port of loopback than the registered one', async () => {
    const redirect_uri = 'http://127.0.0.1:9/callback'
    const callback = await logIn(
      twin.origin,
      client.authorizeUrl({ redirect_uri }),
      twin.credentials.key,
    )
    expect(callback.host).toBe('127.0.0.1:9')
  })
})

describe('the exchange of a code', () => {
  test.each<[string, { readonly [name: string]: string }, string]>([
    ['another verifier', { code_verifier: 'w'.repeat(50) }, 'invalid_grant'],
    ['a verifier that is too short', { code_verifier: 'v'.repeat(42) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:4712/callback' }, 'invalid_grant'],
    ['another resource', { resource: 'https://other.example/' }, 'invalid_target'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['a forged client', { client_id: 'c1.e30.0123456789012345678901' }, 'invalid_client'],
  ])('is refused with %s, and spends nothing', async (_what, change, error) => {
    const code = await newCode()
    const answer = await client.exchange(code, change)
    expect(answer).toMatchObject({
      status: error === 'invalid_client' ? 401 : 400,
      body: { error },
    })
    expect((await client.exchange(code)).status).toBe(200)
  })

  test('is refused to another client', async () => {
    const other = await makeClient(twin.origin)
    const answer = await other.exchange(await newCode())
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  test('is refused after 60 s', async () => {
    const code = await newCode()
    twin.advance(60_000)
    expect((await client.exchange(code)).status).toBe(400)
  })

  test('is refused in a form over 8,192 bytes', async () => {
    const grant_type = 'authorization_code'
    const rest =
      8_192 -
      new URLSearchParams({ client_id: client.clientId, grant_type, x: '' }).toString().length
    expect(await client.ask({ grant_type, x: 'x'.repeat(rest) })).toMatchObject({
      body: { error: 'invalid_grant' },
    })
    expect(await client.ask({ grant_type, x: 'x'.repeat(rest + 1) })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })

  test.each(['', 'sgc_', `sgc_${'a'.repeat(65)}`])('is refused for %j', async (code) => {
    expect((await client.exchange(code)).status).toBe(400)
  })
})

describe('a refresh token', () => {
  test('is refused to another client, and its login goes on', async () => {
    const { refresh_token } = await client.logIn(twin.credentials.key)
    const other = clientOf(twin.origin, (await makeClient(twin.origin)).clientId)
    expect((await other.refresh(refresh_token)).status).toBe(400)
    expect((await client.refresh(refresh_token)).status).toBe(200)
  })

  test('with another number is refused, and its login goes on', async () => {
    const { refresh_token } = await client.logIn(twin.credentials.key)
    expect((await client.refresh(refresh_token.replace(/1$/, '2'))).status).toBe(400)
    expect((await client.refresh(refresh_token)).status).toBe(200)
  })

  test('works for 30 days after the last refresh, and not longer', async () => {
    const twin30 = await startLoginTwin()
    const late = await makeClient(twin30.origin)
    let { refresh_token } = await late.logIn(twin30.credentials.key)
    for (const days of [29, 29]) {
      twin30.advance(days * 86_400_000)
      refresh_token = tokensOf(await late.refresh(refresh_token)).refresh_token
    }
    twin30.advance(30 * 86_400_000)
    expect((await late.refresh(refresh_token)).status).toBe(400)
    await twin30.stop()
  })
})

describe('a form', () => {
  const allow = { decision: 'allow' }

  test('is refused from another site', async () => {
    const browser = openBrowser(twin.origin)
    const first = await browser.open(client.authorizeUrl())
    const sent = { key: twin.credentials.key }
    expect((await browser.send(first, sent, 'https://evil.example')).status).toBe(403)
    expect((await browser.send(first, sent, 'null')).status).toBe(200)
  })

  test('is refused in another browser', async () => {
    const page = await openBrowser(twin.origin).open(client.authorizeUrl())
    const other = openBrowser(twin.origin)
    await other.open(client.authorizeUrl())
    expect((await other.send(page, { key: twin.credentials.key })).status).toBe(403)
  })

  test.each(['request', 'opened', 'proof', 'tab'])(
    'is refused with another value of its field %s',
    async (field) => {
      const browser = openBrowser(twin.origin)
      const first = await browser.open(client.authorizeUrl())
      const changed = { key: twin.credentials.key, [field]: '1' }
      expect((await browser.send(first, changed)).status).toBe(403)
    },
  )

  test('is refused with the hash of a key that was not entered', async () => {
    const browser = openBrowser(twin.origin)
    const first = await browser.open(client.authorizeUrl())
    const key_id = 'a'.repeat(43)
    expect((await browser.send(first, { key_id, ...allow })).status).toBe(403)
    const second = await browser.send(first, { key: twin.credentials.key })
    expect((await browser.send(second, { key_id, ...allow })).status).toBe(403)
  })

  test('is refused after ten minutes', async () => {
    const browser = openBrowser(twin.origin)
    const first = await browser.open(client.authorizeUrl())
    twin.advance(600_000)
    expect((await browser.send(first, { key: twin.credentials.key })).status).toBe(403)
  })

  test('is refused once its login has its tokens', async () => {
    const browser = openBrowser(twin.origin)
    const first = await browser.open(client.authorizeUrl())
    const second = await browser.send(first, { key: twin.credentials.key })
    const callback = new URL((await browser.send(second, allow)).location ?? '')
    await client.exchange(callback.searchParams.get('code') ?? '')
    expect((await browser.send(second, allow)).status).toBe(403)
  })

  test('that is sent twice at once makes one login, with one code', async () => {
    const browser = openBrowser(twin.origin)
    const first = await browser.open(client.authorizeUrl())
    const second = await browser.send(first, { key: twin.credentials.key })
    const answers = await Promise.all([browser.send(second, allow), browser.send(second, allow)])
    expect(answers[0].location).toContain('code=sgc_')
    expect(answers[1].location).toBe(answers[0].location)
  })

  test('of two tabs works in both', async () => {
    const browser = openBrowser(twin.origin)
    const tabs = [
      await browser.open(client.authorizeUrl()),
      await browser.open(client.authorizeUrl()),
    ]
    for (const tab of tabs) {
      const second = await browser.send(tab, { key: twin.credentials.key })
      expect((await browser.send(second, allow)).status).toBe(303)
    }
  })

  test('whose answer is no tells the client', async () => {
    const browser = openBrowser(twin.origin)
    const first = await browser.open(client.authorizeUrl())
    const second = await browser.send(first, { key: twin.credentials.key })
    const { location } = await browser.send(second, { decision: 'deny' })
    expect(location).toContain('error=access_denied')
  })

  test('shows no key in the page for consent, and no page may be stored or framed', async () => {
    const browser = openBrowser(twin.origin)
    const first = await browser.open(client.authorizeUrl())
    const second = await browser.send(first, { key: twin.credentials.key })
    expect(second.html).toContain('sg_weather: 0.5 credits')
    for (const { headers, html } of [first, second]) {
      expect(html).not.toContain(twin.credentials.key)
      expect(headers.get('cache-control')).toBe('no-store')
      expect(headers.get('x-frame-options')).toBe('DENY')
      expect(headers.get('access-control-allow-origin')).toBeNull()
    }
    expect(first.headers.get('set-cookie')).toMatch(
      /^sg_login_[\w-]{8}=[\w-]{22}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=600$/,
    )
  })
})

describe('wrong keys', () => {
  test('the eleventh of a network in ten minutes is refused with the time to wait', async () => {
    const tried = await startLoginTwin()
    const victim = await makeClient(tried.origin)
    // A window begins with each ten minutes.
    tried.advance(600_000 - (Date.now() % 600_000))
    const browser = openBrowser(tried.origin)
    const page = await browser.open(victim.authorizeUrl())
    for (let count = 1; count <= 10; count += 1) {
      const key = `sgk_${'x'.repeat(42)}${count % 10}`
      const again = await browser.send(page, { key })
      expect([again.status, again.html.includes('unknown or expired')]).toEqual([200, true])
    }
    const right = await browser.send(page, { key: tried.credentials.key })
    expect(right.status).toBe(429)
    expect(Number(right.headers.get('retry-after'))).toBeLessThanOrEqual(600)
    tried.advance(600_000)
    const later = await browser.open(victim.authorizeUrl())
    expect((await browser.send(later, { key: tried.credentials.key })).status).toBe(200)
    expect(tried.lines.join('\n')).not.toContain('xxxx')
    await tried.stop()
  })

  test.each([
    ['an empty text', ''],
    ['a key of an administrator', `sga_${'a'.repeat(43)}`],
    ['an access token', `sgt_${'a'.repeat(43)}`],
  ])('such as %s are refused with a word why', async (_what, key) => {
    const browser = openBrowser(twin.origin)
    const page = await browser.open(client.authorizeUrl())
    const again = await browser.send(page, { key })
    expect([again.status, again.html.includes('role="alert"')]).toEqual([200, true])
  })
})

describe('a key that may issue keys', () => {
  test('shows on the page what its login may do, and its sub-keys cannot log in', async () => {
    await twin.admin('POST', 'users', { uid: 'issuer', username: 'issuer' })
    const body = { mayIssueKeys: true, callsPerDay: 5 }
    const { key } = (await twin.admin('POST', 'users/issuer/keys', body)).body
    const issued = JSON.parse((await twin.call(key, 'sg_issue_key', {})).text)
    const { key: subKey } = JSON.parse(issued.result.content[0].text)
    expect(subKey).toMatch(/^sgs_/)
    const browser = openBrowser(twin.origin)
    const page = await browser.open(client.authorizeUrl())
    const refused = await browser.send(page, { key: subKey })
    expect([refused.status, refused.html]).toEqual([
      200,
      expect.stringContaining('This is a sub-key (sgs_), which cannot log in.'),
    ])
    const consent = await browser.send(page, { key })
    expect(consent.html).toContain('This key may make 5 calls a day, of which 0 are made')
    expect(consent.html).toContain('sg_weather')
    expect(consent.html).not.toContain('sg_issue_key')
  })
})

describe('a registration', () => {
  test('answers what it kept, and asks for no secret', async () => {
    const { body, status } = await register(twin.origin, {
      client_name: 'Cursor',
      redirect_uris: ['https://evil.example/', 'cursor://anysphere.cursor-mcp/oauth/callback'],
      token_endpoint_auth_method: 'client_secret_basic',
      scope: 'everything',
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      client_id: expect.stringMatching(/^c1\./),
      client_id_issued_at: expect.any(Number),
      client_name: 'Cursor',
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
  })

  test('without an allowed redirect URI is refused', async () => {
    const answer = await register(twin.origin, { redirect_uris: ['https://evil.example/'] })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_redirect_uri' } })
  })

  test('may have 8,192 bytes, and not one more', async () => {
    const body = { redirect_uris: [CALLBACK], padding: '' }
    const rest = 8_192 - JSON.stringify(body).length
    const fits = await register(twin.origin, { ...body, padding: 'x'.repeat(rest) })
    expect(fits.status).toBe(201)
    const past = await register(twin.origin, { ...body, padding: 'x'.repeat(rest + 1) })
    expect(past).toMatchObject({ status: 400, body: { error: 'invalid_client_metadata' } })
  })
})

describe('a page of another origin', () => {
  test.each([
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/mcp',
  ])('may read %s', async (path) => {
    const headers = { origin: 'https://inspector.example' }
    const answer = await fetch(`${twin.origin}${path}`, { headers })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  test.each(['/register', '/token', '/revoke'])('may post to %s', async (path) => {
    const answer = await fetch(`${twin.origin}${path}`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://inspector.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(answer.status).toBe(204)
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
    expect(answer.headers.get('access-control-allow-headers')).toContain('content-type')
  })
})

test('no document claims that the gateway speaks OpenID Connect', async () => {
  const answer = await fetch(`${twin.origin}/.well-known/openid-configuration`)
  expect(answer.status).toBe(404)
})

test('a twin without --login has none of these paths, and asks nobody to log in', async () => {
  const plain = await startLoginTwin({ login: false })
  const paths = ['/authorize', '/.well-known/oauth-protected-resource/mcp', '/register', '/token']
  const answers = await Promise.all(paths.map((path) => fetch(`${plain.origin}${path}`)))
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
  expect((await fetch(`${plain.origin}/mcp`)).status).toBe(405)
  const refused = await plain.call(`sgk_${'a'.repeat(43)}`)
  expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="skillgate"')
  await plain.stop()
})
