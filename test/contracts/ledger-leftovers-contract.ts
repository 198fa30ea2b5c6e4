/**
 * Ledger contract: holds of charged calls that stay behind, and are named by the user's next hold. Whether a store takes
 * them out or not, the sum is kept, each call is charged once, and what is shown as on hold is of calls that run.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { balanceOf } from '../../core/ledger/event-marks.ts'
import { standingNow } from '../../core/ledger/find-leftovers.ts'
import { standing } from '../../core/ledger/leftovers.ts'
import { freshUser, holdOf, refundedOf, settledOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

const CALLS = ['0c1', '0c2', '0c3', '0c4', '0c5'] as const
const PRICE = 100
const START = 10 * PRICE

/** How a call of a row ends; each begins by naming what the calls before it left behind. */
const END = fc.constantFrom('leave', 'release', 'refund', 'void', 'void later', 'die')
type End = 'leave' | 'release' | 'refund' | 'void' | 'void later' | 'die'

export function describeLeftovers(opened: () => StorePorts): void {
  test('a hold that stayed behind a charged call has ended for whoever looks, and its credits are gone', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), START)
    await call(opened(), uid, '0c1', 'leave')
    const profile = await profiles.read(uid)
    expect(profile?.holds).toHaveProperty('0c1')
    const { credits, holds, leftovers } = await looked(opened(), uid)
    expect([credits, holds]).toEqual([900, {}])
    expect(leftovers).toEqual([{ callId: '0c1', placement: 1 }])
    await ledger.voidSettled({ uid, callId: '0c1', reason: 'void', nowMs: 2_000_000_001_000 })
    expect(await looked(opened(), uid)).toMatchObject({ credits: 1_000, holds: {}, leftovers: [] })
  })

  test('a hold over what stayed behind takes its own price alone', async () => {
    const uid = await freshUser(opened(), START)
    await call(opened(), uid, '0c1', 'leave')
    await call(opened(), uid, '0c2', 'leave')
    expect((await looked(opened(), uid)).credits).toBe(800)
  })

  test('a hold that names another number of a call leaves that hold alone', async () => {
    const { ledger, profiles } = opened()
    const uid = await freshUser(opened(), START)
    await ledger.hold({ uid, callId: '0c1', hold: holdOf(PRICE), holdsMax: 2 })
    const leftovers = [{ callId: '0c1', placement: 7 }]
    const more = { uid, callId: '0c2', hold: holdOf(PRICE), holdsMax: 2, leftovers }
    expect((await ledger.hold(more)).kind).toBe('held')
    expect(Object.keys((await profiles.read(uid))?.holds ?? {}).sort()).toEqual(['0c1', '0c2'])
    const third = { ...more, callId: '0c3', hold: holdOf(PRICE) }
    expect(await ledger.hold(third)).toMatchObject({ kind: 'refused', why: 'too_many_holds' })
  })

  test('10 holds at once that name what is gone are no more than the limit', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), START)
    await call(opened(), uid, '0c1', 'release')
    const leftovers = [{ callId: '0c1', placement: 1 }]
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        ledger.hold({ uid, callId: `0d${n}`, hold: holdOf(1), holdsMax: 3, leftovers }),
      ),
    )
    expect(answers.filter(({ kind }) => kind === 'held')).toHaveLength(3)
  })

  test('any row of calls, however they end, conserves the sum and shows it after each call', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(END, { minLength: 2, maxLength: 5 }), async (ends) => {
        const uid = await freshUser(opened(), START)
        for (const [n, end] of ends.entries()) {
          await call(opened(), uid, CALLS[n] ?? '0c9', end)
          await expectSum(opened(), uid)
        }
        expect((await looked(opened(), uid)).credits).toBe(
          START - PRICE * ends.filter(costs).length,
        )
      }),
      { numRuns: 25 },
    )
  })

  test('any rows of calls at once, with releases and voids sent again, conserve the sum', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(END, { minLength: 4, maxLength: 5 }), async (ends) => {
        const { ledger } = opened()
        const uid = await freshUser(opened(), START)
        const again = CALLS.map(async (callId) => {
          const outcome = await ledger.find({ uid, callId })
          if (outcome?.state !== 'settled') return
          const { placement } = outcome
          await Promise.all([
            ledger.voidSettled({ uid, callId, reason: 'void', nowMs: 2_000_000_001_000 }),
            ledger.release({ uid, callId, giveBack: false, placement }),
          ])
        })
        const rows = ends.map((end, n) => call(opened(), uid, CALLS[n] ?? '0c9', end))
        await Promise.all([...rows, ...again])
        await expectSum(opened(), uid)
      }),
      { numRuns: 25 },
    )
  })
}

function costs(end: End): boolean {
  // A call that died still holds its price.
  return end === 'leave' || end === 'release' || end === 'die'
}

async function call(ports: StorePorts, uid: string, callId: string, end: End): Promise<void> {
  const { ledger } = ports
  const { leftovers } = await looked(ports, uid)
  const hold = holdOf(PRICE)
  const held = await ledger.hold({ uid, callId, hold, holdsMax: 32, leftovers })
  const placement = held.profile?.holds[callId]?.placement ?? 0
  if (held.kind === 'refused' || end === 'die') return
  const make = end === 'refund' ? refundedOf : settledOf
  const outcome = await ledger.decide({ ...make(uid, callId, PRICE), placement })
  const giveBack = outcome.state === 'refunded'
  const release = { uid, callId, giveBack, placement }
  if (end === 'release' || giveBack)
    await ledger.release({ ...release, ...(giveBack ? {} : { leftovers }) })
  if (end === 'void' || end === 'void later') {
    if (end === 'void later') await looked(ports, uid)
    await ledger.voidSettled({ uid, callId, reason: 'void', nowMs: 2_000_000_001_000 })
  }
}

async function looked(ports: StorePorts, uid: string) {
  const profile = await ports.profiles.read(uid)
  if (profile === undefined) throw new Error('no profile')
  return standingNow(ports, profile)
}

async function expectSum(ports: StorePorts, uid: string): Promise<void> {
  const profile = await ports.profiles.read(uid)
  const found = await Promise.all(CALLS.map((callId) => ports.ledger.find({ uid, callId })))
  const outcomes = found.filter((outcome) => outcome !== undefined)
  if (profile === undefined) throw new Error('no profile')
  const charged = outcomes.filter(({ state }) => state === 'settled').length * PRICE
  expect(balanceOf(standing(profile, outcomes)) + charged).toBe(START)
}
