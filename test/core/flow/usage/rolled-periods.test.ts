/**
 * Hours, days and months agree with the ledger for any calls over two months, however late, often and
 * in whatever batches their outcomes come, and also while days and months are behind.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { nodeDigests } from '../../../../adapters/crypto/node-digests.ts'
import { openLocalStore } from '../../../../adapters/dynamodb/local-store.ts'
import { makeCallId } from '../../../../core/call/call-id.ts'
import { Fault } from '../../../../core/errors.ts'
import { readUsage } from '../../../../core/flow/usage/read-usage.ts'
import { recordCalls } from '../../../../core/flow/usage/record-calls.ts'
import { toCreditsNumber } from '../../../../core/ledger/amount.ts'
import type { Outcome } from '../../../../core/ledger/ledger.ts'
import type { UsageSums } from '../../../../core/ports/usage.ts'
import { parseDimensions, USAGE_BY } from '../../../../core/usage/usage-dimensions.ts'
import { settledOf } from '../../../contracts/fresh.ts'
import { manualClock } from '../manual-clock.ts'
import { okOf } from '../world.ts'
import { deliveries, random, TRAFFIC, type Traffic, voidedOf } from './traffic.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Two days before the end of October. */
const START_MS = Date.UTC(2026, 9, 30)
const DAYS = 36
/** Two days after the last call: its day is over, and so are both months before it. */
const ALL_CLOSED_MS = START_MS + (DAYS + 2) * DAY_MS
/** Pages stay while batches come late and in any order. */
const HOT_MS = 400 * DAY_MS

function worldAt(nowMs: number) {
  const clock = manualClock()
  clock.jump(nowMs - clock.nowMs())
  return { clock, digests: nodeDigests(), ...openLocalStore({ clock, hotMs: HOT_MS }).ports }
}

type Ports = ReturnType<typeof worldAt>

/** The same calls, spread over two ends of months. */
function spread(traffic: readonly Traffic[], draw: () => number): readonly Traffic[] {
  return traffic.map((one, index) => {
    const createdAtMs = START_MS + Math.floor(draw() * DAYS * DAY_MS)
    const callId = makeCallId(createdAtMs, `t${index}`)
    return { ...one, outcome: { ...one.outcome, callId, createdAtMs } }
  })
}

const WORDS: { readonly [word: string]: (outcome: Outcome) => string } = {
  skill: ({ skillId, source }) => `${skillId} ${source}`,
  user: ({ uid }) => uid,
  key: ({ facts, uid }) => `${facts?.keyId ?? ''} ${uid}`,
  day: ({ createdAtMs }) => new Date(createdAtMs).toISOString().slice(0, 10),
  month: ({ createdAtMs }) => new Date(createdAtMs).toISOString().slice(0, 7),
}

function expectedOf(by: string, outcomes: readonly Outcome[]) {
  const sums = new Map<string, { calls: number; charged: number; givenBack: number }>()
  for (const outcome of outcomes) {
    const words = by.split(',').flatMap((word) => (WORDS[word]?.(outcome) ?? '').split(' '))
    const name = [...words].sort().join(' ')
    const sum = sums.get(name) ?? { calls: 0, charged: 0, givenBack: 0 }
    const [charged, givenBack] =
      outcome.state === 'settled' ? [outcome.amount, 0] : [0, outcome.amount]
    sums.set(name, {
      calls: sum.calls + 1,
      charged: sum.charged + charged,
      givenBack: sum.givenBack + givenBack,
    })
  }
  return new Map(
    [...sums].map(([name, { calls, charged, givenBack }]) => [
      name,
      [calls, toCreditsNumber(charged), toCreditsNumber(givenBack)],
    ]),
  )
}

async function agrees(
  ports: Ports,
  outcomes: readonly Outcome[],
  listOfBy: readonly string[] = USAGE_BY,
): Promise<void> {
  const span = { since: '2026-10-30', until: '2026-12-06' }
  for (const by of listOfBy) {
    const dimensions = parseDimensions(by) ?? ['day']
    const usage = okOf(await readUsage(ports, { by: dimensions, ...span }))
    const found = usage.entries.map(({ day, keyId, month, skillId, source, uid, ...sums }) => {
      const names = [skillId, source, keyId, uid, day, month].filter((one) => one !== undefined)
      // A key and its user name the user once.
      const words = by.includes('user') && by.includes('key') ? [...names, uid] : names
      const name = [...words].sort().join(' ')
      return [name, [sums.calls, sums.charged, sums.givenBack]] as const
    })
    expect({ by, sums: new Map(found) }).toEqual({ by, sums: expectedOf(by, outcomes) })
    expect(usage.total.calls).toBe(outcomes.length)
    const totals = usage.totals?.reduce((sum, { calls }) => sum + calls, 0) ?? outcomes.length
    expect(totals).toBe(outcomes.length)
  }
  const ada = outcomes.filter(({ skillId, uid }) => uid === 'ada' && skillId === 'sg_a')
  const query = { by: ['month'], user: 'ada', skill: 'sg_a', ...span } as const
  expect(okOf(await readUsage(ports, query)).total.calls).toBe(ada.length)
}

