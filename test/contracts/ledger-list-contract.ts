/** Ledger contract: a user's outcomes, and only outcomes, page by page, newest call first. */
import { expect, test } from 'vitest'
import { makeCallId } from '../../core/call/call-id.ts'
import type { Outcome } from '../../core/ledger/ledger.ts'
import { atOnce, freshName, freshUser, refundedOf, settledOf } from './fresh.ts'
import type { StorePorts } from './store-ports.ts'

/** 3 s apart, from 2033 on; 2_000_000_000_000 is '1q6a0k000' in base 32. */
const IDS = ['a', 'b', 'c', 'd', 'e'].map((tail, index) =>
  makeCallId(2_000_000_000_000 + index * 3_000, tail),
)

export function describeOutcomeLists(opened: () => StorePorts): void {
  test('a user without calls has no outcomes', async () => {
    const listed = await opened().ledger.list({ uid: freshName('u-'), limit: 10 })
    expect(listed).toEqual({ outcomes: [], next: undefined })
  })

  test('outcomes come whole, newest call first, whenever they were written', async () => {
    const { ledger } = opened()
    const uid = freshName('u-')
    const [a, b, c] = threeOf(uid)
    for (const outcome of [b, c, a]) await ledger.decide(outcome)
    expect(await ledger.list({ uid, limit: 10 })).toEqual({ outcomes: [c, b, a], next: undefined })
  })

  test('pages follow each other without a gap, and the last one names no next', async () => {
    const { ledger } = opened()
    const uid = await fiveCallsOf(opened())
    const first = await ledger.list({ uid, limit: 2 })
    expect(tailsOf(first.outcomes)).toBe('ed')
    expect(first.next).toBe(IDS[3])
    const second = await ledger.list({ uid, limit: 2, ...beforeOf(first.next) })
    expect(tailsOf(second.outcomes)).toBe('cb')
    const last = await ledger.list({ uid, limit: 2, ...beforeOf(second.next) })
    expect([tailsOf(last.outcomes), last.next]).toEqual(['a', undefined])
  })

  test('a page that ends with the oldest call is the last one', async () => {
    const { ledger } = opened()
    const uid = await fiveCallsOf(opened())
    const listed = await ledger.list({ uid, limit: 5 })
    expect([tailsOf(listed.outcomes), listed.next]).toEqual(['edcba', undefined])
    const older = await ledger.list({ uid, limit: 2, ...beforeOf(IDS[2]) })
    expect([tailsOf(older.outcomes), older.next]).toEqual(['ba', undefined])
    expect(await ledger.list({ uid, limit: 2, ...beforeOf(IDS[0]) })).toEqual({
      outcomes: [],
      next: undefined,
    })
  })

  test.each([
    ['between two calls', makeCallId(2_000_000_004_000, 'x'), 'ba'],
    ['before all of them', '0', ''],
    ['empty', '', ''],
    ['after all of them', makeCallId(2_000_000_100_000, 'x'), 'edcba'],
    ['no call id at all', 'grant#z', 'edcba'],
  ])('a position that is %s counts from there', async (_what, before, tails) => {
    const { ledger } = opened()
    const uid = await fiveCallsOf(opened())
    expect(tailsOf((await ledger.list({ uid, limit: 10, before })).outcomes)).toBe(tails)
  })

  test('grants and ids that do not begin with a digit are left out, and take no room on a page', async () => {
    const { ledger } = opened()
    const uid = await freshUser(opened(), 0)
    await ledger.grant({ uid, grantId: 'g1', amount: 5, creditsMax: 1_000, nowMs: 1 })
    const [a, b] = threeOf(uid)
    const others = ['zz-old', '-old', 'A-old', '_old'].map((callId) => settledOf(uid, callId, 1))
    for (const outcome of [...others, a, b]) await ledger.decide(outcome)
    await ledger.decide(settledOf(freshName('u-'), IDS[4] ?? '', 1))
    expect(await ledger.list({ uid, limit: 2 })).toEqual({ outcomes: [b, a], next: undefined })
  })

  test('a page has 100 outcomes at most', async () => {
    const { ledger } = opened()
    const uid = freshName('u-')
    await atOnce(101, (index) => ledger.decide(settledOf(uid, makeCallId(2e12 + index, 'x'), 1)))
    const page = await ledger.list({ uid, limit: 101 })
    expect(page.outcomes).toHaveLength(100)
    expect(page.next).toBe(makeCallId(2e12 + 1, 'x'))
    expect((await ledger.list({ uid, limit: 100, ...beforeOf(page.next) })).outcomes).toHaveLength(
      1,
    )
  })
}

function threeOf(uid: string): [Outcome, Outcome, Outcome] {
  const [a = '', b = '', c = ''] = IDS
  return [settledOf(uid, a, 123_456), refundedOf(uid, b, 5), settledOf(uid, c, 0)]
}

async function fiveCallsOf({ ledger }: StorePorts): Promise<string> {
  const uid = freshName('u-')
  for (const callId of IDS) await ledger.decide(settledOf(uid, callId, 1))
  return uid
}

function tailsOf(outcomes: readonly Outcome[]): string {
  return outcomes.map(({ callId }) => callId.slice(10)).join('')
}

function beforeOf(before: string | undefined): { before: string } {
  if (before === undefined) throw new Error('there is no next page')
  return { before }
}
