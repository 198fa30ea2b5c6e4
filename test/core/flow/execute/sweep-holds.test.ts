import { describe, expect, test } from 'vitest'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { Fault } from '../../../../core/errors.ts'
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
  if (first === undefined)
    await world.ports.sweepEntries.writeCursor({ minute: START_MINUTE, after: '' })
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
    await executed.then((one) => runSteps(one.after)).catch(() => {})
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

  test('one sweep ends the holds of three charged calls whose processes died before the release', async () => {
    const { world, ada } = await ready()
    for (let n = 0; n < 3; n += 1) {
      const ledger = mortal(world.ports.ledger, { at: 3, when: 'before' })
      const { after } = await execute(world, ada, 'sg_weather', { ledger })
      await runSteps(after)
    }
    expect(await world.credits('ada')).toEqual({ free: 97, held: 3 })
    world.clock.jump(180_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 97, held: 0 })
  })

  test('a sweep that dies at any of its writes is continued by the next one', async () => {
    for (const { at, when } of deaths.filter((death) => death.at < 3)) {
      const { world, ada } = await ready()
      await crashed(world, ada)
      world.clock.jump(180_000)
      const ledger = mortal(world.ports.ledger, { at, when })
      await sweepHolds({ ...world.ports, ledger }).catch(() => {})
      world.clock.jump(120_000)
      await sweepHolds(world.ports)
      expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    }
  })
})