/** Before and after a write. More would let few batches end. */
const FAILING_SHARE = 0.02

/** A share of all writes fail, some of them after they were carried out. */
function flaky(ports: Ports, draw: () => number): Ports {
  const sometimes = async <T>(work: () => Promise<T>): Promise<T> => {
    if (draw() < FAILING_SHARE) throw new Fault('store_unavailable', 'drawn')
    const done = await work()
    if (draw() < FAILING_SHARE) throw new Fault('store_unavailable', 'drawn')
    return done
  }
  const usageSums: UsageSums = {
    ...ports.usageSums,
    moveHead: (level, to) => sometimes(() => ports.usageSums.moveHead(level, to)),
    replacePart: (of) => sometimes(() => ports.usageSums.replacePart(of)),
    writeSkills: (of) => sometimes(() => ports.usageSums.writeSkills(of)),
  }
  return { ...ports, usageSums }
}

test('sums of hours, days and months agree with the ledger, by any one or two dimensions', async () => {
  await fc.assert(
    fc.asyncProperty(fc.tuple(TRAFFIC, TRAFFIC), fc.nat(), async (drawn, seed) => {
      const draw = random(seed)
      const traffic = spread(drawn.flat(), draw)
      const ports = worldAt(START_MS)
      let waiting = [...deliveries(traffic, draw)]
      for (let rounds = 0; waiting.length > 0; rounds += 1) {
        expect(rounds).toBeLessThan(1_000)
        const together = waiting.splice(0, 1 + Math.floor(draw() * 3))
        const newest = Math.max(...together.flat().map(({ createdAtMs }) => createdAtMs))
        ports.clock.jump(Math.max(0, newest - ports.clock.nowMs()))
        const taken = await Promise.allSettled(
          together.map((batch) => recordCalls(flaky(ports, draw), batch)),
        )
        waiting = [...together.filter((_, at) => taken[at]?.status === 'rejected'), ...waiting]
        ports.clock.jump(Math.floor(draw() * DAY_MS))
      }
      const ended = traffic.map(({ isVoided, outcome }) => (isVoided ? voidedOf(outcome) : outcome))
      // Hours that no sum covers yet are read page by page, so they are read by one drawn dimension or two.
      await agrees(ports, ended, [USAGE_BY[Math.floor(draw() * USAGE_BY.length)] ?? 'day'])
      ports.clock.jump(Math.max(0, ALL_CLOSED_MS - ports.clock.nowMs()))
      for (let runs = 0; runs < 60; runs += 1) await recordCalls(ports, [])
      expect((await ports.usageSums.readHead('month'))?.rolled).toBeGreaterThanOrEqual(
        12 * 2026 + 10,
      )
      await agrees(ports, ended)
    }),
    { numRuns: 6 },
  )
})

