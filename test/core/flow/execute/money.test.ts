/**
 * Credits under any interleaving: callers, second attempts of one call, voids, sweeps and processes
 * that die at any of their writes. Each write yields to the others before it and after it.
 */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { sweepHolds } from '../../../../core/flow/execute/sweep-holds.ts'
import { voidCall } from '../../../../core/flow/execute/void-call.ts'
import type { Ledger } from '../../../../core/ports/ledger.ts'
import { type Death, execute, mortal } from '../caller.ts'
import { makeWorld, type World } from '../world.ts'

const GRANTED = 10
const CALL_IDS = ['a', 'b', 'c', 'd', 'e'].map((letter) => letter.repeat(43))

type Step =
  | { readonly kind: 'call'; readonly id: number; readonly status: number; readonly ms: number }
  | { readonly kind: 'dying-call'; readonly id: number; readonly death: Death; readonly ms: number }
  | { readonly kind: 'void'; readonly id: number }
  | { readonly kind: 'dying-void'; readonly id: number; readonly death: Death }
  | { readonly kind: 'sweep' }
  | { readonly kind: 'pass'; readonly ms: number }

const id = fc.nat(CALL_IDS.length - 1)
const ms = fc.integer({ min: 0, max: 3_000 })
const death = fc.record({
  at: fc.integer({ min: 1, max: 3 }),
  when: fc.constantFrom('before' as const, 'after' as const),
})
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('call' as const),
      id,
      status: fc.constantFrom(200, 200, 500),
      ms,
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('dying-call' as const), id, death, ms }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('void' as const), id }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('dying-void' as const), id, death }) },
  { weight: 2, arbitrary: fc.constant({ kind: 'sweep' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.integer({ min: 1, max: 100_000 }),
    }),
  },
)

/** A ledger whose writes each take a moment, so that others run in between. */
function slow(world: World, ledger: Ledger): Ledger {
  const pause = () => world.clock.sleep(7)
  const late =
    <In, Out>(work: (argument: In) => Promise<Out>) =>
    async (argument: In): Promise<Out> => {
      await pause()
      const out = await work(argument)
      await pause()
      return out
    }
  return {
    ...ledger,
    hold: late(ledger.hold),
    decide: late(ledger.decide),
    release: late(ledger.release),
    voidSettled: late(ledger.voidSettled),
  }
}

type Gateway = { readonly world: World; readonly ada: string; readonly ledger: Ledger }

/** Starts one step; a call that it leaves running continues beside the next steps. */
async function start({ world, ada, ledger }: Gateway, one: Step): Promise<void> {
  const callId = 'id' in one ? (CALL_IDS[one.id] ?? '') : ''
  const call = async (own: Ledger, afterMs: number, status: number) => {
    world.upstream.next({ kind: 'answer', status, afterMs })
    const terms = { callId, deadlineMs: world.clock.nowMs() + 15_000 }
    const executed = await execute(world, ada, 'sg_weather', { terms, ledger: own })
    await runSteps(executed.after)
  }
  const voids = (own: Ledger) =>
    voidCall({ ...world.ports, ledger: own }, { uid: 'ada', callId, reason: 'void' })
  switch (one.kind) {
    case 'call':
      return call(ledger, one.ms, one.status)
    case 'dying-call':
      return call(mortal(ledger, one.death), one.ms, 200)
    case 'void':
      await voids(ledger)
      return
    case 'dying-void':
      await voids(mortal(ledger, one.death))
      return
    case 'sweep':
      await sweepHolds({ ...world.ports, ledger })
      return
    case 'pass':
      return world.clock.advance(one.ms)
    default:
      return one satisfies never
  }
}

/** Credits, holds and what settled calls cost, in micro-credits. */
async function sumOf(world: World) {
  const profile = await world.profile('ada')
  const outcomes = await Promise.all(
    CALL_IDS.map((callId) => world.ports.ledger.find({ uid: 'ada', callId })),
  )
  const settled = outcomes.filter((outcome) => outcome?.state === 'settled')
  const held = Object.values(profile.holds).reduce((sum, hold) => sum + hold.amount, 0)
  const paid = settled.reduce((sum, outcome) => sum + (outcome?.amount ?? 0), 0)
  return { free: profile.credits, held, paid }
}

describe('money', () => {
  test('is never lost, made, negative or paid for a refunded call, whatever runs at the same time', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 14 }), async (steps) => {
        const world = makeWorld()
        const ada = await world.user('ada', { credits: GRANTED })
        await world.skill('sg_weather', { price: 3 })
        await world.ports.sweepEntries.writeCursor({
          minute: Math.floor(world.clock.nowMs() / 60_000),
          after: '',
        })
        const gateway = { world, ada, ledger: slow(world, world.ports.ledger) }
        for (const one of steps) {
          const started = start(gateway, one)
          started.catch(() => {})
          if (one.kind === 'pass') await started
          const { free } = await sumOf(world)
          expect(free).toBeGreaterThanOrEqual(0)
        }
        // Running calls end, and the sweep ends the holds of dead ones.
        await world.clock.advance(20_000)
        for (let minute = 0; minute < 5; minute += 1) {
          world.clock.jump(60_000)
          await sweepHolds(world.ports)
        }
        const { free, held, paid } = await sumOf(world)
        expect({ held, sum: free + paid }).toEqual({ held: 0, sum: GRANTED * 1_000_000 })
        expect(world.clock.sleepers()).toBe(0)
      }),
      { numRuns: 300, seed: 42 },
    )
  })
})
