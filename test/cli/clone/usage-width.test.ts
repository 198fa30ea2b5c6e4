/** The usage of every program of a clone fits a narrow terminal. */
import { expect, test } from 'vitest'
import { DEPLOY } from '../../../cli/clone/deploy/cdk.ts'
import { PLAN } from '../../../cli/clone/pipeline/plan.ts'
import { PREFLIGHT } from '../../../cli/clone/preflight/preflight.ts'
import { runProgram } from '../../../cli/clone/program.ts'
import { runIn } from '../test-shell.ts'

test.each([
  ['plan', PLAN],
  ['preflight', PREFLIGHT],
  ['deploy', DEPLOY],
])('the usage of %s fits 80 columns', async (_name, program) => {
  const { code, out } = await runIn((shell) => runProgram(program, ['--help'], shell))
  expect(code).toBe(0)
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([])
})
