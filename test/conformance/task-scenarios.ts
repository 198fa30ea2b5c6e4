/**
 * The scenarios of the official suite about tasks, each run by itself and without `--spec-version`:
 * with it, the suite skips scenarios of extensions and ends with 0 all the same. So a good run has
 * the number of checks that the scenario has in 0.2.0-alpha.12.
 */
import type { SuiteRun } from './suite.ts'

export type TaskScenario = { readonly name: string; readonly checks: number }

export const TASK_SCENARIOS: readonly TaskScenario[] = [
  { name: 'tasks-lifecycle', checks: 9 },
  { name: 'tasks-capability-negotiation', checks: 5 },
  { name: 'tasks-wire-fields', checks: 4 },
  { name: 'tasks-request-state-removal', checks: 3 },
  { name: 'tasks-mrtr-input', checks: 4 },
  { name: 'tasks-request-headers', checks: 5 },
  { name: 'tasks-dispatch-and-envelope', checks: 9 },
  { name: 'tasks-required-task-error', checks: 3 },
  { name: 'tasks-mrtr-composition', checks: 2 },
]

/** The faults of a scenario, one line each; an empty list: it is good. */
export function judgeTaskScenario(
  { checks, name }: TaskScenario,
  { exitCode, summary }: Pick<SuiteRun, 'exitCode' | 'summary'>,
): string[] {
  const counts = /^Passed: (\d+)\/(\d+), (\d+) failed, (\d+) warnings?$/m.exec(summary)
  const [passed, all, failed, warnings] = (counts ?? []).slice(1).map(Number)
  const isGood =
    exitCode === 0 && passed === checks && all === checks && failed === 0 && warnings === 0
  if (isGood) return []
  return [`${name}: ${counts?.[0] ?? 'no count'} with exit code ${exitCode}, of ${checks} checks`]
}
