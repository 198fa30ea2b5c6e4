/**
 * Which scenarios of the official suite are run, against which expected failures, and when a run is
 * good: the suite's own exit code is 0, it ran as many scenarios as it has, and what it does not score
 * passes too, but for what needs an extension that this gateway does not have.
 */
import { join } from 'node:path'
import type { SuiteRun } from './suite.ts'

export type Run = {
  readonly revision: string
  readonly args: readonly string[]
  /** How many scenarios this set has in 0.2.0-alpha.12: fewer would be a run of nothing. */
  readonly scenarios: number
  /** Scenarios that are listed as failing; each must fail (the suite sees to that). */
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

/** Run and reported by the suite, never scored: why these fail. */
const NOT_SERVED: ReadonlyMap<RegExp, string> = new Map([
  [/^tasks-/, 'io.modelcontextprotocol/tasks is an extension that this gateway does not have'],
  [
    /^json-schema-2020-12$/,
    'asks for a tool outside the prefix test_; run by itself against a twin with the prefix json',
  ],
])

/** What is wrong with a run, one line each; none: it is good. */
export function judgeRun(
  run: Run,
  seen: Pick<SuiteRun, 'exitCode' | 'outcomes' | 'summary'>,
): string[] {
  const faults: string[] = []
  if (seen.exitCode !== 0) faults.push(`the suite ended with ${seen.exitCode}`)
  if (seen.outcomes.length !== run.scenarios) {
    faults.push(`${seen.outcomes.length} scenarios ran instead of ${run.scenarios}`)
  }
  for (const scenario of uncountedFailures(seen)) {
    if ([...NOT_SERVED.keys()].some((known) => known.test(scenario))) continue
    faults.push(`${scenario} fails; it is not scored, and should pass all the same`)
  }
  return faults
}

/** Failing, and neither expected nor complained of: what the suite runs and does not score. */
function uncountedFailures({
  outcomes,
  summary,
}: Pick<SuiteRun, 'outcomes' | 'summary'>): readonly string[] {
  // `  ~ name` or `  ~ name:check` is expected, `  ✗ name` is not; both are indented.
  const counted = [...summary.matchAll(/^ {2}[~✗] ([^\s:]+)/gmu)].map(([, scenario]) => scenario)
  const failing = outcomes.filter(({ failed }) => failed > 0).map(({ scenario }) => scenario)
  return failing.filter((scenario) => !counted.includes(scenario))
}
