/**
 * Single requests of the real DynamoDB adapters in an order that the seed draws, against the
 * invariants of ARCHITECTURE.md. The short form has fixed seeds; the long form (long.ts) takes more of them, and
 * one seed can be run again. That it finds what is wrong: planted-bugs.test.ts.
 *
 *   npm run test:interleavings
 *   SIMULATION_SEED=1234 SIMULATION_RUNS=1 npx vitest run --project alone test/interleavings/interleavings.test.ts
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { NO_PLANT } from './plant.ts'
import { type Run, runScenario } from './scenario.ts'
import { secrets } from './scenarios/secrets.ts'
import { type Runner, replayCommand, SCENARIOS } from './scenarios.ts'
import { firstViolation } from './schedules.ts'

const FIRST_SEED = Number(process.env['SIMULATION_SEED'] ?? 1)
/** Divided among the scenarios. */
const RUNS = Number(process.env['SIMULATION_RUNS'] ?? 200)
/** Time for one schedule on a busy machine. */
const MS_PER_RUN_MAX = 100

const RUNS_EACH = Math.ceil(RUNS / SCENARIOS.length)
const TRACE_LINES_MAX = 400

/**
 * The SDK reads its configuration once in a process, which takes turns of the event loop that no seed
 * decides.
 */
beforeAll(async () => {
  await runScenario(secrets, 1, NO_PLANT)
})

describe('the requests of every flow that writes', () => {
  test.each(SCENARIOS)(
    'the requests of $name keep the invariants in any order',
    async (scenario) => {
      const found = await firstViolation(scenario, NO_PLANT, { first: FIRST_SEED, runs: RUNS_EACH })
      expect(found === undefined ? '' : await story(scenario, found)).toBe('')
    },
    300_000 + RUNS * MS_PER_RUN_MAX,
  )

  test.each(SCENARIOS)('a seed gives the same run of $name, step by step', async ({ run }) => {
    const first = await run(7, NO_PLANT, true)
    expect(first.trace.length).toBeGreaterThan(10)
    expect(await run(7, NO_PLANT, true)).toEqual(first)
    expect((await run(8, NO_PLANT, true)).trace).not.toEqual(first.trace)
  })
})

/** What went wrong, how to see it again, and what happened before. */
async function story(scenario: Runner, { seed, violations }: Run): Promise<string> {
  const { trace } = await scenario.run(seed, NO_PLANT, true)
  return [
    `seed ${seed}: ${violations.join('; ')}`,
    `again: ${replayCommand(scenario.name, seed)}`,
    ...trace.slice(-TRACE_LINES_MAX),
  ].join('\n')
}
