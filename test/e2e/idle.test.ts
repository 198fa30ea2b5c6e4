/**
 * Streams without traffic for minutes, observed with a clock that runs 12 times as fast: the server
 * pings after a minute, and ends a stream whose client does not answer.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { connectAgent } from './agent.ts'
import { startCutter } from './cutter.ts'
import { send } from './http.ts'
import { openRawSession } from './raw-session.ts'
import { startTwin, type Twin } from './twin.ts'
import { untilTrue } from './wait.ts'

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
let twin: Twin

beforeAll(async () => {
  twin = await startTwin(['--memory'], { clock: 'fast' })
})

afterAll(async () => {
  await twin?.stop()
})

test.concurrent('an idle client that answers pings keeps its stream past three minutes', async ({
  expect,
}) => {
  const agent = await connectAgent(twin.sse, twin.key)
  const endpoint = agent.endpoint()
  const pings = () => agent.posted.filter((method) => method === 'response').length
  await untilTrue(() => pings() >= 3)
  const called = await agent.call('sg_echo', { text: 'awake' })
  await agent.close()
  expect(called.text).toContain('awake')
  expect(agent.endpoint()).toBe(endpoint)
})

test.concurrent('a stream whose client answers no ping is ended, and its session is 404', async ({
  expect,
}) => {
  const session = await openRawSession(twin.sse, twin.key)
  const openedMs = performance.now()
  const first = await session.message(() => true)
  await session.ended
  const tookMs = performance.now() - openedMs
  const posted = await session.post(PING)
  expect(JSON.parse(first)).toMatchObject({ jsonrpc: '2.0', method: 'ping' })
  expect(session.messages.length).toBeLessThanOrEqual(3)
  // 180 s of the twin's clock are 15 s here.
  expect(tookMs).toBeGreaterThan(14_500)
  expect(posted.status).toBe(404)
})

test.concurrent('a client that vanishes without closing loses its session all the same', async ({
  expect,
}) => {
  const cutter = await startCutter(twin.port)
  const session = await openRawSession(cutter.sse, twin.key)
  const postUrl = session.postUrl.replace(new URL(cutter.sse).origin, twin.url)
  cutter.lose()
  await session.ended
  await sleep(1_000)
  const openAfterLoss = cutter.openToTwin()
  // A POST is a sign of life, so the session is asked only once, when its stream has been ended.
  await untilTrue(() => cutter.openToTwin() === 0)
  const posted = await send(postUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: PING,
  })
  await cutter.stop()
  expect(openAfterLoss).toBe(1)
  expect(posted.status).toBe(404)
})

test.concurrent('an anonymous stream may be quiet for one minute, and is ended before a user’s of the same age', async ({
  expect,
}) => {
  const user = await openRawSession(twin.sse, twin.key)
  const anonymous = await openRawSession(twin.sse)
  const openedMs = performance.now()
  const first = await Promise.race([
    anonymous.ended.then(() => 'anonymous'),
    user.ended.then(() => 'user'),
  ])
  const tookMs = performance.now() - openedMs
  user.close()
  expect(first).toBe('anonymous')
  expect(tookMs).toBeGreaterThan(4_500)
})

test('idle streams that ended are no errors of the gateway', () => {
  expect(twin.said()).not.toContain('"level":"ERROR"')
})
