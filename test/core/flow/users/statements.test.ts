/** The account of a month adds up, and agrees with the user's balance in the ledger. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { makeCallId } from '../../../../core/call/call-id.ts'
import { recordCalls } from '../../../../core/flow/usage/record-calls.ts'
import { listStatements } from '../../../../core/flow/users/list-statements.ts'
import { showStatement } from '../../../../core/flow/users/show-statement.ts'
import { CREDITS_MAX, CREDITS_MIN, toMicroCredits } from '../../../../core/ledger/amount.ts'
import type { Outcome } from '../../../../core/ledger/ledger.ts'
import { STATEMENT_GRANTS_MAX } from '../../../../core/usage/limits.ts'
import { settledOf } from '../../../contracts/fresh.ts'
import { manualClock } from '../manual-clock.ts'
import { okOf } from '../world.ts'

const START_MS = Date.UTC(2026, 8, 29, 12)
const DAY_MS = 86_400_000
const CREDIT = 1_000_000
const FIRST_PAGE = { month: '2026-09', limit: undefined, cursor: undefined }

function worldAt(nowMs: number) {
  const clock = manualClock()
  clock.jump(nowMs - clock.nowMs())
  return { clock, digests: nodeDigests(), ...openLocalStore({ clock }).ports }
}

type World = ReturnType<typeof worldAt>

async function addUser(world: World, uid: string): Promise<void> {
  await world.profiles.create({
    uid,
    username: uid.toUpperCase(),
    tier: 'free',
    credits: 0,
    holds: {},
    createdAtMs: world.clock.nowMs(),
    skillsChangedAtMs: 0,
  })
}

async function give(world: World, uid: string, amount: number, grantId: string): Promise<void> {
  const limits = { creditsMax: CREDITS_MAX, creditsMin: CREDITS_MIN }
  const nowMs = world.clock.nowMs()
  await world.ledger.grant({ uid, amount, grantId, reason: 'why', by: 'grace', ...limits, nowMs })
}

/** One call from its hold to its release; a share of calls is voided later. */
async function callOnce(
  world: World,
  { amount, index, uid }: { uid: string; amount: number; index: number },
): Promise<readonly Outcome[]> {
  const heldAtMs = world.clock.nowMs()
  const callId = makeCallId(heldAtMs, `c${index}`)
  const hold = {
    amount,
    heldAtMs,
    writeToken: callId,
    skillId: 'sg_a',
    source: 'official',
  } as const
  const held = await world.ledger.hold({ uid, callId, hold, holdsMax: 99 })
  if (held.kind === 'refused') return []
  const { placement = 0 } = held.profile.holds[callId] ?? {}
  const outcome = { ...settledOf(uid, callId, amount), createdAtMs: heldAtMs, placement }
  const settled = await world.ledger.decide({ ...outcome, skillId: `sg_${index % 3}` })
  await world.ledger.release({ uid, callId, giveBack: false, placement })
  return [settled]
}

const STEPS = fc.array(
  fc.record({
    kind: fc.constantFrom('call', 'call', 'call', 'grant', 'take', 'void', 'wait'),
    amount: fc.integer({ min: 1, max: 3_000_000 }),
    waitMs: fc.nat({ max: 4 * DAY_MS }),
  }),
  { minLength: 5, maxLength: 40 },
)

async function runSteps(
  world: World,
  steps: readonly { kind: string; amount: number; waitMs: number }[],
) {
  let ended: readonly Outcome[] = []
  for (const [index, { amount, kind, waitMs }] of steps.entries()) {
    world.clock.jump(waitMs)
    if (kind === 'grant') await give(world, 'ada', amount, `g${index}`)
    else if (kind === 'take') await give(world, 'ada', -amount, `t${index}`)
    else if (kind === 'call') {
      const called = await callOnce(world, { uid: 'ada', amount, index })
      await recordCalls(world, called)
      ended = [...ended, ...called]
    } else if (kind === 'void') {
      await voidOne(world, ended[0]?.callId)
      ended = ended.slice(1)
    }
  }
}

async function voidOne(world: World, callId: string | undefined): Promise<void> {
  if (callId === undefined) return
  const nowMs = world.clock.nowMs()
  const voided = await world.ledger.voidSettled({ uid: 'ada', callId, reason: 'void', nowMs })
  if (voided !== undefined) await recordCalls(world, [voided])
}

function listMonths(fromMs: number, toMs: number): readonly string[] {
  const months: string[] = []
  const at = new Date(
    Date.UTC(new Date(fromMs).getUTCFullYear(), new Date(fromMs).getUTCMonth(), 1),
  )
  while (at.getTime() <= toMs) {
    months.push(at.toISOString().slice(0, 7))
    at.setUTCMonth(at.getUTCMonth() + 1)
  }
  return months
}

test('months add up one after the other to the balance of the ledger, whatever was granted, called and voided', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const world = worldAt(START_MS)
      await addUser(world, 'ada')
      await give(world, 'ada', 20 * CREDIT, 'first')
      await runSteps(world, steps)
      let opening = 0
      for (const month of listMonths(START_MS, world.clock.nowMs())) {
        const statement = okOf(await showStatement(world, { uid: 'ada', month }))
        const micro = (credits: number) => toMicroCredits(credits)
        expect(micro(statement.opening)).toBe(opening)
        const sums = [statement.opening, statement.granted, statement.corrected].map(micro)
        const change = sums.reduce((sum, one) => sum + one, 0) - micro(statement.charged)
        expect(micro(statement.closing)).toBe(change)
        const lines = statement.charges.reduce((sum, { charged }) => sum + micro(charged), 0)
        expect(lines).toBe(micro(statement.charged))
        opening = micro(statement.closing)
      }
      const profile = await world.profiles.read('ada')
      expect(opening).toBe(profile?.credits)
    }),
    { numRuns: 25 },
  )
})

