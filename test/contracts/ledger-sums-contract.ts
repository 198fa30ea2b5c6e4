/**
 * Ledger contract: in any order of steps credits + holds + charges equal the grants less the
 * corrections, and credits fall below zero only by a correction that may. Proved step by step against a model, and with all steps at once. Decimals
 * stay exact.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Hold, Outcome, Profile } from '../../core/ledger/ledger.ts'
import { freshUser, holdOf, profileOf, refundedOf, settledOf } from './fresh.ts'
import {
  type Amounts,
  amountOf,
  CALLS,
  DEBT,
  DEBT_MIN,
  floorOf,
  follow,
  newModel,
  type Step,
  stepOf,
  sum,
} from './ledger-model.ts'
import type { StorePorts } from './store-ports.ts'

const MORE = { creditsMax: 9_000_000_000_000_000, nowMs: 2_000_000_000_000 }

export function describeSums(opened: () => StorePorts): void {
  test('sums of decimals are exact: 0.1 + 0.2 credits are 0.3', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 100_000)
    await ledger.grant({ uid, grantId: 'g1', amount: 200_000, ...MORE })
    expect((await profiles.read(uid))?.credits).toBe(300_000)
    await ledger.hold({ uid, callId: 'c1', hold: holdOf(1), holdsMax: 32 })
    expect(await profiles.read(uid)).toMatchObject({
      credits: 299_999,
      holds: { c1: { amount: 1 } },
    })
    await ledger.release({ uid, callId: 'c1', giveBack: true })
    expect((await profiles.read(uid))?.credits).toBe(300_000)
  })

  test('the largest sums are exact to the last micro-credit', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), 8_999_999_999_999_999)
    expect((await ledger.grant({ uid, grantId: 'g1', amount: 1, ...MORE })).kind).toBe('granted')
    expect((await profiles.read(uid))?.credits).toBe(9_000_000_000_000_000)
    await ledger.hold({ uid, callId: 'c1', hold: holdOf(8_999_999_999_999_999), holdsMax: 32 })
    expect((await profiles.read(uid))?.credits).toBe(1)
  })

  test('any sequence of steps leaves the sums of a plain model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepOf(), { maxLength: 24 }), async (steps) => {
        const ports = opened()
        const uid = await freshUser(ports, 0)
        const model = newModel()
        for (const step of steps) {
          await perform(ports, uid, step)
          follow(model, step)
          const profile = await ports.profiles.read(uid)
          expect(facts(profile)).toEqual({ credits: model.credits, holds: { ...model.holds } })
          expect(model.credits).toBeGreaterThanOrEqual(DEBT in model.granted ? DEBT_MIN : 0)
        }
        expect(model.credits + sum(model.holds) + sum(model.paid)).toBe(sum(model.granted))
      }),
      { numRuns: 25 },
    )
  })

  test('any ways to end calls, all at once, conserve the sum', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(stepOf(), { minLength: 6, maxLength: 24 }), async (steps) => {
        const ports = opened()
        const uid = await freshUser(ports, 1_000)
        const held = await holdAll(ports, uid)
        await Promise.all(steps.map((step) => performAtOnce(ports, uid, step, held)))
        const { credits, holds } = facts(await ports.profiles.read(uid))
        const paid = await paidAmounts(ports, uid, holds)
        const granted = await grantedAmounts(ports, uid, steps)
        expect(credits).toBeGreaterThanOrEqual(granted.debt ? DEBT_MIN : 0)
        expect(credits + sum(holds) + paid).toBe(1_000 + granted.sum)
      }),
      { numRuns: 25 },
    )
  })
}

/** Ends calls as execute does: only held calls get an outcome, and a release follows it. */
async function perform(ports: StorePorts, uid: string, step: Step): Promise<void> {
  const { ledger, profiles } = ports
  if (step.kind === 'grant') {
    const { amount, grantId } = step
    await ledger.grant({ uid, grantId, amount, creditsMin: floorOf(grantId), ...MORE })
    return
  }
  const { callId } = step
  const standing = await ledger.find({ uid, callId })
  const held = (await profiles.read(uid))?.holds[callId]
  switch (step.kind) {
    case 'hold':
      // One write token per call, and no hold after an outcome: that is the caller's part of the
      // contract.
      if (standing !== undefined) return
      await ledger.hold({
        uid,
        callId,
        hold: holdOf(step.amount, { writeToken: callId }),
        holdsMax: 3,
      })
      return
    case 'settle':
      if (held !== undefined) await ledger.decide(about(held, settledOf(uid, callId, held.amount)))
      return
    case 'refund':
      if (held !== undefined) await ledger.decide(about(held, refundedOf(uid, callId, held.amount)))
      return
    case 'release':
      if (standing === undefined) return
      await ledger.release({ uid, callId, giveBack: standing.state === 'refunded' })
      return
    case 'void':
      await ledger.voidSettled({ uid, callId, reason: 'void', nowMs: 2_000_000_001_000 })
      return
    default:
      step satisfies never
  }
}

