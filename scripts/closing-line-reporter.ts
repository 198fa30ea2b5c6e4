/**
 * A Vitest reporter that names the slowest files of a long run, and ends each run with `tests: 12
 * passed, 0 failed, 1 skipped` alone on a line. CI reads that form and not Vitest's own summary. A
 * file that does not load and an error outside any test each count as one failure; a run without a
 * single finished test fails.
 */
import type { Reporter, TestCase, TestModule } from 'vitest/node'

type Counts = { passed: number; failed: number; skipped: number }

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = countTests(modules)
    counts.failed += unhandled.length
    // Vitest prints its own summary first; this line must be the last one.
    process.once('exit', () => {
      for (const line of formatSlowestFiles(modules)) console.log(line)
      console.log(formatClosingLine(counts))
      if (counts.passed === 0 || counts.failed > 0) process.exitCode ||= 1
    })
  }
}

/** Number of files that are named; a run with fewer files shows its times by itself. */
const SLOWEST_FILES = 10

/**
 * Returns the slowest files, with the time of their imports. A file takes longer beside others than
 * alone.
 */
function formatSlowestFiles(modules: readonly TestModule[]): readonly string[] {
  if (modules.length <= SLOWEST_FILES) return []
  const slowest = modules
    .map((module) => ({ file: module.relativeModuleId, ms: readDurationMs(module) }))
    .sort((a, b) => b.ms - a.ms)
    .slice(0, SLOWEST_FILES)
  return [
    `The ${SLOWEST_FILES} slowest files:`,
    ...slowest.map(({ file, ms }) => `${(ms / 1_000).toFixed(1).padStart(7)} s  ${file}`),
    '',
  ]
}

function readDurationMs(module: TestModule): number {
  const { collectDuration, duration } = module.diagnostic()
  return collectDuration + duration
}

function countTests(modules: readonly TestModule[]): Counts {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const module of modules) {
    const tests = [...module.children.allTests()]
    for (const test of tests) counts[readOutcome(test)] += 1
    const failedItself = module.errors().length > 0 || module.state() === 'failed'
    if (failedItself && !tests.some((test) => readOutcome(test) === 'failed')) counts.failed += 1
  }
  return counts
}

/** Returns the outcome of a test. A test that started and never finished has failed. */
function readOutcome(test: TestCase): keyof Counts {
  const { state } = test.result()
  return state === 'pending' ? 'failed' : state
}

function formatClosingLine({ passed, failed, skipped }: Counts): string {
  return `tests: ${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`
}
