/**
 * What skills say of their answers, on a real API and over MCP with the official client: failures with
 * 200, answers with 404, headers, defaults, nested arguments, and hooks that run in order.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { balanceOf, createUser, pushSkill, setSecret } from './admin.ts'
import { bearer, postJson, send } from './http.ts'
import { connectStreamable, type StreamableAgent } from './streamable-agent.ts'
import { startTwin, type Twin } from './twin.ts'
import { PATIENCE_MS } from './wait.ts'

const WITHIN = { timeout: PATIENCE_MS }
const TOKEN = 'token-of-the-test-0123456789'
const LINK = '</orders?page=2>; rel="next"'

type Answer = readonly [status: number, type: string, body: string]

/** By path; `/orders` and `/report` want the token. */
function answerTo(request: IncomingMessage): Answer {
  const { pathname, search } = new URL(request.url ?? '', 'http://api')
  const json = (status: number, body: object): Answer => [
    status,
    'application/json',
    JSON.stringify(body),
  ]
  const wantsToken = pathname === '/orders' || pathname === '/report'
  if (wantsToken && request.headers.authorization !== `Bearer ${TOKEN}`) return json(401, {})
  const answers: { readonly [path: string]: Answer } = {
    '/token': json(200, { access_token: TOKEN, token_type: 'Bearer', expires_in: 3600 }),
    '/quota': json(200, { status: 'error', message: 'quota exceeded' }),
    '/person': json(404, { message: 'no such person' }),
    '/search': json(200, { asked: search }),
    '/orders': [200, 'text/csv', 'id,city\r\n0150,"Oslo, ""N"""\r\n'],
    '/report': [200, 'text/xml', '<report><status>ok</status><item n="1">pen</item></report>'],
    '/bomb': [200, 'text/xml', '<!DOCTYPE a [<!ENTITY b "ha">]><a>&b;</a>'],
    '/page': [200, 'text/html', '<table><tr><th>a<th>b<tr><td>1<td>2</table>'],
  }
  return answers[pathname] ?? json(500, {})
}

function serve(request: IncomingMessage, response: ServerResponse): void {
  const [status, type, body] = answerTo(request)
  response.setHeader('set-cookie', 'session=s3cret-cookie')
  response.setHeader('link', LINK)
  response.writeHead(status, { 'content-type': type })
  response.end(body)
}

const server = createServer(
  (request, response) => void request.resume().on('end', () => serve(request, response)),
)
let twin: Twin
let url = ''
let user: { readonly uid: string; readonly key: string }
let agent: StreamableAgent

beforeAll(async () => {
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  url = `http://${host}`
  twin = await startTwin(['--memory', '--outbound-allow', host])
  user = await createUser(twin, { username: 'answers', credits: 100 })
  agent = await connectStreamable(twin.mcp, { key: user.key })
})

afterAll(async () => {
  await agent?.client.close()
  await twin?.stop()
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})

const push = (id: string, path: string, config: object, parameters?: object) =>
  pushSkill(twin, {
    id,
    price: 1,
    config: { endpoint: `${url}${path}`, retries: 0, ...config },
    ...(parameters === undefined ? {} : { parameters }),
  })

async function call(name: string, args: { [name: string]: unknown } = {}) {
  return CallToolResultSchema.parse(await agent.client.callTool({ name, arguments: args }))
}

/** Credits once nothing is on hold: a success is answered before it is settled. */
async function settledCredits(): Promise<number> {
  await expect.poll(async () => (await balanceOf(twin, user.uid)).onHold, WITHIN).toBe(0)
  return (await balanceOf(twin, user.uid)).credits
}

async function refunds(): Promise<number> {
  const answer = await send(`${twin.admin}/users/${user.uid}/ledger?limit=100`, {
    headers: bearer(twin.internalApiSecret),
  })
  return answer.text.split('"state":"refunded"').length - 1
}

test('a 200 that the skill calls a failure is an error, and refunded once', async () => {
  const tool = await push('sg_quota', '/quota', {
    response: { fail_if: { pointer: '/status', equals: 'error' } },
  })
  const before = await settledCredits()
  const result = await call(tool)
  expect(result.isError).toBe(true)
  expect(JSON.stringify(result.content)).toContain('quota exceeded')
  expect(await settledCredits()).toBe(before)
  const rest = await postJson(twin.execute, { skill: tool, arguments: {} }, bearer(user.key))
  expect([rest.status, rest.json()['credits']]).toEqual([
    502,
    { charged: 1, refunded: 1, remaining: before },
  ])
  expect(await settledCredits()).toBe(before)
  expect(await refunds()).toBe(2)
})

