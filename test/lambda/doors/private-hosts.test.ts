// Calls to a private host as deployed: execute and mcp invoke the bundle of the caller, whose
// environment has no store, no key and no credential of use; the upstream is reached by it alone.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  askAdmin,
  creditsAfterwards,
  lockedSkill,
  newUser,
  setSecret,
  syncSkill,
  syncSkills,
  type User,
} from './people.ts'
import { postModern } from './posts.ts'
import { startWorld, type World } from './world.ts'

const SECRET = 'correct horse battery staple'
const ARGUMENT = 'the words of an argument'

let world: World
let ada: User
beforeAll(async () => {
  world = await startWorld({ isUpstreamPrivate: true })
  await syncSkills(world)
  await syncSkill(world, lockedSkill(world))
  ada = await newUser(world, 'ada', 10)
  await setSecret(world, ada, { name: 'API_KEY', value: SECRET })
})
afterAll(() => world.stop())

function callerOf({ caller }: World) {
  if (caller === undefined) throw new Error('the world has no caller')
  return caller
}

async function execute(user: User, skill: string, args: object) {
  const response = await fetch(`${world.executeUrl.url}/v1/execute`, {
    method: 'POST',
    headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ skill, arguments: args }),
  })
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) as Record<string, unknown> }
}

describe('a call to a private host', () => {
  test('is made by the caller, for execute, and charged by execute', async () => {
    const before = callerOf(world).api.asked.length
    const called = await execute(ada, 'sg_echo', { text: ARGUMENT })
    expect(called).toMatchObject({ status: 200, body: { credits: { charged: 0.5 } } })
    expect(called.text).toContain(ARGUMENT)
    expect(callerOf(world).api.asked).toHaveLength(before + 1)
    expect(callerOf(world).api.refusals).toEqual([])
    expect((await creditsAfterwards(world, ada)).creditsOnHold).toBe(0)
  })

  test('is made by the caller for mcp, too', async () => {
    const before = callerOf(world).api.asked.length
    const params = { name: 'sg_echo', arguments: { text: ARGUMENT } }
    const called = await postModern(world, ada.key, 'tools/call', params)
    expect(await called.rest()).toEqual([
      expect.objectContaining({ result: expect.objectContaining({ isError: false }) }),
    ])
    expect(callerOf(world).api.asked).toHaveLength(before + 1)
  })

  test('carries a secret that is opened by execute, and by no other function', async () => {
    expect(await execute(ada, 'sg_locked', {})).toMatchObject({ status: 200 })
    expect(world.upstream.authorizations.at(-1)).toBe(`Bearer ${SECRET}`)
  })

  test('is in no log, neither of the function that sends it nor of the caller', async () => {
    await execute(ada, 'sg_locked', {})
    await execute(ada, 'sg_echo', { text: ARGUMENT })
    await world.execute.whenIdle()
    const logs = [world.execute.log(), world.mcp.log(), callerOf(world).fn.log()]
    const base64 = [SECRET, ARGUMENT].map((text) =>
      Buffer.from(text).toString('base64').slice(0, 20),
    )
    for (const text of [SECRET, ARGUMENT, encodeURIComponent(ARGUMENT), ...base64]) {
      expect(logs.filter((log) => log.includes(text))).toEqual([])
    }
  })

  test('that finds no room in the caller is refunded, and nothing reached the host', async () => {
    const asked = world.upstream.asked.length
    const { invoke } = callerOf(world).fn
    // Ten environments are all that the caller may have.
    const held = Array.from({ length: 10 }, (_, nth) => `step-${nth}`).map((step) =>
      invoke(crossing(`${world.upstream.url}/hold?step=${step}`)),
    )
    for (let nth = 0; nth < 10; nth += 1) await world.upstream.arrived(`step-${nth}`)
    const before = await creditsAfterwards(world, ada)
    const failed = await execute(ada, 'sg_echo', { text: ARGUMENT })
    expect(failed.status).toBe(502)
    expect(failed.body['detail']).toContain(
      'is a private host, and the function caller, which reaches it, did not run (TooManyRequestsException)',
    )
    expect(await creditsAfterwards(world, ada)).toEqual(before)
    expect(world.upstream.asked).toHaveLength(asked + 10)
    for (let nth = 0; nth < 10; nth += 1) world.upstream.open(`step-${nth}`)
    await Promise.all(held)
  })
})

function crossing(url: string): object {
  return {
    method: 'GET',
    url,
    headers: {},
    owner: 'o',
    responseBytesMax: 1_000,
    timeoutMs: 100_000,
    wantsHeaders: false,
  }
}

describe('the function caller', () => {
  test('answers no event but one of this gateway, and writes nothing of it', async () => {
    const { fn } = callerOf(world)
    const answer = await fn.invoke({ requestContext: { http: {} }, body: ARGUMENT })
    expect(answer).toMatchObject({ kind: 'buffered', payload: '{}' })
    await fn.whenIdle()
    expect(fn.log()).toContain('crossing-unreadable')
    expect(fn.log()).not.toContain(ARGUMENT)
  })

  test('refuses Lambda’s Runtime API, metadata services and every host that is not listed', async () => {
    const { fn } = callerOf(world)
    for (const url of [
      'http://127.0.0.1:9001/2018-06-01/runtime/invocation/next',
      'http://169.254.169.254/latest/meta-data/',
      'https://example.com/',
    ]) {
      expect(await fn.invoke(crossing(url))).toMatchObject({
        payload: expect.stringContaining('"kind":"refused_target"'),
      })
    }
  })
})

test('a skill of a private host may be pushed, and its dry run says who reaches the host', async () => {
  const run = await askAdmin(world, 'POST', 'skills/official/sg_echo/dry-run', {
    body: { arguments: { text: 'x' } },
  })
  expect(JSON.stringify(run.body)).toContain('the function caller reaches it')
})
