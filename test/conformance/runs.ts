/**
 * The scenarios of the official suite to run, with their expected failures, and the definition of a
 * good run: the suite's own exit code is 0, it ran as many scenarios as it has, and unscored
 * scenarios pass too, except those that are run by themselves.
 */
import { join } from 'node:path'
import type { SuiteRun } from './suite.ts'

export type Run = {
  readonly revision: string
  readonly args: readonly string[]
  /** The number of scenarios of this set in 0.2.0-alpha.12: fewer would mean an incomplete run. */
  readonly scenarios: number
  /** Scenarios listed as failing; each must fail, and the suite checks that. */
  readonly expectedFailures: string
  /** The suite tries streams at once only with a server that gives a session id. */
  readonly withSessionId: boolean
}

const LEGACY = join(import.meta.dirname, 'expected-failures.2025-11-25.yaml')
const MODERN = join(import.meta.dirname, 'expected-failures.2026-07-28.yaml')

export const RUNS: readonly Run[] = [
  {
    revision: '2025-06-18',
    args: ['--suite', 'all', '--spec-version', '2025-06-18'],
    scenarios: 27,
    expectedFailures: LEGACY,
    withSessionId: false,
  },
  {
    revision: '2025-11-25',
    args: ['--requirements', '2025-11-25'],
    scenarios: 33,
    expectedFailures: LEGACY,
    withSessionId: true,
  },
  {
    revision: '2026-07-28',
    args: ['--requirements', '2026-07-28'],
    scenarios: 50,
    expectedFailures: MODERN,
    withSessionId: false,
  },
]

/** Scenarios that the suite runs but never scores, and the reasons why they fail in these runs. */
const RUN_BY_THEMSELVES: ReadonlyMap<RegExp, string> = new Map([
  [
    /^tasks-/,
    'calls tools outside the prefix test_; run by themselves, behind a proxy that adds it (extension-scenarios.ts)',
  ],
  [
    /^json-schema-2020-12$/,
    'asks for a tool outside the prefix test_; run by itself against a twin with the prefix json',
  ],
])

/** The faults of a run, one line each; an empty list: it is good. */
export function judgeRun(
  run: Run,
  suiteRun: Pick<SuiteRun, 'exitCode' | 'outcomes' | 'summary'>,
): string[] {
  const faults: string[] = []
  if (suiteRun.exitCode !== 0) faults.push(`the suite ended with ${suiteRun.exitCode}`)
  if (suiteRun.outcomes.length !== run.scenarios) {
    faults.push(`${suiteRun.outcomes.length} scenarios ran instead of ${run.scenarios}`)
  }
  for (const scenario of uncountedFailures(suiteRun)) {
    if ([...RUN_BY_THEMSELVES.keys()].some((known) => known.test(scenario))) continue
    faults.push(`${scenario} fails; it is not scored, and should pass all the same`)
  }
  return faults
}

/**
 * Failing scenarios that are neither expected nor reported: the suite runs them without a score.
 */
function uncountedFailures({
  outcomes,
  summary,
}: Pick<SuiteRun, 'outcomes' | 'summary'>): readonly string[] {
  // `  ~ name` or `  ~ name:check` is expected, `  ✗ name` is not; both are indented.
  const counted = [...summary.matchAll(/^ {2}[~✗] ([^\s:]+)/gmu)].map(([, scenario]) => scenario)
  const failing = outcomes.filter(({ failed }) => failed > 0).map(({ scenario }) => scenario)
  return failing.filter((scenario) => !counted.includes(scenario))
}
