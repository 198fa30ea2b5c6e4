/**
 * The main journey with the official client: connect, list, call, and every way a call can fail.
 */
import {
  EmptyResultSchema,
  ToolListChangedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listWith } from '../core/flow/built-in.ts'
import { balanceOf, createUser, syncSkill } from './admin.ts'
import { type Agent, connectAgent } from './agent.ts'
import { readJsonObject } from './fields.ts'
import { startTwin, type Twin } from './twin.ts'

let twin: Twin
let agent: Agent

beforeAll(async () => {
  twin = await startTwin(['--memory', '--calls-per-minute', '10000'])
  agent = await connectAgent(twin.sse, twin.key)
})

afterAll(async () => {
  await agent?.close()
  await twin?.stop()
})

/** A user of its own where a test compares balances: another test's call must not move them. */
async function newAgent(username: string, credits: number) {
  const user = await createUser(twin, { username, credits })
  return { ...user, agent: await connectAgent(twin.sse, user.key) }
}

test('the list names the sample skills and the built-in tools, each once', async () => {
  const fresh = await newAgent('lister', 0)
  const names = await fresh.agent.toolNames()
  await fresh.agent.close()
  const ofOtherTests = ['sg_broken', 'sg_fresh']
  expect(names.filter((name) => !ofOtherTests.includes(name)).toSorted()).toEqual(
    listWith('sg_echo', 'sg_slow', 'sg_weather'),
  )
})

test('sg_account tells the agent its own balance', async () => {
  const owner = await newAgent('owner', 7.25)
  const called = await owner.agent.call('sg_account')
  await owner.agent.close()
  expect(called.isError).toBe(false)
  expect(readJsonObject(called.text)).toMatchObject({
    username: 'owner',
    tier: 'free',
    credits: 7.25,
    limits: { calls_per_minute: 10000, calls_in_flight: 32 },
  })
})

test('a failing upstream gives an error result, and costs nothing', async () => {
  const tool = await syncSkill(twin, { id: 'sg_broken', at: 'fail?status=500', price: 3 })
  const unlucky = await newAgent('unlucky', 5)
  const called = await unlucky.agent.call(tool)
  const balance = await balanceOf(twin, unlucky.uid)
  await unlucky.agent.close()
  expect(called.isError).toBe(true)
  expect(called.text).toContain('500')
  expect(called.text).toContain('refunded')
  expect(balance).toEqual({ credits: 5, onHold: 0 })
})

test('an empty balance gives an error result, and the upstream is not called', async () => {
  const poor = await newAgent('poor', 0.25)
  const called = await poor.agent.call('sg_weather', { city: 'Oslo' })
  const balance = await balanceOf(twin, poor.uid)
  await poor.agent.close()
  expect(called.isError).toBe(true)
  expect(called.text).toContain('credits')
  expect(called.text).not.toContain('Oslo')
  expect(balance).toEqual({ credits: 0.25, onHold: 0 })
})

test('20 calls at once on one session are answered once each, each with its own result', async () => {
  const busy = await newAgent('busy', 100)
  const cities = Array.from({ length: 20 }, (_, i) => `City ${i}`)
  const called = await Promise.all(cities.map((city) => busy.agent.call('sg_weather', { city })))
  const balance = await balanceOf(twin, busy.uid)
  await busy.agent.close()
  expect(called.map(({ text }) => readJsonObject(text)['city'])).toEqual(cities)
  expect(balance.credits).toBe(90)
})

test('the server answers pings of the client', async () => {
  expect(await agent.client.ping()).toEqual({})
})

test('an unknown method gives the JSON-RPC error -32601', async () => {
  const asked = agent.client.request({ method: 'completion/complete' }, EmptyResultSchema)
  const error: unknown = await asked.catch((cause: unknown) => cause)
  expect(error).toMatchObject({ code: -32601 })
})

test('open agents are told that the list has changed, and find the new tool in it', async () => {
  const changed = new Promise<void>((resolve) => {
    agent.client.setNotificationHandler(ToolListChangedNotificationSchema, () => resolve())
  })
  const tool = await syncSkill(twin, { id: 'sg_fresh', at: 'joke' })
  await changed
  expect(await agent.toolNames()).toContain('sg_fresh')
  expect((await agent.call(tool)).text).toContain('joke')
})
