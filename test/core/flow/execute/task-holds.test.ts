import { describe, expect, test } from 'vitest'
import { toMinute } from '../../../../core/access/minute.ts'
import { sweepHolds } from '../../../../core/flow/execute/sweep-holds.ts'
import { sweepEntryMs } from '../../../../core/ledger/hold-deadline.ts'
import { holdOf } from '../../../contracts/fresh.ts'
import { run, successOf } from '../caller.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld } from '../world.ts'

const START_MINUTE = Math.floor(START_MS / 60_000)
const TASK_MS = 840_000

/** A user whose task holds a million micro-credits until 14 minutes from now, and then dies. */
async function ready() {
  const world = makeWorld()
  const { ledger, sweepEntries } = world.ports
  await sweepEntries.writeCursor({ minute: START_MINUTE, after: '' })
  const ada = await world.user('ada')
  await world.skill('sg_free', { price: 0 })
  const hold = holdOf(1_000_000, { heldAtMs: START_MS, untilMs: START_MS + TASK_MS })
  await sweepEntries.put({ uid: 'ada', minute: toMinute(sweepEntryMs(hold)) })
  await ledger.hold({ uid: 'ada', callId: 't1', hold, holdsMax: 8 })
  return { world, ada }
}

describe('the hold of a task', () => {
  test('a sweep leaves a task alone until its deadline, and refunds it after that', async () => {
    const { world, ada } = await ready()
    // The call enters its user in this minute, whose sweep finds the hold of the task.
    await run(world, ada, 'sg_free')
    for (let minutes = 1; minutes <= 14; minutes += 1) {
      world.clock.jump(60_000)
      await sweepHolds(world.ports)
      expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    }
    world.clock.jump(60_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    const outcome = await world.ports.ledger.find({ uid: 'ada', callId: 't1' })
    expect(outcome).toMatchObject({ state: 'refunded', reason: 'crashed' })
  })

  test('the next call leaves a task alone at its deadline, and refunds it a millisecond later', async () => {
    const { world, ada } = await ready()
    world.clock.jump(TASK_MS)
    successOf(await run(world, ada, 'sg_free'))
    expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    world.clock.jump(1)
    successOf(await run(world, ada, 'sg_free'))
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a task that settled and died before its release is released after its deadline, and stays charged', async () => {
    const { world } = await ready()
    await world.ports.ledger.decide({
      uid: 'ada',
      callId: 't1',
      skillId: 'sg_weather',
      source: 'official',
      skillVersion: 1,
      state: 'settled',
      reason: undefined,
      amount: 1_000_000,
      placement: 1,
      createdAtMs: START_MS,
      endedAtMs: START_MS + 500_000,
      durationMs: 500_000,
      upstreamStatus: 200,
    })
    world.clock.jump(TASK_MS + 120_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })
})
