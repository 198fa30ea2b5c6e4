/** The console and its first-run sheet over HTTP, as a browser asks for them. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { send } from './http.ts'
import { startTwin, type Twin } from './twin.ts'

let twin: Twin

beforeAll(async () => {
  twin = await startTwin(['--memory'])
})

afterAll(async () => {
  await twin?.stop()
})

const at = (path: string) => new URL(path, twin.url)
const consoleLink = () => String(JSON.parse(twin.printed())['console'])
const redeem = (code: string, headers: { readonly [name: string]: string } = {}) =>
  send(at('/v1/console/welcome'), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ code }),
  })

describe('the console', () => {
  test('is where a browser is sent that opens the origin of the twin', async () => {
    const answer = await send(at('/'), { headers: { accept: 'text/html,*/*' } })
    expect([answer.status, answer.headers.location]).toEqual([302, '/v1/console/'])
    const program = await send(at('/'), { headers: { accept: '*/*' } })
    expect(JSON.parse(program.text)).toMatchObject({ console: `${twin.url}/v1/console/` })
  })

  test('is a page whose files are there, without a credential', async () => {
    const page = await send(at('/v1/console/'))
    expect(page.status).toBe(200)
    expect(page.headers['cache-control']).toBe('no-store')
    expect(page.headers['content-security-policy']).toContain("default-src 'none'")
    const names = [...page.text.matchAll(/(?:src|href)="([^":]+\.(?:js|css))"/g)].map(
      ([, name = '']) => name,
    )
    expect(names).toHaveLength(2)
    for (const name of names) {
      const file = await send(at(`/v1/console/${name}`))
      expect(file.status).toBe(200)
      expect(file.headers['cache-control']).toContain('immutable')
    }
  })

  test('answers HEAD without a body', async () => {
    const answer = await send(at('/v1/console/'), { method: 'HEAD' })
    expect([answer.status, answer.text]).toEqual([200, ''])
  })

  test('is refused under a foreign name that resolves to this machine', async () => {
    const answer = await send(at('/v1/console/'), { headers: { host: 'evil.example' } })
    expect(answer.status).toBe(403)
  })
})

describe('the first-run sheet', () => {
  test.each([
    ['by a page of another site', { origin: 'https://evil.example' }],
    ['under a foreign name', { host: 'evil.example' }],
  ])('is refused %s, even with the code', async (_how, headers) => {
    const [, code = ''] = consoleLink().split('#/welcome/')
    const answer = await redeem(code, headers)
    expect(answer.status).toBe(403)
    expect(answer.text).not.toContain(twin.adminKey)
  })

  test('refuses a body that is no code', async () => {
    const answer = await redeem('A'.repeat(2_000))
    expect([answer.status, answer.text]).toEqual([413, expect.stringContaining('1024 bytes')])
  })

  test('gives the keys to the link in the banner, once', async () => {
    const [page, code = ''] = consoleLink().split('#/welcome/')
    expect(page).toBe(`${twin.url}/v1/console/`)
    const answer = await redeem(code)
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(JSON.parse(answer.text)).toEqual({
      origin: twin.url,
      mcpUrl: twin.mcp,
      username: 'demo',
      key: twin.key,
      adminKey: twin.adminKey,
    })
    expect((await redeem(code)).status).toBe(403)
  })

  test('is not there in a twin that other machines reach', async () => {
    const open = await startTwin(['--memory', '--host', '0.0.0.0'])
    try {
      expect(JSON.parse(open.printed())['console']).toBe(`${open.url}/v1/console/`)
      const answer = await send(new URL('/v1/console/welcome', open.url), {
        method: 'POST',
        body: '{}',
      })
      expect(answer.status).toBe(404)
    } finally {
      await open.stop()
    }
  })
})
