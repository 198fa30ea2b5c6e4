/** Events of low balances and reached budgets, from calls, grants and the sweep. */

import { beforeEach, describe, expect, test } from 'vitest'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { Fault } from '../../../../core/errors.ts'
import { recordCrossings } from '../../../../core/flow/events/note-crossings.ts'
import { recordUserCrossings } from '../../../../core/flow/events/note-user.ts'
import { sweepHolds } from '../../../../core/flow/execute/sweep-holds.ts'
import { grantCredits } from '../../../../core/flow/users/grant-credits.ts'
import type { Json } from '../../../../core/json/json.ts'
import { execute, run } from '../caller.ts'
import { makeWorld, okOf, SETTINGS, type World } from '../world.ts'

const CREDIT = 1_000_000
const EVENTS = { lowBalance: 5 * CREDIT }

let world: World
let key: string

beforeEach(async () => {
  world = makeWorld({ ...SETTINGS, events: EVENTS })
  key = await world.user('ada', { credits: 7 })
  await world.skill('sg_weather')
})

async function eventsOf(where = world): Promise<readonly { type: string; data: Json }[]> {
  const { events } = await where.ports.events.list({ state: 'pending', limit: 100 })
  return events.map(({ data, type }) => ({ type, data }))
}

const low = (balance: number) => ({
  type: 'low_balance',
  data: { uid: 'ada', balance, threshold: 5 },
})
let grants = 0
async function grant(amount: number): Promise<void> {
  grants += 1
  const body = { grantId: `g${grants}`, amount, reason: 'a test', allowNegative: true }
  okOf(await grantCredits(world.ports, 'ada', body))
  await recordUserCrossings(world.ports, EVENTS, 'ada')
}

describe('a low balance', () => {
  test('is one event when a call takes it to the threshold, and no further one below it', async () => {
    await run(world, key, 'sg_weather')
    expect(await eventsOf()).toEqual([])
    for (let call = 0; call < 3; call += 1) await run(world, key, 'sg_weather')
    expect(await eventsOf()).toEqual([low(5)])
  })

  test('is one more event after a grant above the threshold, and none after a grant below it', async () => {
    for (let call = 0; call < 3; call += 1) await run(world, key, 'sg_weather')
    expect(await eventsOf()).toEqual([low(5)])
    await grant(1)
    await run(world, key, 'sg_weather')
    expect(await eventsOf()).toHaveLength(1)
    await grant(2)
    expect(await world.profile('ada')).not.toHaveProperty('lowBalanceTold')
    for (let call = 0; call < 2; call += 1) await run(world, key, 'sg_weather')
    expect(await eventsOf()).toEqual([low(5), low(5)])
  })

  test('is an event when a correction takes it below, and when the threshold is raised above it', async () => {
    await grant(-3)
    expect(await eventsOf()).toEqual([low(4)])
    await world.ports.profiles.change('ada', { lowBalanceAt: 3 * CREDIT })
    await recordUserCrossings(world.ports, EVENTS, 'ada')
    await world.ports.profiles.change('ada', { lowBalanceAt: 9 * CREDIT })
    await recordUserCrossings(world.ports, EVENTS, 'ada')
    const raised = { type: 'low_balance', data: { uid: 'ada', balance: 4, threshold: 9 } }
    // Both events may have the same millisecond, within which no order is promised.
    const found = await eventsOf()
    expect(found).toHaveLength(2)
    expect(found).toEqual(expect.arrayContaining([low(4), raised]))
  })

  test('is no event for calls that fail, whatever is on hold beside them', async () => {
    await grant(-1)
    await run(world, key, 'sg_weather', { ledger: neverReleasing() })
    expect(await world.credits('ada')).toEqual({ free: 5, held: 1 })
    world.upstream.next({ kind: 'answer', status: 500, body: '{}' })
    await run(world, key, 'sg_weather')
    expect(await eventsOf()).toEqual([])
  })

  test('that a call has crossed is found by the sweep when its process died before it was recorded', async () => {
    await run(world, key, 'sg_weather')
    const executed = execute(world, key, 'sg_weather')
    await world.clock.settle()
    const { ledger } = world.ports
    world.ports.ledger = {
      ...ledger,
      release: async (of) => {
        await ledger.release(of)
        throw new Fault('store_unavailable', 'the process died here')
      },
    }
    await runSteps((await executed).after)
    world.ports.ledger = ledger
    expect([await eventsOf(), (await world.credits('ada')).free]).toEqual([[], 5])
    await world.clock.advance(180_000)
    for (let sweep = 0; sweep < 2; sweep += 1) {
      await sweepHolds(world.ports, EVENTS)
      expect(await eventsOf()).toEqual([low(5)])
    }
  })

  test('is looked for again by the next sweep when it could not be recorded', async () => {
    await world.ports.profiles.change('ada', { lowBalanceAt: 99 * CREDIT })
    const { events } = world.ports
    const broken = {
      ...events,
      record: () => Promise.reject(new Fault('store_unavailable', 'down')),
    }
    world.ports.events = broken
    await run(world, key, 'sg_weather')
    await world.clock.advance(180_000)
    await sweepHolds(world.ports, EVENTS)
    expect(world.log.events()).toContain('event-not-recorded')
    world.ports.events = events
    // The user was entered anew, in the present minute.
    await world.clock.advance(120_000)
    await sweepHolds(world.ports, EVENTS)
    expect(await eventsOf()).toHaveLength(1)
  })

  test('beside a mark of before is one more event only for who saw the balance above since', async () => {
    const { events, profiles } = world.ports
    await grant(-3)
    const [first] = (await events.list({ state: 'pending', limit: 1 })).events
    const told = first?.eventId ?? ''
    // The process that granted these credits died before it removed the note that the low balance was told.
    await world.ports.ledger.grant({
      uid: 'ada',
      grantId: 'late',
      amount: 3 * CREDIT,
      creditsMax: 9e12,
      nowMs: 1,
    })
    const before = await world.profile('ada')
    expect([before.credits, before.lowBalanceTold]).toEqual([7 * CREDIT, told])
    await grantCredits(world.ports, 'ada', { grantId: 'down', amount: -4, reason: 'a test' })
    const profile = await world.profile('ada')
    await recordCrossings(world.ports, EVENTS, { profile })
    expect(await eventsOf()).toHaveLength(1)
    await recordCrossings(world.ports, EVENTS, { profile, before })
    expect(await eventsOf()).toHaveLength(2)
    // As after a late answer of another release: the crossing has been recorded already.
    const now = (await profiles.read('ada')) ?? profile
    await recordCrossings(world.ports, EVENTS, { profile: now, before })
    expect(await eventsOf()).toHaveLength(2)
  })

  test('is no event where the stage sends none, for a disabled user, or for a free call', async () => {
    const silent = makeWorld()
    const other = await silent.user('ada', { credits: 1 })
    await silent.skill('sg_weather')
    await run(silent, other, 'sg_weather')
    expect(await eventsOf(silent)).toEqual([])
    expect(await silent.profile('ada')).not.toHaveProperty('lowBalanceTold')
    await world.skill('sg_free', { price: 0 })
    await world.ports.profiles.change('ada', { lowBalanceAt: 99 * CREDIT })
    await run(world, key, 'sg_free')
    const disabled = { state: 'disabled', reason: 'unpaid', sinceMs: 1 } as const
    await world.ports.profiles.change('ada', { disabled })
    await recordUserCrossings(world.ports, EVENTS, 'ada')
    expect(await eventsOf()).toEqual([])
  })
})

