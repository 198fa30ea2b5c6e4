/** deploy, diff and destroy start the programs of a clone in order, and stop at the first that fails. */
import { describe, expect, test } from 'vitest'
import { runLine } from './test-shell.ts'

/**
 * Replaces the programs, which need an AWS account. `codes`: exit codes, by a part of a program's file name.
 */
async function started(line: string, codes: { readonly [part: string]: number } = {}) {
  const words: string[] = []
  const outcome = await runLine(line.split(' '), {
    programs: {
      show: (_file, [script = '', ...args]) => {
        const name = script.replace(/^.*\/(scripts|bin|node_modules\/aws-cdk\/bin)\//, '')
        const shown = args.map((one) => one.replace(/^.*outputs\.json$/, 'OUTPUTS'))
        words.push([name, ...shown].join(' '))
        return Promise.resolve(codes[name] ?? 0)
      },
      collect: () => Promise.resolve(undefined),
    },
  })
  return { ...outcome, words }
}

describe('skillgate deploy', () => {
  test('a deploy asks the account, tells the price, deploys, and ends with the first key', async () => {
    const { code, words } = await started('deploy --stage prod -- --require-approval never')
    expect([code, words]).toEqual([
      0,
      [
        'preflight.ts --stage prod',
        'estimate.ts',
        'bundle.ts',
        'deploy.ts -c stage=prod --require-approval never --outputs-file OUTPUTS',
        'welcome.ts --outputs OUTPUTS',
      ],
    ])
  })

  test.each([
    ['preflight.ts', 1],
    ['bundle.ts', 3],
    ['deploy.ts', 4],
    ['welcome.ts', 5],
  ])(
    'a deploy whose %s ends with a code ends with it, and starts nothing more',
    async (name, count) => {
      const { code, words } = await started('deploy', { [name]: 7 })
      expect([code, words.length]).toEqual([7, count])
    },
  )
})

test('a diff and a destroy go to the CDK with their stage, and a destroy asks first', async () => {
  expect((await started('diff --stage prod')).words).toEqual([
    'bundle.ts',
    'cdk diff -c stage=prod',
  ])
  expect(await started('destroy')).toMatchObject({ code: 2, words: [] })
  expect((await started('destroy --yes')).words).toEqual(['cdk destroy --all --force -c stage=dev'])
})
