/** People who log in by an invitation, over HTTP on a twin. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auth } from '@modelcontextprotocol/sdk/client/auth.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LoginClient, makeClient, type Tokens, tokensOf } from './login-client.ts'
import { type Browser, openBrowser, type Page } from './login-person.ts'
import { connectSdk, makeProvider } from './login-sdk.ts'
import { type LoginTwin, startLoginTwin } from './login-twin.ts'

const UNUSABLE =
  'This invitation is unknown, expired or used already. Ask your administrator for a new one.'
const ALLOW = { decision: 'allow' }
const DAY_MS = 86_400_000

let twin: LoginTwin
let client: LoginClient

beforeAll(async () => {
  twin = await startLoginTwin()
  client = await makeClient(twin.origin)
  await twin.admin('POST', 'users', { uid: 'ada', username: 'Ada', credits: 5 })
})
afterAll(() => twin.stop())

type Invited = { readonly inviteId: string; readonly link: string; readonly expiresAtMs: number }

async function invite(body: object = {}, on = twin): Promise<Invited> {
  const answer = await on.admin('POST', 'users/ada/invites', body)
  if (answer.status !== 201) throw new Error(JSON.stringify(answer))
  // The next day or the same: a used invitation is told apart by a later time.
  on.advance(1_000)
  return answer.body
}

/** A person who opened the link allows the client, and returns to it with a code. */
async function followLink(browser: Browser, link: string, url = client.authorizeUrl()) {
  await browser.open(link)
  const page = await browser.open(url)
  const consent = await browser.send(page, { use: 'invite' })
  return browser.send(consent, ALLOW)
}

function codeOf({ html, location, status }: Page): string {
  if (location === undefined) throw new Error(`no redirect: ${status} ${html}`)
  return new URL(location).searchParams.get('code') ?? ''
}

async function logInWith(link: string): Promise<Tokens> {
  const last = await followLink(openBrowser(twin.origin), link)
  return tokensOf(await client.exchange(codeOf(last)))
}

