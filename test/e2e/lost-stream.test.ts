/** Cut streams, clients that leave, and POSTs to sessions that do not exist. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectAgent } from './agent.ts'
import { type Cutter, startCutter } from './cutter.ts'
import { postJson, send } from './http.ts'
import { openRawSession } from './raw-session.ts'
import { startTwin, type Twin } from './twin.ts'
import { untilTrue } from './wait.ts'

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
const UNKNOWN_SESSION = 'A'.repeat(43)

let twin: Twin
let cutter: Cutter

beforeAll(async () => {
  twin = await startTwin(['--memory'])
  cutter = await startCutter(twin.port)
})

afterAll(async () => {
  await cutter?.stop()
  await twin?.stop()
})

test('the client itself reopens a stream that is cut, and calls go on without a new initialize', async () => {
  const agent = await connectAgent(cutter.sse, twin.key)
  await agent.call('sg_echo', { text: 'before' })
  const before = agent.endpoint()
  cutter.cut()
  await untilTrue(() => agent.endpoint() !== before)
  const called = await agent.call('sg_echo', { text: 'after' })
  const names = await agent.toolNames()
  const old = await send(String(before), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: PING,
  })
  await agent.close()
  expect(called).toMatchObject({ isError: false })
  expect(called.text).toContain('after')
  expect(names).toContain('sg_weather')
  expect(agent.posted.filter((method) => method === 'initialize')).toEqual(['initialize'])
  expect(old.status).toBe(404)
})

test('a call whose stream is cut is not answered on the next stream, which begins empty', async () => {
  const agent = await connectAgent(cutter.sse, twin.key)
  const lost = agent.call('sg_slow', { seconds: 2 }).then(
    () => 'answered',
    () => 'never answered',
  )
  const before = agent.endpoint()
  cutter.cut()
  await untilTrue(() => agent.endpoint() !== before)
  const called = await agent.call('sg_slow', { seconds: 2 })
  await agent.close()
  expect(called.isError).toBe(false)
  expect(await lost).toBe('never answered')
})

test('after a client has left, its session gets 404 and the other sessions go on', async () => {
  const staying = await connectAgent(twin.sse, twin.key)
  const leaving = await openRawSession(twin.sse, twin.key)
  leaving.close()
  await untilTrue(async () => (await leaving.post(PING)).status === 404)
  const answer = await leaving.post(PING)
  const called = await staying.call('sg_echo', { text: 'still here' })
  await staying.close()
  expect(answer.headers['content-type']).toContain('application/problem+json')
  expect(answer.json()).toMatchObject({ code: 'not_found', status: 404 })
  expect(String(answer.json()['detail'])).toContain('GET /v1/mcp/sse')
  expect(called.text).toContain('still here')
})

test('a POST to an unknown session gets 404 and says what to do', async () => {
  const answer = await postTo(`?session_id=${UNKNOWN_SESSION}`)
  expect(answer.status).toBe(404)
  expect(answer.json()).toMatchObject({ code: 'not_found' })
  expect(String(answer.json()['detail'])).toContain('session_id')
})

test.each([
  ['is missing', ''],
  ['is empty', '?session_id='],
  ['has 42 characters', `?session_id=${'A'.repeat(42)}`],
  ['has 44 characters', `?session_id=${'A'.repeat(44)}`],
  ['has a character that no id has', `?session_id=${'A'.repeat(42)}%2F`],
  ['is a path', '?session_id=..%2F..%2Fetc%2Fpasswd'],
  ['has 9,000 characters', `?session_id=${'A'.repeat(9_000)}`],
])('a session_id that %s gets 400 before the body is read', async (_what, query) => {
  const answer = await postTo(query)
  expect(answer.status).toBe(400)
  expect(answer.json()).toMatchObject({ code: 'malformed' })
  expect(String(answer.json()['detail'])).toContain('session_id: ')
})

test.each([
  ['POST', '/v1/mcp/sse', 'GET'],
  ['PUT', '/v1/mcp/sse', 'GET'],
  ['GET', `/v1/mcp/messages?session_id=${UNKNOWN_SESSION}`, 'POST'],
  ['DELETE', `/v1/mcp/messages?session_id=${UNKNOWN_SESSION}`, 'POST'],
])(
  'the request %s %s gets 405 and the methods that the path takes',
  async (method, path, allow) => {
    const answer = await send(new URL(path, twin.url), { method })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe(allow)
  },
)

function postTo(query: string) {
  const url = new URL(`/v1/mcp/messages${query}`, twin.url)
  return postJson(url, { jsonrpc: '2.0', id: 1, method: 'ping' })
}
