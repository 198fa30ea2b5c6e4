/**
 * The scenarios of the official suite about extensions (tasks and guides), each run by itself and without `--spec-version`:
 * with it, the suite skips scenarios of extensions and ends with 0 all the same. So a good run has
 * the number of checks that the scenario has in 0.2.0-alpha.12.
 */
import type { SuiteRun } from './suite.ts'

export type ExtensionScenario = { readonly name: string; readonly checks: number }

export const EXTENSION_SCENARIOS: readonly ExtensionScenario[] = [
  { name: 'tasks-lifecycle', checks: 9 },
  { name: 'tasks-capability-negotiation', checks: 5 },
  { name: 'tasks-wire-fields', checks: 4 },
  { name: 'tasks-request-state-removal', checks: 3 },
  { name: 'tasks-mrtr-input', checks: 4 },
  { name: 'tasks-request-headers', checks: 5 },
  { name: 'tasks-dispatch-and-envelope', checks: 9 },
  { name: 'tasks-required-task-error', checks: 3 },
  { name: 'tasks-mrtr-composition', checks: 2 },
  { name: 'sep-2640-skills-enumeration', checks: 32 },
  { name: 'sep-2640-skills-manifest', checks: 6 },
  { name: 'sep-2640-skills-directory', checks: 7 },
]

/** The faults of a scenario, one line each; an empty list: it is good. */
export function judgeScenario(
  { checks, name }: ExtensionScenario,
  { exitCode, summary }: Pick<SuiteRun, 'exitCode' | 'summary'>,
): string[] {
  const counts = /^Passed: (\d+)\/(\d+), (\d+) failed, (\d+) warnings?$/m.exec(summary)
  const [passed, all, failed, warnings] = (counts ?? []).slice(1).map(Number)
  const isGood =
    exitCode === 0 && passed === checks && all === checks && failed === 0 && warnings === 0
  if (isGood) return []
  return [`${name}: ${counts?.[0] ?? 'no count'} with exit code ${exitCode}, of ${checks} checks`]
}
