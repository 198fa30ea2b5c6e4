import { describe, expect, test } from 'vitest'
import { sweepEntryCache } from '../../../../core/flow/execute/sweep-entry-cache.ts'
import {
  SWEEP_FIRST_MINUTES,
  SWEEP_MINUTES_MAX,
  sweepHolds,
} from '../../../../core/flow/execute/sweep-holds.ts'
import { execute, mortal, run, successOf } from '../caller.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, type World } from '../world.ts'

const START_MINUTE = Math.floor(START_MS / 60_000)

/** A world whose sweeps have reached the present, unless `first`. */
async function ready(first?: 'first') {
  const world = makeWorld()
  if (first === undefined) await world.ports.sweepEntries.writeCursor(START_MINUTE)
  const ada = await world.user('ada')
  await world.skill('sg_weather')
  await world.skill('sg_free', { price: 0 })
  return { world, ada }
}

/** Runs a call whose process dies right after its hold was placed. */
async function crashed(world: World, authorization: string) {
  const ledger = mortal(world.ports.ledger, { at: 1, when: 'after' })
  await expect(execute(world, authorization, 'sg_weather', { ledger })).rejects.toThrow('dead')
}

describe('a process that dies', () => {
  const deaths = [1, 2, 3].flatMap((at) =>
    (['before', 'after'] as const).map((when) => ({ at, when })),
  )

  async function die(at: number, when: 'before' | 'after', upstreamStatus: number) {
    const { world, ada } = await ready()
    world.upstream.next({ kind: 'answer', status: upstreamStatus })
    const ledger = mortal(world.ports.ledger, { at, when })
    const executed = execute(world, ada, 'sg_weather', { ledger })
    await executed.then((one) => one.after?.()).catch(() => {})
    return { world, ada }
  }

  test.each(deaths)('the sweep heals a success that dies $when write $at', async ({ at, when }) => {
    const { world } = await die(at, when, 200)
    world.clock.jump(180_000)
    await sweepHolds(world.ports)
    const settled = at === 3 || (at === 2 && when === 'after')
    expect(await world.credits('ada')).toEqual({ free: settled ? 99 : 100, held: 0 })
  })

  test.each(deaths)(
    'the next call heals a success that dies $when write $at',
    async ({ at, when }) => {
      const { world, ada } = await die(at, when, 200)
      world.clock.jump(60_001)
      successOf(await run(world, ada, 'sg_free'))
      const settled = at === 3 || (at === 2 && when === 'after')
      expect(await world.credits('ada')).toEqual({ free: settled ? 99 : 100, held: 0 })
    },
  )

  test.each(deaths)('a failure that dies $when write $at is free', async ({ at, when }) => {
    const { world } = await die(at, when, 500)
    world.clock.jump(180_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a sweep that dies at any of its writes is continued by the next one', async () => {
    for (const { at, when } of deaths.filter((death) => death.at < 3)) {
      const { world, ada } = await ready()
      await crashed(world, ada)
      world.clock.jump(180_000)
      const ledger = mortal(world.ports.ledger, { at, when })
      await sweepHolds({ ...world.ports, ledger }).catch(() => {})
      await sweepHolds(world.ports)
      expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    }
  })
})

describe('the healing of holds', () => {
  test('the healing of holds ends a hold older than 60 s at the next call, and not one of 60 s', async () => {
    const { world, ada } = await ready()
    await crashed(world, ada)
    world.clock.jump(60_000)
    await run(world, ada, 'sg_free')
    expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    world.clock.jump(1)
    await run(world, ada, 'sg_free')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect(world.log.events()).toContain('hold-healed')
  })

  test('the healing of holds leaves a running call alone', async () => {
    const { world, ada } = await ready()
    world.upstream.next({ kind: 'hang' })
    const executed = execute(world, ada, 'sg_weather')
    await world.clock.advance(10_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    await world.clock.advance(5_000)
    await executed
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('the healing of holds leaves a call unpaid that comes back to life after the sweep has refunded it', async () => {
    const { world, ada } = await ready()
    const executed = await execute(world, ada, 'sg_weather')
    world.clock.jump(180_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    await executed.after?.()
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('a sweep entry', () => {
  const entered = async (world: World, minute: number) =>
    (await world.ports.sweepEntries.list(minute, 10)).uids

  test('a sweep entry is written before the hold, once per minute and user', async () => {
    const { world, ada } = await ready()
    let writes = 0
    const { put } = world.ports.sweepEntries
    world.ports.sweepEntries = {
      ...world.ports.sweepEntries,
      put: (what) => {
        writes += 1
        return put(what)
      },
    }
    await run(world, ada, 'sg_weather')
    await run(world, ada, 'sg_weather')
    expect([writes, await entered(world, START_MINUTE)]).toEqual([1, ['ada']])
    world.clock.jump(60_000)
    await run(world, ada, 'sg_weather')
    expect(writes).toBe(2)
  })

  test('a sweep entry that could not be written is tried again, and no hold is placed before it', async () => {
    const { world } = await ready()
    const cache = sweepEntryCache()
    const sweepEntry = { uid: 'ada', minute: START_MINUTE }
    const down = { ...world.ports.sweepEntries, put: () => Promise.reject(new Error('down')) }
    await expect(cache.ensure({ sweepEntries: down }, sweepEntry)).rejects.toThrow('down')
    await cache.ensure(world.ports, sweepEntry)
    expect(await entered(world, START_MINUTE)).toEqual(['ada'])
  })

  test('a sweep entry is not visited while a hold may still be placed under it', async () => {
    const { world, ada } = await ready()
    await run(world, ada, 'sg_free')
    // 40 s of this minute remain, and a hold may be placed until the end of the next.
    world.clock.jump(99_999)
    await sweepHolds(world.ports)
    expect(await entered(world, START_MINUTE)).toEqual(['ada'])
    world.clock.jump(1)
    await sweepHolds(world.ports)
    expect(await entered(world, START_MINUTE)).toEqual([])
  })

  test('a sweep entry leads to a hold that was placed a minute later', async () => {
    const { world, ada } = await ready()
    await sweepHolds(world.ports)
    world.clock.jump(39_999)
    const { hold } = world.ports.ledger
    const slow = {
      ...world.ports.ledger,
      hold: async (request: Parameters<typeof hold>[0]) => {
        world.clock.jump(2)
        await sweepHolds(world.ports)
        const heldAtMs = world.clock.nowMs()
        await hold({ ...request, hold: { ...request.hold, heldAtMs } })
        throw new Error('dies here')
      },
    }
    await expect(execute(world, ada, 'sg_weather', { ledger: slow })).rejects.toThrow('dies here')
    expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    for (let minute = 0; minute < 4; minute += 1) {
      world.clock.jump(60_000)
      await sweepHolds(world.ports)
    }
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a sweep entry stays while the profile has a hold of its time', async () => {
    const { world, ada } = await ready()
    await run(world, ada, 'sg_free')
    world.clock.jump(99_000)
    await crashed(world, ada)
    world.clock.jump(1_000)
    await sweepHolds(world.ports)
    expect(await entered(world, START_MINUTE)).toEqual(['ada'])
    expect(await world.ports.sweepEntries.readCursor()).toBe(START_MINUTE)
    world.clock.jump(60_000)
    await sweepHolds(world.ports)
    expect(await entered(world, START_MINUTE)).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a sweep entry of a user who no longer exists is removed', async () => {
    const { world } = await ready()
    await world.ports.sweepEntries.put({ uid: 'nobody', minute: START_MINUTE })
    world.clock.jump(180_000)
    await sweepHolds(world.ports)
    expect(await entered(world, START_MINUTE)).toEqual([])
  })
})

describe('one sweep', () => {
  test('one sweep begins a day back the first time and visits 200 minutes; the next one continues from there', async () => {
    const { world } = await ready('first')
    expect([SWEEP_FIRST_MINUTES, SWEEP_MINUTES_MAX]).toEqual([1_440, 200])
    const cursors: unknown[] = []
    for (let sweep = 1; sweep <= 9; sweep += 1) {
      await sweepHolds(world.ports)
      cursors.push((await world.ports.sweepEntries.readCursor()) ?? 0)
    }
    const first = START_MINUTE - 2 - 1_440
    expect(cursors.slice(0, 2)).toEqual([first + 200, first + 400])
    expect(cursors.slice(-2)).toEqual([START_MINUTE - 1, START_MINUTE - 1])
  })

  test('one sweep finds an entry of yesterday the first time', async () => {
    const { world, ada } = await ready('first')
    await crashed(world, ada)
    world.clock.jump(1_440 * 60_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('one sweep never moves the cursor back', async () => {
    const { world } = await ready()
    await world.ports.sweepEntries.writeCursor(START_MINUTE + 5)
    expect(await sweepHolds(world.ports)).toEqual({
      profiles: 0,
      holds: 0,
      minutes: 0,
      left: 0,
      backlogMinutes: 0,
    })
    expect(await world.ports.sweepEntries.readCursor()).toBe(START_MINUTE + 5)
  })

  test('one sweep beside another at the same time heals each hold once', async () => {
    const { world, ada } = await ready()
    for (let n = 0; n < 5; n += 1) await crashed(world, ada)
    expect(await world.credits('ada')).toEqual({ free: 95, held: 5 })
    world.clock.jump(180_000)
    await Promise.all([sweepHolds(world.ports), sweepHolds(world.ports), sweepHolds(world.ports)])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})