describe('the healing of holds', () => {
  test('ends a hold older than 60 s at the next call, and not one of 60 s', async () => {
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

  test('leaves a running call alone', async () => {
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

  test('leaves a call unpaid that comes back to life after the sweep has refunded it', async () => {
    const { world, ada } = await ready()
    const executed = await execute(world, ada, 'sg_weather')
    world.clock.jump(180_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    await runSteps(executed.after)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('a sweep entry', () => {
  const entered = async (world: World, minute: number) =>
    (await world.ports.sweepEntries.list(minute, { after: '', limit: 10 })).entries.map(
      ({ uid }) => uid,
    )

  /** How often the flow entered a user beside a count. */
  function putsOf(world: World): () => number {
    let puts = 0
    const { put } = world.ports.sweepEntries
    world.ports.sweepEntries = {
      ...world.ports.sweepEntries,
      put: (what) => {
        puts += 1
        return put(what)
      },
    }
    return () => puts
  }

  test('is the count of the call, and no write of its own', async () => {
    const { world, ada } = await ready()
    const puts = putsOf(world)
    await run(world, ada, 'sg_weather')
    await run(world, ada, 'sg_weather')
    world.clock.jump(60_000)
    await run(world, ada, 'sg_weather')
    expect(await entered(world, START_MINUTE)).toEqual(['ada'])
    expect(await entered(world, START_MINUTE + 1)).toEqual(['ada'])
    expect(puts()).toBe(0)
  })

  test('a call that could not be counted places no hold', async () => {
    const { world, ada } = await ready()
    const count = () => Promise.reject(new Error('down'))
    const rateCounters = { ...world.ports.rateCounters, count }
    const holds: unknown[] = []
    const ledger = {
      ...world.ports.ledger,
      hold: (what: never) => {
        holds.push(what)
        return Promise.reject(new Error('held'))
      },
    }
    await expect(
      execute({ ...world, ports: { ...world.ports, rateCounters } }, ada, 'sg_weather', { ledger }),
    ).rejects.toThrow('down')
    expect(holds).toEqual([])
  })

  test('a list enters nobody', async () => {
    const { world, ada } = await ready()
    await run(world, ada, 'sg_weather')
    world.clock.jump(60_000)
    await world.ports.rateCounters.count({ keyHash: 'a key', minute: START_MINUTE + 1 })
    expect(await entered(world, START_MINUTE + 1)).toEqual([])
  })

  test.each([
    [9_999, 0],
    [10_000, 1],
  ])(
    'a call that is counted 10 s before the end of a minute and holds %i ms later is entered %i times more, before the hold',
    async (laterMs, more) => {
      const { world, ada } = await ready()
      // The manual clock starts 20 s after a minute began.
      world.clock.jump(30_000)
      const { read } = world.ports.callLookup
      world.ports.callLookup = {
        read: async (query) => {
          const found = await read(query)
          world.clock.jump(laterMs)
          return found
        },
      }
      const puts = putsOf(world)
      const { hold } = world.ports.ledger
      const enteredAtHold: (readonly string[])[] = []
      const ledger = {
        ...world.ports.ledger,
        hold: async (request: Parameters<typeof hold>[0]) => {
          enteredAtHold.push(await entered(world, Math.floor(request.hold.heldAtMs / 60_000)))
          return hold(request)
        },
      }
      await execute(world, ada, 'sg_weather', { ledger })
      expect(enteredAtHold).toEqual([['ada']])
      expect(puts()).toBe(more)
    },
  )

  test('is visited once each hold of its minute is stale, and once only', async () => {
    const { world, ada } = await ready()
    const profiles = async () => (await sweepHolds(world.ports)).profiles
    await run(world, ada, 'sg_free')
    // 40 s of this minute remain, and a hold may be placed until its end.
    world.clock.jump(99_999)
    expect(await profiles()).toBe(0)
    world.clock.jump(1)
    expect(await profiles()).toBe(1)
    expect(await profiles()).toBe(0)
    world.clock.jump(60_000)
    expect(await profiles()).toBe(0)
  })

  test('a hold of the last moment of a minute is ended by the first sweep of that minute', async () => {
    const { world, ada } = await ready()
    world.clock.jump(39_999)
    await crashed(world, ada)
    world.clock.jump(60_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    world.clock.jump(1)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a user with a hold that the store refused to end is entered anew', async () => {
    const { world, ada } = await ready()
    await crashed(world, ada)
    world.clock.jump(180_000)
    const now = Math.floor(world.clock.nowMs() / 60_000)
    const decide = () => Promise.reject(new Fault('store_unavailable', 'down'))
    const ledger = { ...world.ports.ledger, decide }
    expect(await sweepHolds({ ...world.ports, ledger })).toMatchObject({ backlogMinutes: 0 })
    expect(await entered(world, now)).toEqual(['ada'])
    expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    world.clock.jump(120_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('of a user who no longer exists is done', async () => {
    const { world } = await ready()
    await world.ports.sweepEntries.put({ uid: 'nobody', minute: START_MINUTE })
    world.clock.jump(180_000)
    expect(await sweepHolds(world.ports)).toMatchObject({ profiles: 1, backlogMinutes: 0 })
  })
})

describe('one sweep', () => {
  test('begins a day back the first time and visits 200 minutes; the next one continues from there', async () => {
    const { world } = await ready('first')
    expect([SWEEP_FIRST_MINUTES, SWEEP_MINUTES_MAX]).toEqual([1_440, 200])
    const cursors: unknown[] = []
    for (let sweep = 1; sweep <= 9; sweep += 1) {
      await sweepHolds(world.ports)
      cursors.push((await world.ports.sweepEntries.readCursor())?.minute ?? 0)
    }
    const first = START_MINUTE - 2 - 1_440
    expect(cursors.slice(0, 2)).toEqual([first + 200, first + 400])
    expect(cursors.slice(-2)).toEqual([START_MINUTE - 1, START_MINUTE - 1])
  })

  test('finds an entry of yesterday the first time', async () => {
    const { world, ada } = await ready('first')
    await crashed(world, ada)
    world.clock.jump(1_440 * 60_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('never moves the cursor back', async () => {
    const { world } = await ready()
    await world.ports.sweepEntries.writeCursor({ minute: START_MINUTE + 5, after: '' })
    expect(await sweepHolds(world.ports)).toEqual({
      profiles: 0,
      holds: 0,
      minutes: 5,
      left: 0,
      backlogMinutes: 0,
    })
    expect((await world.ports.sweepEntries.readCursor())?.minute).toBe(START_MINUTE + 5)
  })

  test.each([3, 120])(
    'ends a hold that was placed after the clock went back %i minutes',
    async (minutes) => {
      const { world, ada } = await ready()
      world.clock.jump(180_000)
      await sweepHolds(world.ports)
      const cursor = await world.ports.sweepEntries.readCursor()
      world.clock.jump(-minutes * 60_000)
      await crashed(world, ada)
      world.clock.jump(120_000)
      await sweepHolds(world.ports)
      expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
      expect(await world.ports.sweepEntries.readCursor()).toEqual(cursor)
    },
  )

  test('beside another at the same time heals each hold once', async () => {
    const { world, ada } = await ready()
    for (let n = 0; n < 5; n += 1) await crashed(world, ada)
    expect(await world.credits('ada')).toEqual({ free: 95, held: 5 })
    world.clock.jump(180_000)
    await Promise.all([sweepHolds(world.ports), sweepHolds(world.ports), sweepHolds(world.ports)])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})
