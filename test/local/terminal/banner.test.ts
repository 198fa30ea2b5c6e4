import { describe, expect, test } from 'vitest'
import { formatBanner, type Ready } from '../../../local/terminal/banner.ts'
import { formatReadyLine } from '../../../local/terminal/json-line.ts'

const READY: Ready = {
  version: '1.2.3',
  readySec: 1.42,
  data: 'data .local (kept)',
  kept: true,
  origin: 'http://127.0.0.1:8787',
  key: 'sgk_k',
  username: 'demo',
  credits: 99.5,
  adminKey: 'admin',
  consoleUrl: 'http://127.0.0.1:8787/v1/console/#/welcome/code',
  prefix: 'sg',
  outboundAllow: [],
  loginOrigin: undefined,
  program: 'npx skillgate',
  isPacked: false,
  profileOptions: '',
  keysFile: '.local/credentials.json',
  tools: [
    { name: 'sg_weather', priceMicro: 500_000 },
    { name: 'sg_echo', priceMicro: 0 },
    { name: 'sg_account', priceMicro: undefined },
  ],
}

describe('the banner', () => {
  test('shows what a newcomer needs, in commands that can be pasted', () => {
    expect(
      formatBanner(READY),
    ).toBe(String.raw`Skillgate 1.2.3 · ready in 1.4 s · data .local (kept)
  Console  http://127.0.0.1:8787/v1/console/#/welcome/code
  Agents   http://127.0.0.1:8787/mcp   (HTTP+SSE: /v1/mcp/sse)
  Key      sgk_k  demo, 99.5 credits
  Admin    admin  X-Admin-Key
  Tools    sg_weather 0.5 · sg_echo 0 · sg_account

Try it (another terminal)
  curl -sS http://127.0.0.1:8787/v1/execute -H content-type:application/json \
  -H 'Authorization: Bearer sgk_k' \
  -d '{"skill":"sg_weather","arguments":{"city":"Oslo"}}'
Connect an agent
  claude mcp add --transport http skillgate http://127.0.0.1:8787/mcp \
  -H 'Authorization: Bearer sgk_k'
or in mcp.json (Cursor; VS Code says "servers" and adds "type": "http")
  {"mcpServers":{"skillgate":{"url":"http://127.0.0.1:8787/mcp",
  "headers":{"Authorization":
  "Bearer sgk_k"}}}}
Add your own (another terminal, in this folder)
  curl -sS 'http://127.0.0.1:8787/v1/admin/sync_skill?source=official' \
  -H 'X-Admin-Key: admin' \
  -H content-type:application/json -d @examples/skills/joke.json
Local API? Add --outbound-allow localhost:3000. Ctrl-C stops; nothing is lost.
`)
  })

  test('of the package has commands for the program as it was started, and no file of a clone', () => {
    const packed = { isPacked: true, data: 'data .skillgate (kept)', keysFile: '.skillgate/keys' }
    const text = formatBanner({ ...READY, ...packed, profileOptions: ' --profile local' })
    expect(text).toBe(`Skillgate 1.2.3 · ready in 1.4 s · data .skillgate (kept)
  Console  http://127.0.0.1:8787/v1/console/#/welcome/code
  Agents   http://127.0.0.1:8787/mcp   (HTTP+SSE: /v1/mcp/sse)
  Key      sgk_k  demo, 99.5 credits
  Admin    admin  X-Admin-Key
  Tools    sg_weather 0.5 · sg_echo 0 · sg_account

Try it (another terminal)
  npx skillgate call sg_weather city=Oslo --profile local
Connect an agent
  npx skillgate connect claude-code --profile local
  npx skillgate connect --list --profile local   names the other clients
Add your own
  npx skillgate import openapi apply DOCUMENT --prefix NAME --profile local
  npx skillgate upstreams put NAME --url https://HOST/mcp --profile local
Keys: .skillgate/keys, readable by you alone.
Local API? Add --outbound-allow localhost:3000. Ctrl-C stops; nothing is lost.
`)
  })

  test('of the package without a profile has lines with the addresses and keys', () => {
    const text = formatBanner({ ...READY, isPacked: true, profileOptions: undefined })
    expect(text).toContain('claude mcp add --transport http skillgate http://127.0.0.1:8787/mcp')
    expect(text).not.toContain('examples/')
  })

  const DEFAULT = 'http://127.0.0.1:8787'
  test.each<[string, Partial<Ready>]>([
    ['with the default options', { origin: DEFAULT }],
    ['on any port', { origin: 'http://127.0.0.1:65535' }],
    ['with many hosts', { outboundAllow: Array.from({ length: 100 }, (_, n) => `host${n}:3000`) }],
    ['with a long path', { data: `data ${'/home'.repeat(40)} (kept)` }],
    ['with odd credits', { credits: 99_999_999.999_999 }],
    ['with a login', { loginOrigin: DEFAULT }],
    ['with a login on any port', { origin: 'http://127.0.0.1:65535', loginOrigin: DEFAULT }],
    ['with a tunnel', { loginOrigin: 'https://my-tunnel.example' }],
  ])('fits 80 columns and, with the cursor, 24 rows %s', (_what, change) => {
    const [key, adminKey] = [`sgk_${'k'.repeat(43)}`, 'a'.repeat(43)]
    const tools = Array.from({ length: 40 }, (_, i) => ({ name: `sg_tool${i}`, priceMicro: 1 }))
    const rows = formatBanner({ ...READY, key, adminKey, tools, ...change }).split('\n')
    expect(rows.length).toBeLessThanOrEqual(24)
    expect(rows.at(-1)).toBe('')
    expect(rows.filter((row) => row.length > 80)).toEqual([])
    const secrets = rows.filter((row) => row.includes(key) || row.includes(adminKey))
    expect(secrets).toHaveLength(change.loginOrigin === undefined ? 6 : 5)
  })

  test('shows the hosts that are allowed, instead of how to allow one', () => {
    const text = formatBanner({ ...READY, outboundAllow: ['localhost:3000', '10.0.0.1'] })
    expect(text).toContain(
      '\nSkills may also reach localhost:3000, 10.0.0.1. Ctrl-C stops; nothing is lost.\n',
    )
    expect(text).not.toContain('--outbound-allow')
  })

  test('says with a login how clients go without a key, and why hosted clients need a tunnel', () => {
    expect(
      formatBanner({ ...READY, loginOrigin: DEFAULT }),
    ).toContain(`  -H 'Authorization: Bearer sgk_k'
or without a key: npx skillgate connect claude-code --login
claude.ai and ChatGPT cannot reach 127.0.0.1: start a tunnel, and the twin with
  --public-origin https://YOUR-TUNNEL
Add your own`)
  })

  test('gives the URL for hosted clients once the twin has a public origin', () => {
    const text = formatBanner({ ...READY, loginOrigin: 'https://my-tunnel.example' })
    expect(text).toContain(`or without a key: npx skillgate connect claude-code --login
In claude.ai and ChatGPT, add a connector with the URL
  https://my-tunnel.example/mcp
`)
    expect(text).not.toContain('YOUR-TUNNEL')
  })

  test('gives a client configuration that is JSON', () => {
    const rows = formatBanner(READY).split('\n')
    const from = rows.findIndex((row) => row.includes('mcpServers'))
    expect(JSON.parse(rows.slice(from, from + 3).join('\n'))).toEqual({
      mcpServers: {
        skillgate: {
          url: 'http://127.0.0.1:8787/mcp',
          headers: { Authorization: 'Bearer sgk_k' },
        },
      },
    })
  })

  test('puts the port into the example skill that it sends when the port is not the default', () => {
    expect(
      formatBanner({ ...READY, origin: 'http://127.0.0.1:9000' }),
    ).toContain(String.raw`  sed 's#127.0.0.1:8787#127.0.0.1:9000#' examples/skills/joke.json |
  curl -sS 'http://127.0.0.1:9000/v1/admin/sync_skill?source=official' \
  -H 'X-Admin-Key: admin' \
  -H content-type:application/json -d @-
`)
  })

  test('promises nothing with --memory', () => {
    const text = formatBanner({ ...READY, kept: false })
    expect(text).toContain('Ctrl-C stops; nothing is kept.\n')
  })

  test('lists the tools that fit the row and counts the others', () => {
    const tools = Array.from({ length: 22 }, (_, i) => ({ name: `t${i}`, priceMicro: undefined }))
    expect(formatBanner({ ...READY, tools: tools.slice(0, 12) })).toContain('· t10 · t11\n')
    expect(formatBanner({ ...READY, tools })).toContain('· t8 · t9 · t10 · and 11 more\n')
  })
})

test('--json prints one line with the values that a script needs', () => {
  const line = formatReadyLine({
    origin: 'http://127.0.0.1:1',
    credentials: {
      internalApiSecret: 'i',
      adminKey: 'a',
      key: 'k',
      secondKey: 's',
      eventsSecret: 'e',
    },
    uid: 'demo',
    username: 'demo',
    tools: ['sg_echo'],
    consoleUrl: 'http://127.0.0.1:1/v1/console/#/welcome/code',
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
    console: 'http://127.0.0.1:1/v1/console/#/welcome/code',
  })
})