describe('a reached budget', () => {
  const budget = async (credits: number) => {
    const change = { limit: credits * CREDIT, nowMs: world.clock.nowMs() }
    await world.ports.profiles.changeBudget({ uid: 'ada', change })
  }
  const reached = (more: object) => ({
    type: 'budget_reached',
    data: expect.objectContaining({ uid: 'ada', ...more }),
  })

  beforeEach(async () => {
    await world.ports.profiles.change('ada', { lowBalanceAt: 0 })
  })

  test('is one event when a call spends the last of it', async () => {
    await budget(2)
    for (let call = 0; call < 4; call += 1) await run(world, key, 'sg_weather')
    expect(await eventsOf()).toEqual([reached({ limit: 2, spent: 2, month: '2033-05' })])
  })

  test('is one event when it refuses a call, even if a cheaper one would fit', async () => {
    await budget(2.5)
    await world.skill('sg_dear', { price: 3 })
    for (let call = 0; call < 3; call += 1) await run(world, key, 'sg_dear')
    expect(await eventsOf()).toEqual([reached({ limit: 2.5, spent: 0, renewsOn: '2033-06-01' })])
  })

  test('reads no profile for the calls that it refuses once the month has its event', async () => {
    await budget(0)
    await run(world, key, 'sg_weather')
    expect(await eventsOf()).toHaveLength(1)
    let reads = 0
    const { read } = world.ports.profiles
    world.ports.profiles = {
      ...world.ports.profiles,
      read: (uid) => {
        reads += 1
        return read(uid)
      },
    }
    await run(world, key, 'sg_weather')
    expect([reads, (await eventsOf()).length]).toEqual([0, 1])
  })

  test('is one event in the next month, and one for a raised limit', async () => {
    await budget(1)
    for (let call = 0; call < 2; call += 1) await run(world, key, 'sg_weather')
    await world.clock.advance(1_000)
    await budget(2)
    for (let call = 0; call < 2; call += 1) await run(world, key, 'sg_weather')
    expect((await eventsOf()).length).toBe(2)
    await world.clock.advance(31 * 86_400_000)
    const renewed = await issued()
    for (let call = 0; call < 3; call += 1) await run(world, renewed, 'sg_weather')
    expect(await eventsOf()).toEqual([
      reached({ month: '2033-05', limit: 1 }),
      reached({ month: '2033-05', limit: 2 }),
      reached({ month: '2033-06', limit: 2 }),
    ])
  })

  test('of a key names the key', async () => {
    const [one] = await world.ports.keys.list('ada')
    const keyHash = one?.keyHash ?? ''
    const change = { limit: CREDIT, nowMs: world.clock.nowMs() }
    await world.ports.profiles.changeKeyLimits({
      uid: 'ada',
      keyHash,
      change: { budget: change },
      listKeys: async () => [keyHash],
    })
    for (let call = 0; call < 2; call += 1) await run(world, key, 'sg_weather')
    expect(await eventsOf()).toEqual([reached({ keyId: keyHash, limit: 1, spent: 1 })])
  })
})

