/**
 * A Vitest reporter that names the slowest files of a long run, and ends each run with
 * `tests: 12 passed, 0 failed, 1 skipped` alone on a line. CI's reader knows that form and not Vitest's
 * own summary. A file that does not load and an error outside any test count as one failure each; a
 * run without a single finished test fails.
 */
import type { Reporter, TestCase, TestModule } from 'vitest/node'

type Counts = { passed: number; failed: number; skipped: number }

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = countTests(modules)
    counts.failed += unhandled.length
    // Vitest prints its own summary first; this line must be the last one.
    process.once('exit', () => {
      for (const line of slowestFiles(modules)) console.log(line)
      console.log(closingLine(counts))
      if (counts.passed === 0 || counts.failed > 0) process.exitCode ||= 1
    })
  }
}

/** Of a run with more files than these; a shorter one shows its times by itself. */
const SLOWEST_FILES = 10

/** With what they imported; beside other files each takes longer than by itself. */
function slowestFiles(modules: readonly TestModule[]): readonly string[] {
  if (modules.length <= SLOWEST_FILES) return []
  const slowest = modules
    .map((module) => ({ file: module.relativeModuleId, ms: durationMs(module) }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST_FILES)
  return [
    `The ${SLOWEST_FILES} slowest files:`,
    ...slowest.map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`),
    '',
  ]
}

function durationMs(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic()
  return collectDuration + duration
}

function countTests(modules: readonly TestModule[]): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const module of modules) {
    const tests = [...module.children.allTests()]
    for (const test of tests) counts[outcomeOf(test)] += 1
    const failedItself = module.errors().length > 0 || module.state() === 'failed'
    if (failedItself && !tests.some((test) => outcomeOf(test) === 'failed')) counts.failed += 1
  }
  return counts
}

/** A test that started and never finished has not passed. */
function outcomeOf(test: TestCase): keyof Counts {
  const { state } = test.result()
  return state === 'pending' ? 'failed' : state
}

function closingLine({ passed, failed, skipped }: Counts): string {
  return `tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