describe('a statement', () => {
  test('shows grants, corrections, charges, refunds and what runs now, in money too', async () => {
    const world = worldAt(START_MS)
    await addUser(world, 'ada')
    await give(world, 'ada', 10 * CREDIT, 'first')
    await give(world, 'ada', -2 * CREDIT, 'fix')
    const called = [0, 1, 3].map((index) => callOnce(world, { uid: 'ada', amount: CREDIT, index }))
    const outcomes = (await Promise.all(called)).flat()
    const last = outcomes[2]?.callId ?? ''
    const of = { uid: 'ada', callId: last, reason: 'void', nowMs: START_MS } as const
    const voided = await world.ledger.voidSettled(of)
    await recordCalls(world, [...outcomes.slice(0, 2), ...(voided === undefined ? [] : [voided])])
    const price = { amount: '0.0125', currency: 'EUR' }
    const asked = { uid: 'ada', month: '2026-09' }
    expect(okOf(await showStatement(world, asked, price))).toEqual({
      uid: 'ada',
      username: 'ADA',
      state: 'active',
      month: '2026-09',
      sinceMs: Date.UTC(2026, 8, 1),
      untilMs: Date.UTC(2026, 9, 1),
      complete: false,
      creditPrice: price,
      opening: 0,
      granted: 10,
      corrected: -2,
      charged: 2,
      closing: 6,
      calls: 2,
      refunded: 1,
      givenBack: 1,
      money: {
        opening: '0.00',
        granted: '0.12',
        corrected: '-0.02',
        charged: '0.02',
        closing: '0.08',
      },
      grants: [
        {
          createdAtMs: START_MS,
          grantId: 'first',
          amount: 10,
          money: '0.12',
          by: 'grace',
          reason: 'why',
        },
      ],
      corrections: [
        {
          createdAtMs: START_MS,
          grantId: 'fix',
          amount: -2,
          money: '-0.02',
          by: 'grace',
          reason: 'why',
        },
      ],
      charges: [
        { skillId: 'sg_0', source: expect.any(String), calls: 1, charged: 1, money: '0.01' },
        { skillId: 'sg_1', source: expect.any(String), calls: 1, charged: 1, money: '0.01' },
      ],
      refunds: [{ reason: 'void', calls: 1, givenBack: 1 }],
      now: { credits: 6, onHold: 0, holds: 0 },
    })
  })

  test.each([
    ['2026-08', 'month: is over before ada existed; the first statement is that of 2026-09.'],
    ['2026-10', 'month: has not begun; the current month is 2026-09.'],
    ['2026-13', 'month: must be a month such as 2026-11.'],
  ])('of %s is refused', async (month, detail) => {
    const world = worldAt(START_MS)
    await addUser(world, 'ada')
    const refused = await showStatement(world, { uid: 'ada', month })
    expect(refused).toEqual({ ok: false, error: { code: 'malformed', detail } })
  })

  test('is complete once the hours of its month have their sums', async () => {
    const world = worldAt(START_MS)
    await addUser(world, 'ada')
    await recordCalls(world, [])
    world.clock.jump(3 * DAY_MS)
    await recordCalls(world, [])
    await recordCalls(world, [])
    const { complete, now } = okOf(await showStatement(world, { uid: 'ada', month: '2026-09' }))
    expect([complete, now]).toEqual([true, undefined])
  })
})

test('pages of a month have each user once, deleted ones last, and none who came later', async () => {
  const world = worldAt(START_MS)
  for (const uid of ['ada', 'bob', 'cy']) await addUser(world, uid)
  const disabled = { state: 'deleted', reason: 'gone', sinceMs: START_MS } as const
  await world.profiles.change('bob', { disabled })
  world.clock.jump(3 * DAY_MS)
  await addUser(world, 'dora')
  const uids: string[] = []
  let cursor: string | undefined
  do {
    const page = okOf(await listStatements(world, { month: '2026-09', limit: '1', cursor }))
    uids.push(...page.statements.map(({ uid }) => uid))
    cursor = page.nextCursor
  } while (cursor !== undefined)
  expect(uids).toEqual(['ada', 'cy', 'bob'])
})

test('a user with more grants than a statement reads does not stop the list of the others', async () => {
  const world = worldAt(START_MS)
  for (const uid of ['ada', 'bob']) await addUser(world, uid)
  const grant = { grantId: 'g', amount: 1, by: 'grace', reason: 'why', createdAtMs: START_MS }
  const grants = Array.from({ length: STATEMENT_GRANTS_MAX + 1 }, () => grant)
  const ledger: World['ledger'] = {
    ...world.ledger,
    grants: async (of) =>
      of.uid === 'ada' ? { grants, next: undefined } : world.ledger.grants(of),
  }
  const page = okOf(await listStatements({ ...world, ledger }, FIRST_PAGE))
  expect(page.statements.map(({ uid }) => uid)).toEqual(['bob'])
  expect(page.tooLarge).toEqual(['ada'])
})