describe('the calls of a day that are used up', () => {
  const reached = (more: object) => ({
    type: 'daily_calls_reached',
    data: expect.objectContaining({ uid: 'ada', ...more }),
  })
  const limited = async (limit: number) => {
    const [one] = await world.ports.keys.list('ada')
    const keyHash = one?.keyHash ?? ''
    const change = { day: { limit, nowMs: world.clock.nowMs() } }
    const listKeys = async () => [keyHash]
    await world.ports.profiles.changeKeyLimits({ uid: 'ada', keyHash, change, listKeys })
    return keyHash
  }

  beforeEach(async () => {
    await world.ports.profiles.change('ada', { lowBalanceAt: 0 })
    await world.skill('sg_free', { price: 0 })
  })

  test.each(['sg_weather', 'sg_free'])('are one event of the key and day, by %s', async (skill) => {
    const keyId = await limited(2)
    for (let call = 0; call < 4; call += 1) await run(world, key, skill)
    expect(await eventsOf()).toEqual([
      reached({ keyId, day: '2033-05-18', limit: 2, calls: 2, renewsOn: '2033-05-19' }),
    ])
  })

  test('are an event if the last call failed and the next one is refused', async () => {
    const keyId = await limited(1)
    world.upstream.next({ kind: 'answer', status: 500 })
    await run(world, key, 'sg_weather')
    expect(await eventsOf()).toEqual([])
    await run(world, key, 'sg_weather')
    expect(await eventsOf()).toEqual([reached({ keyId, calls: 1 })])
  })

  test('are an event in the next day again, and after a raised limit', async () => {
    await limited(1)
    for (let call = 0; call < 2; call += 1) await run(world, key, 'sg_weather')
    await world.clock.advance(1_000)
    await limited(2)
    for (let call = 0; call < 2; call += 1) await run(world, key, 'sg_weather')
    await world.clock.advance(86_400_000)
    for (let call = 0; call < 3; call += 1) await run(world, key, 'sg_weather')
    expect(await eventsOf()).toEqual([
      reached({ day: '2033-05-18', limit: 1 }),
      reached({ day: '2033-05-18', limit: 2 }),
      reached({ day: '2033-05-19', limit: 2 }),
    ])
  })
})

/** A key issued this month has expired by the next one. */
async function issued(): Promise<string> {
  const { keyFor } = await import('../world.ts')
  return keyFor(world, 'ada')
}

/** The process dies between the hold and its end. */
function neverReleasing() {
  const down = () => Promise.reject(new Fault('store_unavailable', 'down'))
  return { ...world.ports.ledger, decide: down, release: down }
}

test('an event is recorded after the answer, also for a call with an Idempotency-Key', async () => {
  await grant(-1)
  for (const idempotencyKey of [undefined, 'key-1']) {
    await world.ports.profiles.change('ada', { lowBalanceAt: 99 * CREDIT })
    const before = (await eventsOf()).length
    const told = (await world.profile('ada')).lowBalanceTold
    if (told !== undefined) await world.ports.events.rearm({ uid: 'ada', told })
    const more = idempotencyKey === undefined ? {} : { idempotencyKey }
    const executed = execute(world, key, 'sg_weather', more)
    await world.clock.settle()
    const { after, answer } = await executed
    expect([answer.kind, (await eventsOf()).length]).toEqual(['success', before])
    await runSteps(after)
    expect((await eventsOf()).length).toBe(before + 1)
  }
})
