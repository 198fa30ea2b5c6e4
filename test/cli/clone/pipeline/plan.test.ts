/** What a pull request shows of a deploy. */
import { describe, expect, test } from 'vitest'
import {
  compareLines,
  formatPlan,
  PLAN,
  PLAN_CHARS_MAX,
} from '../../../../cli/clone/pipeline/plan.ts'
import { runIn } from '../../test-shell.ts'

const PARTS = { preflight: 'Stage prod fits this account.', cost: '', rights: '', changes: '' }

test('a plan has the account, the cost and widened rights before all other changes', () => {
  const text = formatPlan('prod', { ...PARTS, rights: 'IAM Statement Changes', changes: '[~] x' })
  expect(text.match(/^##.*$/gm)).toEqual([
    '## What a deploy of stage prod would do',
    '### The account',
    '### The cost',
    '### Widened rights',
    '### All changes',
  ])
  expect(text).toContain('The same as before.')
  expect(text).toContain('```text\nIAM Statement Changes\n```')
})

test('a plan says that no right is widened', () => {
  expect(formatPlan('prod', PARTS)).toContain('### Widened rights\n\nNone.')
})

test(`a plan has ${PLAN_CHARS_MAX} characters at most, and says where it was cut`, () => {
  const text = formatPlan('prod', { ...PARTS, changes: 'x'.repeat(PLAN_CHARS_MAX) })
  expect(text.length).toBeLessThanOrEqual(PLAN_CHARS_MAX)
  expect(text).toMatch(/… cut here; the log of the workflow has all of it\n```$/)
  expect(formatPlan('prod', { ...PARTS, changes: 'x'.repeat(1_000) })).not.toContain('… cut here')
})

test('no text of a template ends the block that it stands in', () => {
  const text = formatPlan('prod', { ...PARTS, changes: '```\n# Approved' })
  expect(text).toContain('````text\n```\n# Approved\n````')
})

test('the cost shows the lines that differ', () => {
  expect(compareLines('a\nb 1\nc\n', 'a\nb 2\nc\n')).toBe('- b 1\n+ b 2')
  expect(compareLines('a\n', 'a\n')).toBe('')
})

describe('the command', () => {
  const run = (answer: (args: readonly string[]) => { code: number; stdout: string }) =>
    runIn((shell) => PLAN.run(['--stage', 'prod', '--base', '/base'], shell), {
      programs: {
        show: async () => 0,
        launch: () => {},
        collect: async (_, args) => answer(args),
      },
    })

  test('compares the cost of the base with its own, and passes the stage to the CDK', async () => {
    const asked: string[] = []
    const { code, out } = await run((args) => {
      asked.push(args.slice(0, 2).join(' ').replace(process.cwd(), ''))
      const isBase = args[0] === '/base/scripts/cost.ts'
      return { code: 0, stdout: args[0]?.endsWith('cost.ts') ? `sum ${isBase ? 1 : 2}` : '' }
    })
    expect(code).toBe(0)
    expect(out).toContain('```diff\n- sum 1\n+ sum 2\n```')
    expect(asked).toContain('/base/scripts/cost.ts')
  })

  test('writes everything, and exits with 1 if the stage does not fit', async () => {
    const { code, out } = await run((args) =>
      args[1] === 'preflight' ? { code: 1, stdout: 'does not fit  x' } : { code: 0, stdout: '' },
    )
    expect(code).toBe(1)
    expect(out).toContain('does not fit  x')
    expect(out).toContain('### All changes')
  })

  test('names the stage that is missing', async () => {
    const { code, err } = await runIn((shell) => PLAN.run([], shell))
    expect([code, err]).toEqual([2, 'plan: --stage: is missing; name the stage\n'])
  })
})
