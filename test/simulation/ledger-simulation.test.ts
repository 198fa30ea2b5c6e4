/**
 * The ledger under random schedules: the real flows on a simulated store, and wrong protocols whose
 * faults must be found. The short form has a fixed seed; the long form is this file with more runs:
 *
 *   SIMULATION_RUNS=200000 npx vitest run test/simulation
 *   SIMULATION_SEED=1234 SIMULATION_RUNS=1 npx vitest run test/simulation    one schedule again
 */
import { describe, expect, test } from 'vitest'
import { openMemoryDatabase } from '../../adapters/sqlite/database/open-database.ts'
import { type Protocol, REAL, WRONG_LEAVING, WRONG_PROTOCOLS } from './protocols.ts'
import { type Run, runSchedule } from './schedule.ts'
import { type OpenSimulated, simulatedLeaving, simulatedSqlite } from './simulated-store.ts'

const FIRST_SEED = Number(process.env['SIMULATION_SEED'] ?? 1)
/** .ci/run takes 10,000. */
const RUNS = Number(process.env['SIMULATION_RUNS'] ?? 1_500)
/** A schedule takes five times as long there; all of them run in the long form. */
const SQLITE_RUNS = process.env['TEST_LONG'] === undefined ? Math.ceil(RUNS / 5) : RUNS
/** Schedules in which a wrong protocol must have been found out; most are within twenty. */
const WRONG_RUNS_MAX = 2_000
/** Time for one schedule on a busy machine. */
const MS_PER_RUN_MAX = 20
const TRACE_LINES_MAX = 400

describe('the ledger under random schedules', () => {
  test(
    'the ledger under random schedules charges no call twice and no failed call, and loses nothing',
    async () => {
      const found = await firstViolation(REAL, RUNS)
      expect(found === undefined ? '' : await story(found)).toBe('')
    },
    300_000 + RUNS * MS_PER_RUN_MAX,
  )

  test(
    'the ledger on SQLite charges no call twice and no failed call, and loses nothing',
    async () => {
      const open = simulatedSqlite(openMemoryDatabase())
      const found = await firstViolation(REAL, SQLITE_RUNS, open)
      expect(found === undefined ? '' : await story(found, open)).toBe('')
    },
    300_000 + RUNS * MS_PER_RUN_MAX,
  )

  test(
    'the ledger of a store that leaves holds of charged calls behind charges no call twice and no failed call, and loses nothing',
    async () => {
      const found = await firstViolation(REAL, RUNS, simulatedLeaving)
      expect(found === undefined ? '' : await story(found, simulatedLeaving)).toBe('')
    },
    300_000 + RUNS * MS_PER_RUN_MAX,
  )

  test('the schedules of such a store take what is left out by holds, and look at the balance', async () => {
    const happened = new Set<string>()
    for (let seed = 1; seed <= 100; seed += 1) {
      const run = await runSchedule(seed, REAL, false, simulatedLeaving)
      for (const event of run.happened) happened.add(event)
    }
    expect([...happened]).toEqual(expect.arrayContaining(['look', 'taken out by a hold']))
  })

  test('a schedule runs on SQLite step by step as it does in memory', async () => {
    const open = simulatedSqlite(openMemoryDatabase())
    for (const seed of [1, 2, 3]) {
      const onSqlite = await runSchedule(seed, REAL, true, open)
      expect(onSqlite).toEqual(await runSchedule(seed, REAL, true))
    }
  })

  test('a seed gives the same run, step by step', async () => {
    const first = await runSchedule(1, REAL, true)
    const second = await runSchedule(1, REAL, true)
    expect(first.trace.length).toBeGreaterThan(20)
    expect(second).toEqual(first)
    const other = await runSchedule(2, REAL, true)
    expect(other.trace).not.toEqual(first.trace)
  })

  test('the schedules meet every kind of event', async () => {
    const happened = new Set<string>()
    for (let seed = 1; seed <= 300; seed += 1) {
      for (const event of (await runSchedule(seed, REAL)).happened) happened.add(event)
    }
    expect(ALL_SORTS.filter((sort) => !happened.has(sort))).toEqual([])
  })
})

/** Every kind of event: fates of store requests, ends of calls, and others. */
const ALL_SORTS = [
  'a month',
  'answerLost',
  'budget reached',
  'cancelled',
  'clock jump',
  'crashed',
  'done',
  'duplicated',
  'killed at work',
  'late',
  'settled',
  'the next month',
  'throttled',
  'timed_out',
  'upstream deaf',
  'upstream fails',
  'upstream hangs',
  'upstream slow',
  'upstream works',
  'upstream_failed',
  'void',
]

describe('a planted fault', () => {
  test.each(WRONG_PROTOCOLS)(
    'the simulation finds $name',
    async (protocol) => {
      const found = await firstViolation(protocol, WRONG_RUNS_MAX)
      expect(found?.violations[0] ?? 'nothing').toMatch(protocol.foundBy)
    },
    30_000,
  )

  test.each(WRONG_LEAVING)(
    'the simulation finds $name',
    async (protocol) => {
      const found = await firstViolation(protocol, WRONG_RUNS_MAX, simulatedLeaving)
      expect(found?.violations[0] ?? 'nothing').toMatch(protocol.foundBy)
    },
    30_000,
  )
})

async function firstViolation(
  protocol: Protocol,
  runs: number,
  open?: OpenSimulated,
): Promise<Run | undefined> {
  const first = protocol.firstSeed ?? FIRST_SEED
  for (let seed = first; seed < first + runs; seed += 1) {
    const run = await runSchedule(seed, protocol, false, open)
    if (run.violations.length > 0) return run
  }
  return undefined
}

/** What went wrong, how to see it again, and what happened before. */
async function story({ seed, violations }: Run, open?: OpenSimulated): Promise<string> {
  const { trace } = await runSchedule(seed, REAL, true, open)
  return [
    `seed ${seed}: ${violations.join('; ')}`,
    `again: SIMULATION_SEED=${seed} SIMULATION_RUNS=1 npx vitest run test/simulation`,
    ...trace.slice(-TRACE_LINES_MAX),
  ].join('\n')
}
