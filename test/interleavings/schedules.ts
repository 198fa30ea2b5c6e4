/** Schedules of a scenario, one seed after the other. */
import { NO_PLANT, type Plant } from './plant.ts'
import type { Run } from './scenario.ts'
import type { Runner } from './scenarios.ts'

/** Of a plant: the first run that it must be found by. A bug may break something else before. */
export async function firstViolation(
  scenario: Runner,
  plant: Plant,
  { first, runs }: { readonly first: number; readonly runs: number },
): Promise<Run | undefined> {
  for (let seed = first; seed < first + runs; seed += 1) {
    const run = await scenario.run(seed, plant)
    const isFound = plant === NO_PLANT ? () => true : (text: string) => plant.foundBy.test(text)
    if (run.violations.some(isFound)) return run
  }
  return undefined
}
