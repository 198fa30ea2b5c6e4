/**
 * A Vitest reporter that ends the run with `tests: 12 passed, 0 failed, 1 skipped` alone on a line.
 * CI's reader knows that form and not Vitest's own summary. A file that does not load and an error
 * outside any test count as one failure each; a run without a single finished test fails.
 */
import type { Reporter, TestCase, TestModule } from 'vitest/node'

type Counts = { passed: number; failed: number; skipped: number }

export default class ClosingLineReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const counts = countTests(modules)
    counts.failed += unhandled.length
    // Vitest prints its own summary first; this line must be the last one.
    process.once('exit', () => {
      console.log(closingLine(counts))
      if (counts.passed === 0 || counts.failed > 0) process.exitCode ||= 1
    })
  }
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