test('a 404 that the skill calls an answer is charged, and shown with a header and no cookie', async () => {
  const tool = await push('sg_person', '/person', {
    response: { ok_statuses: [404], show_headers: ['Link'], pick: '/person' },
  })
  const before = await settledCredits()
  const result = await call(tool)
  expect(result).toMatchObject({
    isError: false,
    content: [
      { text: '{"message":"no such person"}' },
      { text: `HTTP status: 404\nlink: ${LINK}` },
    ],
    structuredContent: {
      message: 'no such person',
      _http: { status: 404, headers: { link: LINK } },
    },
  })
  expect(JSON.stringify(result)).not.toContain('s3cret-cookie')
  expect(await settledCredits()).toBe(before - 1)
})

test('members of arguments fill templates, and defaults are sent', async () => {
  const range = { type: 'object', properties: { from: { type: 'string' }, to: { default: 'now' } } }
  const tool = await push(
    'sg_search',
    '/search',
    { query: { since: '{{args.range.from}}', until: '{{args.range.to}}' } },
    { type: 'object', properties: { range, units: { type: 'string', default: 'metric' } } },
  )
  expect((await call(tool, { range: { from: 'May' } })).structuredContent).toEqual({
    asked: '?since=May&until=now&units=metric',
  })
})

test('two hooks run in order: a token goes out, and CSV and XML come back as JSON', async () => {
  const oauth = {
    name: 'oauth2_client_credentials',
    options: {
      token_url: `${url}/token`,
      client_id_secret: 'CLIENT_ID',
      client_secret_secret: 'CLIENT_SECRET',
    },
  }
  await setSecret(twin, user.uid, { name: 'CLIENT_ID', value: 'the-client-id' })
  await setSecret(twin, user.uid, { name: 'CLIENT_SECRET', value: 'the-client-secret' })
  const orders = await push('sg_orders', '/orders', {
    plugin_hooks: [oauth, { name: 'csv_to_json' }],
  })
  const csv = { columns: ['id', 'city'], rows: [{ id: '0150', city: 'Oslo, "N"' }] }
  expect(await call(orders)).toMatchObject({
    content: [{ type: 'text', text: JSON.stringify(csv) }],
    structuredContent: csv,
  })
  const report = await push('sg_report', '/report', {
    plugin_hooks: [oauth, { name: 'xml_to_json', options: { lists: 'item' } }],
    response: { pick: '/report', fail_if: { pointer: '/report/status', equals: 'failed' } },
  })
  expect((await call(report)).structuredContent).toEqual({
    status: 'ok',
    item: [{ '@n': '1', '#text': 'pen' }],
  })
})

test('a bomb of entities is refused and refunded, and a table stays a table', async () => {
  const before = await settledCredits()
  const bomb = await push('sg_bomb', '/bomb', { plugin_hook: 'xml_to_json' })
  const refused = await call(bomb)
  expect(refused.isError).toBe(true)
  expect(JSON.stringify(refused.content)).toContain('declares entities')
  expect(await settledCredits()).toBe(before)
  const page = await push('sg_page', '/page', { plugin_hook: 'html_to_markdown' })
  expect((await call(page)).content).toEqual([
    { type: 'text', text: '| a | b |\n| --- | --- |\n| 1 | 2 |' },
  ])
})

test('a Markdown skill says the same in its YAML block', async () => {
  const text = [
    '# Quota check\n\nAsks for the quota.\n',
    '```yaml',
    'source: official',
    'credits_per_call: 1',
    `endpoint: ${url}/quota`,
    'plugin_hooks: [{ name: csv_to_json }]',
    'response:',
    '  fail_if: [{ contains: quota exceeded }]',
    '  ok_statuses: [404]',
    '  show_headers: [link]',
    '```\n',
    '```json\n{"type":"object","properties":{}}\n```\n',
  ].join('\n')
  const headers = { 'content-type': 'text/markdown', ...bearer(twin.internalApiSecret) }
  const stored = await send(`${twin.admin}/sync_skill`, { method: 'POST', headers, body: text })
  expect([stored.status, stored.json()['warnings']]).toEqual([201, []])
  const result = await call('sg_quota_check')
  expect(result.isError).toBe(true)
  expect(JSON.stringify(result.content)).toContain('it contains')
})