test('the details of many users are in parts, one of which has the month of a user', async () => {
  const ports = worldAt(START_MS)
  const users = 4_000
  const nameOf = (index: number) => `user-${String(index).padStart(5, '0')}`
  const outcomes = Array.from({ length: 2 * users }, (_, index) => {
    const createdAtMs = START_MS + (index % 2) * 5 * HOUR_MS + index
    const callId = makeCallId(createdAtMs, `m${index}`)
    return { ...settledOf(nameOf(index % users), callId, 1 + index), createdAtMs }
  })
  for (let at = 0; at < outcomes.length; at += 1_000) {
    await recordCalls(ports, outcomes.slice(at, at + 1_000))
  }
  ports.clock.jump(3 * DAY_MS)
  for (let runs = 0; runs < 4; runs += 1) await recordCalls(ports, [])
  const late = outcomes[700]
  if (late === undefined) throw new Error('a call was expected')
  await recordCalls(ports, [voidedOf(late)])

  const period = { level: 'month', index: 12 * 2026 + 9 } as const
  const all = await ports.usageSums.parts({ period, from: '', to: undefined, limit: 99 })
  expect(all.length).toBeGreaterThan(3)
  expect(all.flatMap(({ details }) => details)).toHaveLength(users)
  const own = { period, from: `${nameOf(700)} `, to: `${nameOf(700)}!`, limit: 9 }
  const [part, ...others] = await ports.usageSums.parts(own)
  expect(others).toEqual([])
  expect(part?.details.filter(({ uid }) => uid === nameOf(700))).toMatchObject([
    { settled: 1, charged: 4_701, refunds: { void: [1, 701] } },
  ])
  const query = { by: ['month'], since: '2026-10-01', until: '2026-11-01' } as const
  const { total } = okOf(await readUsage(ports, query))
  expect([total.calls, total.refunded, total.charged]).toEqual([8_000, 1, 32.003_299])
})

test('a late batch of many users reads parts of its users alone, however many others there are', async () => {
  const ports = worldAt(START_MS)
  const users = 8_000
  const uids = Array.from({ length: users }, (_, at) => `user-${String(at).padStart(5, '0')}`)
  const outcomes = uids.map((uid, at) => {
    const createdAtMs = START_MS + at
    return { ...settledOf(uid, makeCallId(createdAtMs, `m${at}`), 5), createdAtMs }
  })
  for (let at = 0; at < users; at += 1_000) await recordCalls(ports, outcomes.slice(at, at + 1_000))
  ports.clock.jump(3 * DAY_MS)
  for (let runs = 0; runs < 4; runs += 1) await recordCalls(ports, [])
  const all = { from: '', to: undefined, limit: 99 }
  const day = { level: 'day', index: START_MS / DAY_MS } as const
  const parts = await ports.usageSums.parts({ period: day, ...all })
  expect(parts.length).toBeGreaterThan(8)

  const steps: string[] = []
  const usageSums: UsageSums = {
    ...ports.usageSums,
    parts: (of) => {
      if (of.period.level === 'day' && of.limit === 1) steps.push(of.from)
      return ports.usageSums.parts(of)
    },
  }
  // The users of the first two parts, which are more than are found one by one.
  const some = outcomes.filter((_, at) => at < 1_000 && at % 25 === 0)
  expect(some.length).toBeGreaterThan(20)
  await recordCalls({ ...ports, usageSums }, some.map(voidedOf))
  const touched = parts.filter(({ from, to = '~' }) =>
    some.some(({ uid }) => uid >= from && uid < to),
  )
  expect(touched.length).toBeLessThan(parts.length / 2)
  expect(steps.length).toBeLessThanOrEqual(2 * touched.length)
  await agreesByUser(ports, { refunded: some.length, calls: users })
})

async function agreesByUser(
  ports: Ports,
  wanted: { readonly refunded: number; readonly calls: number },
): Promise<void> {
  for (const until of ['2026-10-31', '2026-11-01']) {
    const query = { by: ['month'], since: '2026-10-01', until } as const
    expect(okOf(await readUsage(ports, query)).total).toMatchObject(wanted)
  }
}

test('a reader that meets the closing of hours and days counts each call once', async () => {
  const ports = worldAt(START_MS)
  const outcomes = Array.from({ length: 40 }, (_, at) => {
    const createdAtMs = START_MS + at * HOUR_MS
    return { ...settledOf('ada', makeCallId(createdAtMs, `r${at}`), 5), createdAtMs }
  })
  await recordCalls(ports, outcomes)
  ports.clock.jump(3 * DAY_MS)
  // Between two heads, the hours and the day of all calls are closed.
  let heads = 0
  const usageSums: UsageSums = {
    ...ports.usageSums,
    readHead: async (level) => {
      const head = await ports.usageSums.readHead(level)
      heads += 1
      if (heads === 1) for (let runs = 0; runs < 4; runs += 1) await recordCalls(ports, [])
      return head
    },
  }
  const query = { by: ['user'], since: '2026-10-30', until: '2026-11-02' } as const
  const { total } = okOf(await readUsage({ ...ports, usageSums }, query))
  expect([total.calls, total.charged]).toEqual([40, 0.0002])
  expect(heads).toBe(3)
  expect((await ports.usageSums.readHead('day'))?.rolled).toBeGreaterThan(START_MS / DAY_MS)
})
