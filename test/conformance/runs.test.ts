import { describe, expect, test } from 'vitest'
import { judgeScenario } from './extension-scenarios.ts'
import { judgeRun, RUNS } from './runs.ts'
import { readOutcomes } from './suite.ts'

const SUMMARY = `=== SUMMARY ===
✓ ping: 2 passed, 0 failed
✓ tools-list: 3 passed, 0 failed, 1 warnings
✗ completion-complete: 1 passed, 1 failed
✗ caching: 4 passed, 3 failed
✗ tasks-lifecycle: 0 passed, 9 failed

Total: 10 passed, 13 failed, 1 warnings

Expected failures (in baseline):
  ~ completion-complete
  ~ caching:sep-2549-prompts-list-caching-hints`

const [first] = RUNS
if (first === undefined) throw new Error('no runs')
const run = { ...first, scenarios: 5 }
const judge = (summary: string, exitCode = 0) =>
  judgeRun(run, { exitCode, summary, outcomes: readOutcomes(summary) })

test('the report of the suite gives the outcome of each scenario', () => {
  expect(readOutcomes(SUMMARY).slice(1, 3)).toEqual([
    { scenario: 'tools-list', passed: 3, failed: 0, warnings: 1 },
    { scenario: 'completion-complete', passed: 1, failed: 1, warnings: 0 },
  ])
})

describe('a run of the suite', () => {
  test('is good with its exit code 0, all its scenarios, and failures that are expected or run by themselves', () => {
    expect(judge(SUMMARY)).toEqual([])
  })

  test('is not good when the suite says so', () => {
    expect(judge(SUMMARY, 1)).toEqual(['the suite ended with 1'])
  })

  test('is not good when scenarios are missing', () => {
    expect(judge('')).toEqual(['0 scenarios ran instead of 5'])
  })

  test('is not good when a scenario fails that is not scored', () => {
    const summary = SUMMARY.replace('✗ tasks-lifecycle', '✗ http-header-validation')
    expect(judge(summary)).toEqual([
      'http-header-validation fails; it is not scored, and should pass all the same',
    ])
  })
})

describe('a scenario about tasks', () => {
  const good = { exitCode: 0, summary: 'Test Results:\nPassed: 9/9, 0 failed, 0 warnings' }
  const lifecycle = { name: 'tasks-lifecycle', checks: 9 }

  test('is good with its exit code 0 and all its checks', () => {
    expect(judgeScenario(lifecycle, good)).toEqual([])
  })

  test.each([
    ['was skipped', { exitCode: 0, summary: 'Passed: 0/0, 0 failed, 0 warnings' }],
    ['has a warning', { exitCode: 0, summary: 'Passed: 9/9, 0 failed, 1 warnings' }],
    ['says nothing', { exitCode: 0, summary: '' }],
    ['ends with 1', { ...good, exitCode: 1 }],
  ])('is not good when it %s', (_what, run) => {
    expect(judgeScenario(lifecycle, run)).toHaveLength(1)
  })
})
