/**
 * Single requests of the real DynamoDB adapters in an order that the seed draws, against the
 * invariants of ARCHITECTURE.md, and planted bugs that must be found. The short form has fixed seeds;
 * the long form is this file with more, and one seed can be run again:
 *
 *   npm run test:long
 *   SIMULATION_SEED=1234 SIMULATION_RUNS=1 npx vitest run test/interleavings/interleavings.test.ts
 */
import { beforeAll, describe, expect, test } from 'vitest'
import type { Plant } from './plant.ts'
import { NO_PLANT } from './plant.ts'
import { type Run, runScenario, type Scenario } from './scenario.ts'
import { runCalls } from './scenarios/calls.ts'
import { keys } from './scenarios/keys.ts'
import { leases } from './scenarios/leases.ts'
import { migration } from './scenarios/migration.ts'
import { secrets } from './scenarios/secrets.ts'
import { sessions } from './scenarios/sessions.ts'

const FIRST_SEED = Number(process.env['SIMULATION_SEED'] ?? 1)
const RUNS = Number(process.env['SIMULATION_RUNS'] ?? 2_000)

type Runner = {
  readonly name: string
  readonly run: (seed: number, plant: Plant, tracing?: boolean) => Promise<Run>
}
const runnerOf = (scenario: Scenario): Runner => ({
  name: scenario.name,
  run: (seed, plant, tracing) => runScenario(scenario, seed, plant, tracing),
})
const SCENARIOS: readonly Runner[] = [
  { name: 'calls', run: runCalls },
  ...[secrets, keys, migration, sessions, leases].map(runnerOf),
]
const TRACE_LINES_MAX = 400

/** The SDK reads its configuration once in a process, which takes turns that no seed knows of. */
beforeAll(async () => {
  await runScenario(secrets, 1, NO_PLANT)
})

describe('the requests of every flow that writes, in any order', () => {
  test.each(SCENARIOS)('$name', async (scenario) => {
    const found = await firstViolation(scenario, Math.ceil(RUNS / SCENARIOS.length))
    expect(found === undefined ? '' : await story(scenario, found)).toBe('')
  })
})

async function firstViolation(scenario: Runner, runs: number): Promise<Run | undefined> {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + runs; seed += 1) {
    const run = await scenario.run(seed, NO_PLANT)
    if (run.violations.length > 0) return run
  }
  return undefined
}

async function story(scenario: Runner, { seed, violations }: Run): Promise<string> {
  const { trace } = await scenario.run(seed, NO_PLANT, true)
  return [
    `seed ${seed}: ${violations.join('; ')}`,
    `again: SIMULATION_SEED=${seed} SIMULATION_RUNS=1 npx vitest run test/interleavings`,
    ...trace.slice(-TRACE_LINES_MAX),
  ].join('\n')
}
