/** The 15 s guard on an upstream that hangs, and calls that are cancelled while they run. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { balanceOf, createUser } from './admin.ts'
import { type Agent, connectAgent } from './agent.ts'
import { bearer, postJson } from './http.ts'
import { openRawSession } from './raw-session.ts'
import { startTwin, type Twin } from './twin.ts'
import { until, untilTrue } from './wait.ts'

let twin: Twin

beforeAll(async () => {
  twin = await startTwin(['--memory'])
})

afterAll(async () => {
  await twin?.stop()
})

/** Agents of users with 10 credits each. */
async function newAgent(username: string): Promise<{ uid: string; key: string; agent: Agent }> {
  const user = await createUser(twin, { username, credits: 10 })
  return { ...user, agent: await connectAgent(twin.sse, user.key) }
}

test.concurrent('a call that hangs is cut, not before its time, says so, and its credits are back', async ({
  expect,
}) => {
  const { agent, uid } = await newAgent('patient')
  const startedMs = performance.now()
  const calling = agent.call('sg_slow')
  const during = await until(async () => {
    const balance = await balanceOf(twin, uid)
    return balance.onHold > 0 ? balance : undefined
  })
  const called = await calling
  const tookMs = performance.now() - startedMs
  const after = await balanceOf(twin, uid)
  const again = await agent.call('sg_echo', { text: 'still here' })
  await agent.close()
  expect(during).toEqual({ credits: 9, onHold: 1 })
  expect(tookMs).toBeGreaterThan(13_000)
  expect(called.isError).toBe(true)
  expect(called.text).toContain('so the call was stopped')
  expect(called.text).toContain('refunded')
  expect(after).toEqual({ credits: 10, onHold: 0 })
  expect(again.text).toContain('still here')
})

test.concurrent('a REST caller of a skill that hangs gets 504 with the state of the credits', async ({
  expect,
}) => {
  const { key, uid } = await createUser(twin, { username: 'rest', credits: 10 })
  const answer = await postJson(twin.execute, { skill: 'sg_slow' }, bearer(key))
  expect(answer.status).toBe(504)
  expect(answer.json()).toMatchObject({
    code: 'timed_out',
    credits: { charged: 1, refunded: 1, remaining: 10 },
  })
  expect(await balanceOf(twin, uid)).toEqual({ credits: 10, onHold: 0 })
})

test.concurrent('other calls of the session are answered while one hangs', async ({ expect }) => {
  const { agent, uid } = await newAgent('parallel')
  let isCut = false
  const cut = agent.call('sg_slow').finally(() => {
    isCut = true
  })
  await untilTrue(async () => (await balanceOf(twin, uid)).onHold === 1)
  const called = await agent.call('sg_echo', { text: 'meanwhile' })
  expect(isCut).toBe(false)
  expect(called.text).toContain('meanwhile')
  expect((await cut).isError).toBe(true)
  await agent.close()
})

test.concurrent('a cancelled call gives its credits back in seconds and delivers nothing, ever', async ({
  expect,
}) => {
  const { key, uid } = await createUser(twin, { username: 'canceller', credits: 10 })
  const session = await openRawSession(twin.sse, key)
  await session.post(
    '{"jsonrpc":"2.0","id":"gone","method":"tools/call","params":{"name":"sg_slow","arguments":{}}}',
  )
  await untilTrue(async () => (await balanceOf(twin, uid)).onHold === 1)
  const posted = await session.post(
    '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"gone"}}',
  )
  const cancelledMs = performance.now()
  await untilTrue(async () => (await balanceOf(twin, uid)).credits === 10)
  // Past the guard and past the moment when the stream answers what nobody answered.
  await sleep(18_000 - (performance.now() - cancelledMs))
  await session.post('{"jsonrpc":"2.0","id":"next","method":"ping"}')
  await session.message((data) => data.includes('"next"'))
  const after = await balanceOf(twin, uid)
  session.close()
  expect(posted.status).toBe(202)
  expect(session.messages).toEqual(['{"jsonrpc":"2.0","id":"next","result":{}}'])
  expect(after).toEqual({ credits: 10, onHold: 0 })
})

test.concurrent('the official client cancels by its signal and goes on', async ({ expect }) => {
  const { agent, uid } = await newAgent('aborter')
  const abort = new AbortController()
  const calling = agent.client
    .callTool({ name: 'sg_slow', arguments: {} }, undefined, { signal: abort.signal })
    .then(
      () => 'answered',
      () => 'aborted',
    )
  await untilTrue(async () => (await balanceOf(twin, uid)).onHold === 1)
  abort.abort()
  await untilTrue(async () => (await balanceOf(twin, uid)).credits === 10)
  const called = await agent.call('sg_echo', { text: 'next' })
  await agent.close()
  expect(await calling).toBe('aborted')
  expect(called.text).toContain('next')
})

test('calls that were cut or cancelled are no errors of the gateway', () => {
  expect(twin.said()).not.toContain('"level":"ERROR"')
})
