// From an agent through sse and messages to an upstream and back, several at once, each
// door in environments of its own; and the credits afterwards.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { callTool, connectClient } from './agents.ts'
import { creditsAfterwards, newUser, syncSkills } from './people.ts'
import { startWorld, type World } from './world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
  await syncSkills(world)
})
afterAll(() => world.stop())

test('three agents at once run in environments of their own and never see each other', async () => {
  const names = ['bob', 'cyd', 'dee']
  const users = await Promise.all(names.map((name) => newUser(world, name, 2)))
  const clients = await Promise.all(users.map((user) => connectClient(world, user.key)))
  const calls = clients.map((client, i) => callTool(client, 'sg_hold', { step: names[i] ?? '' }))
  await Promise.all(names.map((name) => world.upstream.arrived(name)))
  const busy = (door: 'sse' | 'messages') =>
    world[door].environments().filter(({ state }) => state === 'busy').length
  expect(busy('messages')).toBe(3)
  expect(world.execute.timeline.count('given')).toBe(0)
  expect(busy('sse')).toBeGreaterThanOrEqual(3)
  // Last in, first out: an answer must find its own stream, whatever the order of the requests.
  for (const name of names.toReversed()) world.upstream.open(name)
  const texts = (await Promise.all(calls)).map(({ text }) => text)
  expect(texts).toEqual(['{"step":"bob"}', '{"step":"cyd"}', '{"step":"dee"}'])
  const left = await Promise.all(users.map((user) => creditsAfterwards(world, user)))
  expect(left).toEqual(users.map(() => ({ credits: 1, creditsOnHold: 0 })))
  await Promise.all(clients.map((client) => client.close()))
})
