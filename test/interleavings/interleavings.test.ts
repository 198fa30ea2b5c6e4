/**
 * Single requests of the real DynamoDB adapters in an order that the seed draws, against the
 * invariants of ARCHITECTURE.md, and planted bugs that must be found. The short form has fixed seeds;
 * the long form (long.ts) takes more of them, and one seed can be run again:
 *
 *   npm run test:interleavings
 *   SIMULATION_SEED=1234 SIMULATION_RUNS=1 npx vitest run --project alone test/interleavings/interleavings.test.ts
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { calledMethods, WRITING_METHODS } from './noted-writes.ts'
import { NO_PLANT, type Plant } from './plant.ts'
import { PLANTS } from './plants.ts'
import { type Run, runScenario } from './scenario.ts'
import { secrets } from './scenarios/secrets.ts'
import { type Runner, replayCommand, SCENARIOS } from './scenarios.ts'

const FIRST_SEED = Number(process.env['SIMULATION_SEED'] ?? 1)
/** Divided among the scenarios; .ci/run takes 2,000. */
const RUNS = Number(process.env['SIMULATION_RUNS'] ?? 200)
/** Schedules in which a planted bug must have been found. */
const PLANTED_RUNS_MAX = 1_000
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
      const found = await firstViolation(scenario, NO_PLANT, RUNS_EACH)
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

  test.each(SCENARIOS)('the schedules of $name meet every fate of a request', async (scenario) => {
    const fatesMet = new Set<string>()
    for (let seed = 1; seed <= 40; seed += 1) {
      for (const fate of (await runOnce(scenario, seed)).happened) fatesMet.add(fate)
    }
    const fates = READS_EVENTUALLY.includes(scenario.name) ? [...FATES, 'stale'] : FATES
    expect(fates.filter((fate) => !fatesMet.has(fate))).toEqual([])
  })
})

test('every method of the store that writes is called in some scenario', async () => {
  for (const scenario of SCENARIOS) {
    for (let seed = 1; seed <= 40; seed += 1) await runOnce(scenario, seed)
  }
  const missing = WRITING_METHODS.filter((name) => !calledMethods.has(name))
  expect(missing).toEqual([])
}, 120_000)

const FATES = ['done', 'answer lost', 'late', 'throttled', 'conflict', 'failed', 'failed after']
const READS_EVENTUALLY = ['calls', 'sessions']

describe('planted bugs', () => {
  test('20 bugs at least are planted, and some in every scenario', () => {
    expect(PLANTS.length).toBeGreaterThanOrEqual(20)
    const planted = new Set(PLANTS.map(({ scenario }) => scenario))
    expect(SCENARIOS.filter(({ name }) => !planted.has(name))).toEqual([])
  })

  test.each(PLANTS)('the planted bug in $scenario is found: $name', async (plant) => {
    const scenario = SCENARIOS.find(({ name }) => name === plant.scenario)
    if (scenario === undefined) throw new Error(`no scenario ${plant.scenario}`)
    const found = await firstViolation(scenario, plant, PLANTED_RUNS_MAX)
    expect(found?.violations.join('; ') ?? 'nothing').toMatch(plant.foundBy)
  })
})

const known = new Map<string, Promise<Run>>()

/** A seed always gives the same run, and several tests look at it. */
function runOnce({ name, run }: Runner, seed: number): Promise<Run> {
  const place = `${name} ${seed}`
  const found = known.get(place) ?? run(seed, NO_PLANT)
  known.set(place, found)
  return found
}

/** Of a plant: the first one that it must be found by. A bug may break something else before. */
async function firstViolation(
  scenario: Runner,
  plant: Plant,
  runs: number,
): Promise<Run | undefined> {
  const first = plant === NO_PLANT ? FIRST_SEED : (plant.fromSeed ?? 1)
  for (let seed = first; seed < first + runs; seed += 1) {
    const run = plant === NO_PLANT ? await runOnce(scenario, seed) : await scenario.run(seed, plant)
    const isFound = plant === NO_PLANT ? () => true : (text: string) => plant.foundBy.test(text)
    if (run.violations.some(isFound)) return run
  }
  return undefined
}

/** What went wrong, how to see it again, and what happened before. */
async function story(scenario: Runner, { seed, violations }: Run): Promise<string> {
  const { trace } = await scenario.run(seed, NO_PLANT, true)
  return [
    `seed ${seed}: ${violations.join('; ')}`,
    `again: ${replayCommand(scenario.name, seed)}`,
    ...trace.slice(-TRACE_LINES_MAX),
  ].join('\n')
}
