/**
 * That the schedules of interleavings.test.ts can find what is wrong: they meet every fate of a request and every
 * method that writes, and bugs that are planted between the adapters and the store are reported.
 */
import { beforeAll, describe, expect, test } from 'vitest'
import { calledMethods, WRITING_METHODS } from './noted-writes.ts'
import { NO_PLANT } from './plant.ts'
import { PLANTS } from './plants.ts'
import { type Run, runScenario } from './scenario.ts'
import { secrets } from './scenarios/secrets.ts'
import { type Runner, SCENARIOS } from './scenarios.ts'
import { firstViolation } from './schedules.ts'

/** Schedules in which a planted bug must have been found. */
const PLANTED_RUNS_MAX = 1_000

/** Schedules of one scenario in which every fate and every method must have come. */
const SEEDS_MAX = 40

const FATES = ['done', 'answer lost', 'late', 'throttled', 'conflict', 'failed', 'failed after']
const READS_EVENTUALLY = ['calls', 'keyed calls', 'sessions']

/** The SDK reads its configuration once in a process, which takes turns of the event loop that no seed decides. */
beforeAll(async () => {
  await runScenario(secrets, 1, NO_PLANT)
})

describe('the requests of every flow that writes', () => {
  test.each(SCENARIOS)('the schedules of $name meet every fate of a request', async (scenario) => {
    const fates = READS_EVENTUALLY.includes(scenario.name) ? [...FATES, 'stale'] : FATES
    const missing = new Set(fates)
    for (let seed = 1; seed <= SEEDS_MAX && missing.size > 0; seed += 1) {
      for (const fate of (await runOnce(scenario, seed)).happened) missing.delete(fate)
    }
    expect([...missing]).toEqual([])
  })
})

test('every method of the store that writes is called in some scenario', async () => {
  const missing = () => WRITING_METHODS.filter((name) => !calledMethods.has(name))
  for (let seed = 1; seed <= SEEDS_MAX && missing().length > 0; seed += 1) {
    for (const scenario of SCENARIOS) await runOnce(scenario, seed)
  }
  expect(missing()).toEqual([])
})

describe('planted bugs', () => {
  test('20 bugs at least are planted, and some in every scenario', () => {
    expect(PLANTS.length).toBeGreaterThanOrEqual(20)
    const planted = new Set(PLANTS.map(({ scenario }) => scenario))
    expect(SCENARIOS.filter(({ name }) => !planted.has(name))).toEqual([])
  })

  test.each(PLANTS)('the planted bug in $scenario is found: $name', async (plant) => {
    const scenario = SCENARIOS.find(({ name }) => name === plant.scenario)
    if (scenario === undefined) throw new Error(`no scenario ${plant.scenario}`)
    const found = await firstViolation(scenario, plant, {
      first: plant.fromSeed ?? 1,
      runs: PLANTED_RUNS_MAX,
    })
    expect(found?.violations.join('; ') ?? 'nothing').toMatch(plant.foundBy)
  })
})

const known = new Map<string, Promise<Run>>()

/** A seed always gives the same run, and two tests look at it. */
function runOnce({ name, run }: Runner, seed: number): Promise<Run> {
  const place = `${name} ${seed}`
  const found = known.get(place) ?? run(seed, NO_PLANT)
  known.set(place, found)
  return found
}