describe('an invited person', () => {
  test('logs in with the official client, which calls and is charged to the person', async () => {
    const { inviteId, link } = await invite()
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/invite\/sgi_[A-Za-z0-9_-]{43}$/)
    const provider = makeProvider()
    await expect(connectSdk(twin.origin, provider)).rejects.toThrow('Unauthorized')
    const browser = openBrowser(twin.origin)
    const opened = await browser.open(link)
    expect(opened.html).toContain('You are invited to Skillgate as Ada')
    expect(opened.html).toContain(`claude mcp add --transport http skillgate ${twin.origin}/mcp`)
    const page = await browser.open(provider.opened())
    expect(page.html).toContain('You were invited as <b>Ada</b>.')
    const consent = await browser.send(page, { use: 'invite' })
    expect(consent.html).toContain('You are <b>Ada</b>, by invitation, and have 5 credits.')
    const last = await browser.send(consent, ALLOW)
    const authorizationCode = codeOf(last)
    expect(last.headers.get('set-cookie')).toBe(
      'sg_invite=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0',
    )
    expect(await auth(provider, { serverUrl: `${twin.origin}/mcp`, authorizationCode })).toBe(
      'AUTHORIZED',
    )
    const agent = await connectSdk(twin.origin, provider)
    await agent.callTool({ name: 'sg_weather', arguments: { city: 'Oslo' } })
    await agent.close()
    expect((await twin.admin('GET', 'users/ada')).body).toMatchObject({ credits: 4.5 })
    const [key] = (await twin.admin('GET', 'users/ada/keys')).body.keys
    expect(key).toMatchObject({ keyId: inviteId, keyPrefix: 'invite', invitation: 'used' })
  })

  test('may be limited by the invitation, and by changes of its key', async () => {
    const { inviteId, link } = await invite({ tools: ['sg_time*'], callsPerDay: 7 })
    const browser = openBrowser(twin.origin)
    await browser.open(link)
    const page = await browser.open(client.authorizeUrl())
    const consent = await browser.send(page, { use: 'invite' })
    expect(consent.html).toContain('This login may make 7 calls a day, of which 0 are made')
    expect(consent.html).not.toContain('sg_weather')
    const tokens = tokensOf(await client.exchange(codeOf(await browser.send(consent, ALLOW))))
    const refused = await twin.call(tokens.access_token, 'sg_weather', { city: 'Oslo' })
    expect(refused.text).toContain('sg_weather')
    expect(refused.text).not.toContain('light rain')
    await twin.admin('PATCH', `users/ada/keys/${inviteId}`, { tools: null })
    const next = tokensOf(await client.refresh(tokens.refresh_token))
    expect((await twin.call(next.access_token, 'sg_weather', { city: 'Oslo' })).text).toContain(
      'light rain',
    )
  })

  test.each([
    ['the link', (link: string) => link],
    ['the secret', (link: string) => link.slice(link.indexOf('sgi_'))],
    ['the link with spaces', (link: string) => ` ${link}\n`],
  ])('may enter %s in the field for the key', async (_what, toText) => {
    const { link } = await invite()
    const browser = openBrowser(twin.origin)
    const page = await browser.open(client.authorizeUrl())
    const consent = await browser.send(page, { key: toText(link) })
    expect(consent.html).toContain('by invitation')
    const code = codeOf(await browser.send(consent, ALLOW))
    expect((await client.exchange(code)).status).toBe(200)
  })

  test('may use a key instead, and keeps the invitation', async () => {
    const { link } = await invite()
    const browser = openBrowser(twin.origin)
    await browser.open(link)
    const page = await browser.open(client.authorizeUrl())
    const consent = await browser.send(page, { key: twin.credentials.key })
    expect(consent.html).toContain('You are <b>demo</b>')
    codeOf(await browser.send(consent, ALLOW))
    const again = await browser.open(client.authorizeUrl())
    expect(again.html).toContain('You were invited as <b>Ada</b>.')
  })

  test('who says no to the client keeps the invitation', async () => {
    const { link } = await invite()
    const browser = openBrowser(twin.origin)
    await browser.open(link)
    const consent = await browser.send(await browser.open(client.authorizeUrl()), { use: 'invite' })
    const denied = await browser.send(consent, { decision: 'deny' })
    expect(denied.location).toContain('error=access_denied')
    expect((await browser.open(link)).status).toBe(200)
    expect((await logInWith(link)).token_type).toBe('Bearer')
  })

  test('stays logged in past the week of the link, as with a key', async () => {
    const kept = await startLoginTwin()
    await kept.admin('POST', 'users', { uid: 'ada', username: 'Ada' })
    const program = await makeClient(kept.origin)
    const { link } = await invite({}, kept)
    const last = await followLink(openBrowser(kept.origin), link, program.authorizeUrl())
    let { refresh_token } = tokensOf(await program.exchange(codeOf(last)))
    for (const days of [8, 29, 29]) {
      kept.advance(days * DAY_MS)
      refresh_token = tokensOf(await program.refresh(refresh_token)).refresh_token
    }
    kept.advance(30 * DAY_MS)
    expect((await program.refresh(refresh_token)).status).toBe(400)
    await kept.stop()
  })
})

