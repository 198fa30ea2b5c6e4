import { expect, test } from 'vitest'
import { createSweepDoor } from '../../../lambdas/sweep/door.ts'
import { makeWorld } from '../../core/flow/world.ts'

test('each invocation is one bounded sweep, and reports its work', async () => {
  const world = makeWorld()
  const sweep = createSweepDoor(world.ports)
  const done = { profiles: 0, holds: 0, minutes: 205, left: 0, backlogMinutes: 1_241 }
  expect(await sweep()).toEqual(done)
  expect(world.log.notes).toMatchObject([{ event: 'sweep-done', fields: done }])
})

test('a sweep throws store errors, so that the schedule counts a failure', async () => {
  const world = makeWorld()
  const list = () => Promise.reject(new Error('down'))
  world.ports.sweepEntries = { ...world.ports.sweepEntries, list }
  await expect(createSweepDoor(world.ports)()).rejects.toThrow('down')
})
