/** One kind of world: who acts in it, and what must hold. */
import type { Plant } from './plant.ts'
import { withSeededRuntime } from './seeded-runtime.ts'
import { makeWorld, planCrash, report, runOut, type World } from './world.ts'

export type Scenario = {
  readonly name: string
  /** Makes the records, plans the actors and sets the check; returns the check of the end. */
  start(world: World): Promise<() => Promise<void>>
}

export type Run = {
  readonly seed: number
  readonly violations: readonly string[]
  /** One line for each event, with true times; empty unless requested. */
  readonly trace: readonly string[]
  readonly happened: ReadonlySet<string>
}

export function runScenario(
  scenario: Scenario,
  seed: number,
  plant: Plant,
  tracing = false,
): Promise<Run> {
  return withSeededRuntime(seed, async (runtime) => {
    const world = makeWorld(seed, plant, runtime, tracing)
    const end = await scenario.start(world)
    for (let crashes = world.random.pick([0, 0, 1, 2]); crashes > 0; crashes -= 1) planCrash(world)
    await runOut(world)
    for (const process of world.processes) process.alive = false
    if (world.violations.length === 0) await end().catch((cause) => report(world, String(cause)))
    const { happened, trace, violations } = world
    return { seed, violations, trace, happened }
  })
}
