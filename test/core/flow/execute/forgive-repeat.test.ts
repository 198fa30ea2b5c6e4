import { beforeEach, describe, expect, test } from 'vitest'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { voidCall } from '../../../../core/flow/execute/void-call.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { type CallOptions, execute, run, successOf } from '../caller.ts'
import { START_MS } from '../manual-clock.ts'
import { keyFor, makeWorld, type World } from '../world.ts'

const SKILL = 'sg_weather'
const RULE: JsonObject = { repeat: { forgive_within_sec: 10 } }
/** The price of the skill is 1 of the 100 credits that a user has. */
let world: World
let ada: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  await world.skill(SKILL, { config: RULE })
})

const OSLO: CallOptions = { args: { city: 'Oslo', units: { speed: 'kn', heat: 'C' } } }
async function call(options: CallOptions = OSLO, skill = SKILL, key = ada) {
  const answer = await run(world, key, skill, options)
  await world.clock.advance(100)
  return answer
}

const free = async () => (await world.credits('ada')).free

async function endings(): Promise<readonly (string | undefined)[]> {
  const { outcomes } = await world.ports.ledger.list({ uid: 'ada', limit: 100 })
  return outcomes.map(({ reason, state }) => reason ?? state).reverse()
}

describe('of two equal calls', () => {
  test('the second one runs, says that it was charged, and is free', async () => {
    await call()
    await world.clock.advance(9_000)
    const second = successOf(await call())
    expect(second.credits).toEqual({ charged: 1, refunded: 0, remaining: 98 })
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
    expect(await endings()).toEqual(['settled', 'repeat'])
    expect(world.upstream.requests).toHaveLength(2)
  })

  test('the second one is paid once the time of the skill is over', async () => {
    await call()
    await world.clock.advance(9_901)
    await call()
    expect(await free()).toBe(98)
  })

  test('the second one is free at the last millisecond of the time', async () => {
    await call()
    await world.clock.advance(9_900)
    await call()
    expect(await free()).toBe(99)
  })

  test('the order of the arguments does not matter', async () => {
    await call()
    await call({ args: { units: { heat: 'C', speed: 'kn' }, city: 'Oslo' } })
    expect(await endings()).toEqual(['settled', 'repeat'])
  })

  test('both are paid if they run at the same time', async () => {
    world.upstream.next({ kind: 'answer', afterMs: 500 })
    const first = execute(world, ada, SKILL, OSLO)
    await world.clock.advance(400)
    const second = await execute(world, ada, SKILL, OSLO)
    await world.clock.advance(100)
    await runSteps((await first).after)
    await runSteps(second.after)
    expect(await free()).toBe(98)
  })

  test('the second one is paid if the first one failed', async () => {
    world.upstream.next({ kind: 'answer', status: 500 })
    await call()
    await call()
    expect(await free()).toBe(99)
    expect(await endings()).toEqual(['upstream_failed', 'settled'])
  })

  test('the second one is paid if the first one was voided', async () => {
    const { body } = await call()
    await voidCall(world.ports, { uid: 'ada', callId: body.callId ?? '', reason: 'void' })
    await call()
    expect(await endings()).toEqual(['void', 'settled'])
  })
})

describe('a paid call', () => {
  test('forgives one later call, so every second call of a client that polls is paid', async () => {
    for (let times = 0; times < 6; times += 1) {
      await call()
      await world.clock.advance(1_000)
    }
    expect(await endings()).toEqual(['settled', 'repeat', 'settled', 'repeat', 'settled', 'repeat'])
    expect(await free()).toBe(97)
  })

  test('forgives one of two calls that arrive together', async () => {
    await call()
    const two = await Promise.all([
      execute(world, ada, SKILL, OSLO),
      execute(world, ada, SKILL, OSLO),
    ])
    await Promise.all(two.map(({ after }) => runSteps(after)))
    expect(await free()).toBe(98)
  })

  test('stays paid when it is voided after it forgave a call', async () => {
    const { body } = await call()
    await call()
    await voidCall(world.ports, { uid: 'ada', callId: body.callId ?? '', reason: 'void' })
    expect(await endings()).toEqual(['settled', 'repeat'])
    expect(await free()).toBe(99)
  })

  test.each<readonly [string, () => Promise<unknown>]>([
    ['other arguments', () => call({ args: { city: 'Rome' } })],
    ['another type of an argument', () => call({ args: { city: 1 } })],
    ['another skill', () => call(OSLO, 'sg_other')],
  ])('does not forgive a call with %s', async (_what, other) => {
    await world.skill('sg_other', { config: RULE })
    await call({ args: { city: '1' } })
    await call()
    await other()
    expect(await endings()).toEqual(['settled', 'settled', 'settled'])
  })

  test('does not forgive a call of another key of the user', async () => {
    const other = await keyFor(world, 'ada')
    await call()
    await call(OSLO, SKILL, other)
    expect(await free()).toBe(98)
  })

  test('does not forgive a call of a later version of the skill', async () => {
    await call()
    await world.skill(SKILL, { config: { ...RULE, timeout_ms: 9_000 } })
    await call()
    expect(await free()).toBe(98)
  })

  test('forgives a call with 19 others between, and not with 20', async () => {
    await call()
    for (let times = 0; times < 19; times += 1) await call({ args: { city: `c${times}` } })
    await call()
    expect((await endings()).at(-1)).toBe('repeat')
    for (let times = 0; times < 20; times += 1) await call({ args: { city: `d${times}` } })
    await call()
    expect((await endings()).at(-1)).toBe('settled')
  })
})

describe('a call that costs nothing more', () => {
  test('is one of a skill without the rule: its outcomes are not read', async () => {
    await world.skill('sg_plain')
    const { list } = world.ports.ledger
    let reads = 0
    world.ports.ledger = {
      ...world.ports.ledger,
      list: (of) => {
        reads += 1
        return list(of)
      },
    }
    await call(OSLO, 'sg_plain')
    await call(OSLO, 'sg_plain')
    expect(reads).toBe(0)
    expect(await free()).toBe(98)
    await call()
    expect(reads).toBe(1)
  })
})

test('a store that fails when the repeat is looked for leaves both calls paid', async () => {
  await call()
  world.ports.ledger = {
    ...world.ports.ledger,
    list: () => Promise.reject(new Error('no answer')),
  }
  const executed = await execute(world, ada, SKILL, OSLO)
  await runSteps(executed.after)
  expect(await free()).toBe(98)
})

test('a call takes its arrival from the start of its own function', async () => {
  const callId = `${'0'.repeat(9)}-${'a'.repeat(33)}`
  await call({ ...OSLO, terms: { callId, deadlineMs: START_MS + 15_000 } })
  await call()
  expect(await free()).toBe(99)
})
