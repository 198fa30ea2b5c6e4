// The messages bundle: 202 first, then the work, with its call and the charge, and no other work in
// the same environment until its end. Calls here are held up by the upstream, which waits for the
// test.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { openBareStream, toolCall } from './agents.ts'
import { creditsAfterwards, newUser, syncSkills, type User } from './people.ts'
import { startWorld, type World } from './world.ts'

let world: World
let ada: User
beforeAll(async () => {
  world = await startWorld({ messages: { concurrencyMax: 1 } })
  ada = await newUser(world, 'ada', 10)
  await syncSkills(world)
})
afterAll(() => world.stop())

test('the messages door answers 202 before its work is done, and takes the next message only after it', async () => {
  const { timeline } = world.messages
  const stream = await openBareStream(world, ada.key)
  const first = await stream.post(toolCall(1, 'sg_hold', { step: 'one' }))
  expect(first.status).toBe(202)
  await world.upstream.arrived('one')
  const given = await timeline.first('given')
  const requestId = given.requestId ?? ''
  expect(timeline.kinds(requestId)).toEqual(['given', 'prelude', 'responseEnd'])

  // Its only environment still works: the platform refuses, and the agent is told at once.
  const second = await stream.post(toolCall(2, 'sg_hold', { step: 'two' }))
  expect(second.status).toBe(202)
  expect(await stream.nextReply()).toEqual({
    jsonrpc: '2.0',
    id: 2,
    error: { code: -32603, message: 'The gateway could not take this request on. Send it again.' },
  })
  expect(timeline.count('given')).toBe(1)

  world.upstream.open('one')
  expect(await stream.nextReply()).toMatchObject({ id: 1, result: { isError: false } })
  const done = await timeline.first('nextPoll', requestId)
  await stream.post(toolCall(3, 'sg_echo', { text: 'x' }))
  expect(await stream.nextReply()).toMatchObject({ id: 3, result: { isError: false } })
  const givens = timeline.entries.filter(({ kind }) => kind === 'given')
  expect(givens).toHaveLength(2)
  expect(givens[1]?.index).toBeGreaterThan(done.index)
  expect(timeline.count('started')).toBe(1)
  stream.leave()
  expect(await creditsAfterwards(world, ada)).toEqual({ credits: 8.5, creditsOnHold: 0 })
})

test('the messages function makes a call itself, asks no other function, and ends its invocation when the charge is written', async () => {
  const bob = await newUser(world, 'bob', 10)
  const stream = await openBareStream(world, bob.key)
  const before = world.messages.timeline.count('given')
  await stream.post(toolCall('own', 'sg_echo', { text: 'x' }))
  expect(await stream.nextReply()).toMatchObject({ id: 'own', result: { isError: false } })
  await world.messages.whenIdle()
  // Read at once: nothing of the call is left to any other function.
  expect(await creditsAfterwards(world, bob)).toEqual({ credits: 9.5, creditsOnHold: 0 })
  expect(world.messages.timeline.count('given')).toBe(before + 1)
  expect(world.execute.timeline.count('given')).toBe(0)
  expect(world.executeIamUrl.refusals).toEqual([])
  stream.leave()
})

test('the messages function warms up in its start, and its log has nothing of that call', async () => {
  // On a busy machine a warm-up may take longer than a start waits for it, which the log says.
  const lines = world.messages.log().split('\n')
  const others = lines.filter((line) => !line.includes('a warm-up took over'))
  expect(others.filter((line) => line.includes('warm'))).toEqual([])
})