describe('an invitation', () => {
  test('is not used up by opening its link, however often', async () => {
    const { link } = await invite()
    for (let count = 0; count < 5; count += 1) {
      const page = await openBrowser(twin.origin).open(link)
      expect(page.status).toBe(200)
      expect(page.headers.get('set-cookie')).toMatch(
        /^sg_invite=sgi_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=3600$/,
      )
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('referrer-policy')).toBe('same-origin')
      expect(page.headers.get('content-security-policy')).not.toContain('form-action')
    }
    for (const method of ['POST', 'HEAD', 'DELETE']) {
      const answer = await fetch(link, { method })
      expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
    }
    expect((await logInWith(link)).token_type).toBe('Bearer')
  })

  test('logs in one of two browsers, and the other reads that it was used', async () => {
    const { link } = await invite()
    const consents = await Promise.all(
      [1, 2].map(async () => {
        const browser = openBrowser(twin.origin)
        await browser.open(link)
        const page = await browser.open(client.authorizeUrl())
        return { browser, consent: await browser.send(page, { use: 'invite' }) }
      }),
    )
    const ends = await Promise.all(
      consents.map(({ browser, consent }) => browser.send(consent, ALLOW)),
    )
    expect(ends.map(({ status }) => status).sort()).toEqual([303, 404])
    expect(ends.find(({ status }) => status === 404)?.html).toContain(UNUSABLE)
  })

  test('gives a form that is sent again the same code', async () => {
    const { link } = await invite()
    const browser = openBrowser(twin.origin)
    await browser.open(link)
    const consent = await browser.send(await browser.open(client.authorizeUrl()), { use: 'invite' })
    const codes = [await browser.send(consent, ALLOW), await browser.send(consent, ALLOW)].map(
      codeOf,
    )
    expect(codes[0]).toBe(codes[1])
    expect((await client.exchange(codes[0] ?? '')).status).toBe(200)
  })

  test('is taken back with its key, before and after its use', async () => {
    const pending = await invite()
    const path = `users/ada/keys/${pending.inviteId}`
    const [key] = (await twin.admin('GET', 'users/ada/keys')).body.keys
    expect(pending.expiresAtMs - key.createdAtMs).toBe(604_800_000)
    expect(key).toMatchObject({
      keyId: pending.inviteId,
      invitation: 'pending',
      expiresAtMs: pending.expiresAtMs,
    })
    const browser = openBrowser(twin.origin)
    await browser.open(pending.link)
    const consent = await browser.send(await browser.open(client.authorizeUrl()), { use: 'invite' })
    expect((await twin.admin('DELETE', path)).status).toBe(204)
    const refused = await browser.send(consent, ALLOW)
    expect([refused.status, refused.html]).toEqual([404, expect.stringContaining(UNUSABLE)])
    expect((await browser.open(pending.link)).status).toBe(404)

    const used = await invite()
    const { access_token, refresh_token } = await logInWith(used.link)
    expect((await twin.admin('DELETE', `users/ada/keys/${used.inviteId}`)).status).toBe(204)
    expect((await client.refresh(refresh_token)).status).toBe(400)
    twin.advance(30_000)
    expect((await twin.call(access_token)).status).toBe(401)
  })

  test('that is used, unknown, malformed or older than seven days gets one answer', async () => {
    const aged = await startLoginTwin()
    await aged.admin('POST', 'users', { uid: 'ada', username: 'Ada' })
    const { link } = await invite({}, aged)
    const used = await invite()
    await logInWith(used.link)
    expect((await openBrowser(aged.origin).open(link)).html).toContain('You are invited')
    aged.advance(7 * DAY_MS)
    const links = [
      [link, aged],
      [used.link, twin],
      [`${twin.origin}/invite/sgi_${'x'.repeat(43)}`, twin],
      [`${twin.origin}/invite/${twin.credentials.key}`, twin],
      [`${twin.origin}/invite/`, twin],
      [`${twin.origin}/invite/sgi_${'x'.repeat(42)}/`, twin],
    ] as const
    const pages = []
    for (const [wrong, at] of links) pages.push(await openBrowser(at.origin).open(wrong))
    expect(new Set(pages.map(({ html, status }) => `${status} ${html}`)).size).toBe(1)
    expect([pages[0]?.status, pages[0]?.html]).toEqual([404, expect.stringContaining(UNUSABLE)])
    await aged.stop()
  })

  test('is no credential of a call or of an administrator', async () => {
    const { inviteId, link } = await invite()
    const secret = link.slice(link.indexOf('sgi_'))
    for (const token of [secret, inviteId]) {
      expect((await twin.call(token)).status).toBe(401)
      const headers = { 'x-admin-key': token }
      expect((await fetch(`${twin.origin}/v1/admin/users`, { headers })).status).toBe(401)
    }
  })

  test('is used by no form of another site, and by one without an origin only with its proof', async () => {
    const { link } = await invite()
    const browser = openBrowser(twin.origin)
    await browser.open(link)
    const page = await browser.open(client.authorizeUrl())
    const use = { use: 'invite' }
    expect((await browser.send(page, use, 'https://evil.example')).status).toBe(403)
    expect((await browser.send(page, { ...use, proof: 'x' }, 'null')).status).toBe(403)
    const consent = await browser.send(page, use, 'null')
    expect(consent.html).toContain('by invitation')
    expect((await browser.send(consent, ALLOW, 'https://evil.example')).status).toBe(403)
    expect((await browser.send(consent, ALLOW, 'null')).status).toBe(303)
  })

  test('is refused to a user who is disabled, in the words that a key gets', async () => {
    await twin.admin('POST', 'users', { uid: 'off', username: 'off' })
    const { link } = (await twin.admin('POST', 'users/off/invites', {})).body
    await twin.admin('PATCH', 'users/off', { state: 'disabled', reason: 'left the company' })
    const page = await openBrowser(twin.origin).open(link)
    expect([page.status, page.html]).toEqual([404, expect.stringContaining('left the company')])
  })

  test('is refused for an unknown user, and with a field that a login cannot have', async () => {
    expect((await twin.admin('POST', 'users/nobody/invites', {})).status).toBe(404)
    const refused = await twin.admin('POST', 'users/ada/invites', { mayIssueKeys: true })
    expect(refused.status).toBe(422)
    expect(JSON.stringify(refused.body)).toContain('mayIssueKeys')
  })

  test('is refused with a remedy where nobody can log in', async () => {
    const plain = await startLoginTwin({ login: false })
    await plain.admin('POST', 'users', { uid: 'ada', username: 'Ada' })
    const { body, status } = await plain.admin('POST', 'users/ada/invites', {})
    expect([status, body.detail]).toEqual([409, expect.stringContaining('login: is off')])
    expect((await fetch(`${plain.origin}/invite/sgi_${'x'.repeat(43)}`)).status).toBe(404)
    await plain.stop()
  })
})