/** Sends a hold for each call, all at once and each twice; with room for three one is refused. */
async function holdAll(ports: StorePorts, uid: string): Promise<Held> {
  const sent = [...CALLS, ...CALLS].map((callId) => {
    const hold = holdOf(amountOf(callId), { writeToken: callId })
    return ports.ledger.hold({ uid, callId, hold, holdsMax: 3 })
  })
  await Promise.all(sent)
  const profile = await ports.profiles.read(uid)
  const { credits, holds } = facts(profile)
  expect(Object.keys(holds)).toHaveLength(3)
  expect(credits + sum(holds)).toBe(1_000)
  return profile?.holds ?? {}
}

type Held = Profile['holds']

/** The outcome of this very hold. */
function about(hold: Hold, outcome: Outcome): Outcome {
  return { ...outcome, placement: hold.placement }
}

/**
 * Like `perform`, with all steps at once: only calls that were held at the start get an outcome.
 */
async function performAtOnce(
  ports: StorePorts,
  uid: string,
  step: Step,
  held: Held,
): Promise<void> {
  const { ledger } = ports
  if (step.kind === 'grant' || step.kind === 'void') return perform(ports, uid, step)
  const { callId } = step
  const hold = held[callId]
  if (step.kind === 'hold' || hold === undefined) return
  const make = step.kind === 'refund' ? refundedOf : settledOf
  const outcome = await ledger.decide(about(hold, make(uid, callId, hold.amount)))
  if (step.kind !== 'release') return
  await ledger.release({ uid, callId, giveBack: outcome.state === 'refunded' })
}

function facts(profile: Profile | undefined): { credits: number; holds: Amounts } {
  const { credits, holds } = profile ?? profileOf('nobody')
  const amounts = Object.entries(holds).map(([callId, hold]) => [callId, hold.amount])
  return { credits, holds: Object.fromEntries(amounts) }
}

/** Amounts of the calls that are settled and hold nothing any more. */
async function paidAmounts(ports: StorePorts, uid: string, holds: Amounts): Promise<number> {
  const outcomes = await Promise.all(CALLS.map((callId) => ports.ledger.find({ uid, callId })))
  return outcomes
    .filter((outcome) => outcome?.state === 'settled' && !(outcome.callId in holds))
    .reduce((total, outcome) => total + (outcome?.amount ?? 0), 0)
}

/** The sum of the grants and corrections that happened: each id of them is counted once. */
async function grantedAmounts(ports: StorePorts, uid: string, steps: readonly Step[]) {
  const { grants } = await ports.ledger.grants({ uid, limit: 100 })
  const sent = new Set(steps.flatMap((step) => (step.kind === 'grant' ? [step.grantId] : [])))
  const given = new Set(grants.map(({ grantId }) => grantId))
  for (const { amount, grantId } of grants) {
    expect(sent).toContain(grantId)
    const again = await ports.ledger.grant({ uid, grantId, amount, ...MORE })
    expect(again.kind).toBe('repeated')
  }
  // Only a correction may have been refused, for lack of credits.
  for (const grantId of sent) if (/^g/.test(grantId)) expect(given).toContain(grantId)
  return { sum: grants.reduce((total, { amount }) => total + amount, 0), debt: given.has(DEBT) }
}
