// The messages bundle: 202 first, then the work, and no other work in the same environment until
// its end. Calls here are held up by the upstream, which waits for the test.

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
