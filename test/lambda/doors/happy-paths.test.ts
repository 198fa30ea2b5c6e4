/**
 * The bundles under AWS's runtime client pass the suite that every host passes, on a platform at its
 * worst: each small chunk of a stream is held until the next write.
 */
import { afterAll, expect, test } from 'vitest'
import { describeHappyPaths } from '../../hosts/happy-paths.ts'
import { hostOf } from './host.ts'
import { startWorld, type World } from './world.ts'

let world: World
afterAll(() => world?.stop())

describeHappyPaths('Lambda', async () => {
  world = await startWorld({ holdLastChunk: true, sse: { concurrencyMax: 40 } })
  return hostOf(world)
})

test('every call from one function to another is allowed', () => {
  expect([...world.messagesUrl.refusals, ...world.executeIamUrl.refusals]).toEqual([])
  expect(world.messages.timeline.count('given')).toBeGreaterThan(0)
})
