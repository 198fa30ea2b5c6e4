import { describe, expect, test } from 'vitest'
import { bannerText, type Ready } from '../../../local/terminal/banner.ts'
import { jsonLine } from '../../../local/terminal/json-line.ts'

const READY: Ready = {
  version: '0.1.0',
  readySec: 1.42,
  data: 'data .local (kept)',
  kept: true,
  storeNote: undefined,
  origin: 'http://127.0.0.1:8787',
  key: 'sgk_k',
  username: 'demo',
  credits: 99.5,
  adminKey: 'admin',
  prefix: 'sg',
  tools: [
    { name: 'sg_weather', priceMicro: 500_000 },
    { name: 'sg_echo', priceMicro: 0 },
    { name: 'sg_account', priceMicro: undefined },
  ],
}

describe('the banner', () => {
  test('shows all a newcomer needs, in lines that can be pasted', () => {
    expect(bannerText(READY)).toBe(`Skillgate 0.1.0 · ready in 1.4 s · data .local (kept)

  Agents   http://127.0.0.1:8787/mcp   or by SSE http://127.0.0.1:8787/v1/mcp/sse
  Key      sgk_k   user demo, 99.5 credits
  Tools    sg_weather 0.5 · sg_echo 0 · sg_account

Try it (another terminal)
  curl -sS http://127.0.0.1:8787/v1/execute -H 'Authorization: Bearer sgk_k' -H 'Content-Type: application/json' -d '{"skill":"sg_weather","arguments":{"city":"Oslo"}}'

Connect an agent
  claude mcp add --transport http skillgate http://127.0.0.1:8787/mcp --header 'Authorization: Bearer sgk_k'
  or in mcp.json (Cursor; VS Code says "servers" and adds "type": "http")
  {"mcpServers":{"skillgate":{"url":"http://127.0.0.1:8787/mcp","headers":{"Authorization":"Bearer sgk_k"}}}}

Add your own (another terminal, in this folder)
  curl -sS 'http://127.0.0.1:8787/v1/admin/sync_skill?source=official' -H 'X-Admin-Key: admin' -H 'Content-Type: application/json' -d @examples/skills/joke.json

Local API?  restart with --outbound-allow localhost:3000
Ctrl-C stops; nothing is lost.
`)
  })

  test('on another port puts that port into the example it sends', () => {
    expect(bannerText({ ...READY, origin: 'http://127.0.0.1:9000' })).toContain(
      "  sed 's#http://127.0.0.1:8787#http://127.0.0.1:9000#' examples/skills/joke.json | curl -sS 'http://127.0.0.1:9000/v1/admin/sync_skill?source=official' -H 'X-Admin-Key: admin' -H 'Content-Type: application/json' -d @-\n",
    )
  })

  test('names the store when it is not the usual one, and promises nothing with --memory', () => {
    const text = bannerText({ ...READY, kept: false, storeNote: 'Store: somewhere.' })
    expect(text.split('\n')[1]).toBe('Store: somewhere.')
    expect(text).toContain('Ctrl-C stops; --memory keeps nothing.\n')
  })

  test('shows twenty tools at most', () => {
    const tools = Array.from({ length: 21 }, (_, i) => ({ name: `t${i}`, priceMicro: undefined }))
    expect(bannerText({ ...READY, tools: tools.slice(0, 20) })).toContain('· t19\n')
    expect(bannerText({ ...READY, tools })).toContain('· t19 · and 1 more\n')
  })
})

test('--json is one line with what a script needs', () => {
  const line = jsonLine({
    origin: 'http://127.0.0.1:1',
    credentials: { internalApiSecret: 'i', adminKey: 'a', key: 'k', secondKey: 's' },
    uid: 'demo',
    username: 'demo',
    tools: ['sg_echo'],
  })
  expect(line).not.toContain('\n')
  expect(JSON.parse(line)).toEqual({
    url: 'http://127.0.0.1:1',
    mcp: 'http://127.0.0.1:1/mcp',
    sse: 'http://127.0.0.1:1/v1/mcp/sse',
    execute: 'http://127.0.0.1:1/v1/execute',
    admin: 'http://127.0.0.1:1/v1/admin',
    key: 'k',
    uid: 'demo',
    username: 'demo',
    secondKey: 's',
    internalApiSecret: 'i',
    adminKey: 'a',
    tools: ['sg_echo'],
  })
})
