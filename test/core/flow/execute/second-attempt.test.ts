/**
 * A second attempt of our own functions with the same call id: at most one charge, and no success is reported
 * as a failure.
 */
import { describe, expect, test } from 'vitest'
import { problemIn, run, successOf } from '../caller.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld } from '../world.ts'

const TERMS = { callId: 'call-1', deadlineMs: START_MS + 15_000 }

async function chargedOnce() {
  const world = makeWorld()
  const ada = await world.user('ada', { credits: 100 })
  await world.skill('sg_weather', { price: 1 })
  successOf(await run(world, ada, 'sg_weather', { terms: TERMS }))
  return { world, ada }
}

describe('a second attempt of a call that was charged', () => {
  test('is a conflict when it fails, so that its caller voids the call and nothing is paid', async () => {
    const { world, ada } = await chargedOnce()
    world.upstream.next({ kind: 'answer', status: 500 })
    const answer = await run(world, ada, 'sg_weather', { terms: TERMS })
    expect(problemIn(answer)).toMatchObject({ status: 409, code: 'conflict', callId: 'call-1' })
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('costs nothing more when it succeeds too', async () => {
    const { world, ada } = await chargedOnce()
    successOf(await run(world, ada, 'sg_weather', { terms: TERMS }))
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })
})
