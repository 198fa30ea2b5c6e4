// The view of agents and operators while something is down: the store, a function in the middle of
// its work, a setting.

import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type LambdaFunction, startFunction } from '../lambda-function.ts'
import { openBareStream, toolCall } from './agents.ts'
import { creditsAfterwards, creditsBecome, newUser, syncSkills, type User } from './people.ts'
import { bundleOf, type Door, startWorld, type World } from './world.ts'

let world: World
let ada: User
beforeAll(async () => {
  world = await startWorld()
  ada = await newUser(world, 'ada', 10)
  await syncSkills(world)
})
afterAll(() => world.stop())

describe('a store that is down', () => {
  test('is survived by a stream, and the rest is 503 with a time to retry until it is back', async () => {
    const stream = await openBareStream(world, ada.key)
    await stream.post(toolCall(1, 'sg_echo', { text: 'before' }))
    expect(await stream.nextReply()).toMatchObject({ id: 1, result: { isError: false } })
    // The hold is released after the reply; a release that fails is the sweep's.
    expect(await creditsAfterwards(world, ada)).toEqual({ credits: 9.5, creditsOnHold: 0 })
    world.line.cut()
    const call = () =>
      fetch(`${world.executeUrl.url}/v1/execute`, {
        method: 'POST',
        headers: { authorization: `Bearer ${ada.key}`, 'content-type': 'application/json' },
        body: '{"skill":"sg_echo","arguments":{"text":"x"}}',
      })
    const refused = [
      await call(),
      await stream.post(toolCall(2, 'sg_echo', { text: 'meanwhile' })),
      await fetch(`${world.sseUrl.url}/v1/mcp/sse`, {
        headers: { authorization: `Bearer ${ada.key}` },
      }),
    ]
    for (const answer of refused) {
      expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
      expect(await answer.json()).toMatchObject({ code: 'store_unavailable', status: 503 })
    }
    world.line.mend()
    expect((await stream.post(toolCall(3, 'sg_echo', { text: 'after' }))).status).toBe(202)
    expect(await stream.nextReply()).toMatchObject({ id: 3, result: { isError: false } })
    expect((await call()).status).toBe(200)
    stream.leave()
    expect(await creditsAfterwards(world, ada)).toEqual({ credits: 8.5, creditsOnHold: 0 })
    expect(world.sse.timeline.count('failed')).toBe(0)
  })
})

describe('a messages function that dies at work', () => {
  test('leaves no request hanging and no call paid: the stream answers, and voids it by IAM', async () => {
    const bob = await newUser(world, 'bob', 10)
    const stream = await openBareStream(world, bob.key)
    await stream.post(toolCall('lost', 'sg_hold', { step: 'lost' }))
    await world.upstream.arrived('lost')
    await world.messages.killAll()
    const reply = await stream.nextReply()
    expect(reply).toMatchObject({ id: 'lost', error: { code: -32603 } })
    // The stream sends the void by its next heartbeat; it stands against the late success.
    await creditsBecome(world, bob, { credits: 10, creditsOnHold: 0 })
    world.upstream.open('lost')
    expect(await creditsAfterwards(world, bob)).toEqual({ credits: 10, creditsOnHold: 0 })
    stream.leave()
  })
})

describe('a function without its settings', () => {
  const started: LambdaFunction[] = []
  afterAll(() => Promise.all(started.map((fn) => fn.stop())))

  async function initFault(door: Door, env: Record<string, string> = {}): Promise<string> {
    const fn = startFunction({ functionName: door, bundle: bundleOf(door), env })
    started.push(fn)
    const answer = await fn.invoke({})
    return answer.kind === 'failed' ? answer.fault.errorMessage : answer.kind
  }

  test('does not start, and names all missing settings at once', async () => {
    const lines = (await initFault('sse')).split('\n')
    expect(lines).toEqual([
      'The environment does not fit:',
      '  GATEWAY_TABLE: is missing; give a table name',
      '  SESSIONS_TABLE: is missing; give a table name',
      '  MESSAGES_URL: is missing; give the https URL of the function (http only on this machine)',
      '  EXECUTE_IAM_URL: is missing; give the https URL of the function (http only on this machine)',
    ])
    const admin = await initFault('admin', { GATEWAY_TABLE: 'Gateway', HOLDS_MAX: '0' })
    expect(admin.split('\n')).toEqual([
      'The environment does not fit:',
      '  SESSIONS_TABLE: is missing; give a table name',
      '  HOLDS_MAX: is "0"; give a whole number from 1 to 200',
      '  INTERNAL_SECRET_ID: is missing; give the name or ARN of a secret',
      '  ADMIN_SECRET_ID: is missing; give the name or ARN of a secret',
      '  SECRETS_KEY_ID: is missing; give the ARN of a KMS key (arn:aws:kms:REGION:ACCOUNT:key/ID)',
      '  EXECUTE_IAM_URL: is missing; give the https URL of the function (http only on this machine)',
    ])
  })
})