describe('wrong links', () => {
  test('count with wrong keys: the eleventh in ten minutes is refused with the time to wait', async () => {
    const tried = await startLoginTwin()
    const program = await makeClient(tried.origin)
    tried.advance(600_000 - (Date.now() % 600_000))
    const browser = openBrowser(tried.origin)
    const page = await browser.open(program.authorizeUrl())
    await browser.send(page, { key: `sgk_${'x'.repeat(43)}` })
    await browser.send(page, { key: `sgi_${'x'.repeat(43)}` })
    for (let count = 3; count <= 10; count += 1) {
      const wrong = await browser.open(`${tried.origin}/invite/sgi_${'x'.repeat(42)}${count % 10}`)
      expect(wrong.status).toBe(404)
    }
    await tried.admin('POST', 'users', { uid: 'ada', username: 'Ada' })
    const { link } = (await tried.admin('POST', 'users/ada/invites', {})).body
    const limited = await browser.open(link)
    expect(limited.status).toBe(429)
    expect(Number(limited.headers.get('retry-after'))).toBeLessThanOrEqual(600)
    tried.advance(600_000)
    expect((await browser.open(link)).status).toBe(200)
    await tried.stop()
  })
})

test('no log, trail or copy of the store contains the secret of a link', async () => {
  const data = mkdtempSync(join(tmpdir(), 'skillgate-invites-'))
  const kept = await startLoginTwin({ memory: false, data })
  const program = await makeClient(kept.origin)
  await kept.admin('POST', 'users', { uid: 'ada', username: 'Ada' })
  const { link } = await invite({}, kept)
  const other = await invite({}, kept)
  const secrets = [link, other.link].map((one) => one.slice(one.indexOf('sgi_') + 4))
  const browser = openBrowser(kept.origin)
  codeOf(await followLink(browser, link, program.authorizeUrl()))
  await browser.open(link)
  await browser.open(`${other.link}/`)
  await fetch(other.link, { method: 'POST' })
  await kept.call(other.link.slice(other.link.indexOf('sgi_')))
  const trail = await kept.admin('GET', 'audit')
  expect(JSON.stringify(trail.body)).toContain('createInvite')
  await kept.stop()
  const files = readdirSync(data, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(join(file.parentPath, file.name), 'latin1'))
  rmSync(data, { recursive: true })
  for (const secret of secrets) {
    const found = [...files, ...kept.lines, JSON.stringify(trail.body)]
    expect(found.filter((text) => text.includes(secret))).toEqual([])
  }
})
