import { describe, expect, test } from 'vitest'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { voidCall } from '../../../../core/flow/execute/void-call.ts'
import { execute, problemIn, run, successOf } from '../caller.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, okOf, refusalOf } from '../world.ts'

const CALL = 'c'.repeat(43)
const TERMS = { callId: CALL, deadlineMs: START_MS + 15_000 }

async function ready() {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather')
  const voidIt = (reason: 'void' | 'cancelled' = 'void') =>
    voidCall(world.ports, { uid: 'ada', callId: CALL, reason })
  const call = () => execute(world, ada, 'sg_weather', { terms: TERMS })
  return { world, ada, voidIt, call }
}

const WHOLE = { free: 100, held: 0 }

describe('a call that is voided', () => {
  test('before its hold runs and is free', async () => {
    const { world, ada, voidIt } = await ready()
    expect(okOf(await voidIt())).toMatchObject({ state: 'refunded', reason: 'void' })
    successOf(await run(world, ada, 'sg_weather', { terms: TERMS }))
    expect(await world.credits('ada')).toEqual(WHOLE)
  })

  test('while it runs has its credits back at once and stops within a second', async () => {
    const { world, voidIt, call } = await ready()
    world.upstream.next({ kind: 'hang' })
    const executed = call()
    await world.clock.advance(400)
    await voidIt('cancelled')
    expect(await world.credits('ada')).toEqual(WHOLE)
    await world.clock.advance(599)
    expect(world.upstream.cuts()).toBe(0)
    await world.clock.advance(1)
    expect(world.upstream.cuts()).toBe(1)
    expect(problemIn((await executed).answer)).toMatchObject({ code: 'cancelled' })
    expect(await world.credits('ada')).toEqual(WHOLE)
    expect(world.clock.sleepers()).toBe(0)
  })

  test('between its answer and its settling stays free', async () => {
    const { world, voidIt, call } = await ready()
    const { answer, after } = await call()
    expect(answer.kind).toBe('success')
    await voidIt()
    await runSteps(after)
    expect(await world.credits('ada')).toEqual(WHOLE)
  })

  test('after it settled gets its credits back once, however often it is voided', async () => {
    const { world, ada, voidIt } = await ready()
    await run(world, ada, 'sg_weather', { terms: TERMS })
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
    for (const reason of ['void', 'void', 'cancelled'] as const) {
      expect(okOf(await voidIt(reason))).toMatchObject({ state: 'refunded', reason: 'void' })
      expect(await world.credits('ada')).toEqual(WHOLE)
    }
  })

  test('between outcome and release gets nothing more from a later release', async () => {
    const { world, voidIt, call } = await ready()
    const { release } = world.ports.ledger
    const executed = await call()
    world.ports.ledger = { ...world.ports.ledger, release: async () => undefined }
    await runSteps(executed.after)
    world.ports.ledger = { ...world.ports.ledger, release }
    expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    await voidIt()
    expect(await world.credits('ada')).toEqual(WHOLE)
    await runSteps(executed.after)
    expect(await world.credits('ada')).toEqual(WHOLE)
  })

  test('by two requests at once is voided once', async () => {
    const { world, ada, voidIt } = await ready()
    await run(world, ada, 'sg_weather', { terms: TERMS })
    await Promise.all([voidIt(), voidIt('cancelled'), voidIt()])
    expect(await world.credits('ada')).toEqual(WHOLE)
  })

  test('after it failed is refunded already and gets nothing more', async () => {
    const { world, ada, voidIt } = await ready()
    world.upstream.next({ kind: 'unreachable' })
    await run(world, ada, 'sg_weather', { terms: TERMS })
    expect(okOf(await voidIt())).toMatchObject({ reason: 'upstream_failed' })
    expect(await world.credits('ada')).toEqual(WHOLE)
  })

  test('gets nothing back when it was free', async () => {
    const { world, ada, voidIt } = await ready()
    await world.skill('sg_free', { price: 0 })
    await run(world, ada, 'sg_free', { terms: TERMS })
    await voidIt()
    expect(await world.credits('ada')).toEqual(WHOLE)
  })
})

describe('a call that settled', () => {
  test('can be voided 60 s after its end, and not later', async () => {
    const { world, ada, voidIt } = await ready()
    // A task of ten minutes counts from its end, too.
    world.upstream.next({ kind: 'answer', status: 200, afterMs: 9_000 })
    await run(world, ada, 'sg_weather', { terms: TERMS })
    world.clock.jump(60_001)
    const refusal = refusalOf(await voidIt())
    expect(refusal.code).toBe('conflict')
    expect(refusal.detail).toContain('more than 60 s ago')
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
    world.clock.jump(-1)
    expect(okOf(await voidIt()).state).toBe('refunded')
    expect(await world.credits('ada')).toEqual(WHOLE)
  })
})
