/**
 * Checks an account's limits before a stage is deployed into it. Reads only. Exits with 1 when the stage does not
 * fit or the account cannot be read, with 2 for wrong arguments.
 */
import { parseArgs } from 'node:util'
import type { Stage } from '../../../lib/stage.ts'
import { stageNamed } from '../../../lib/stages.ts'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { type Program, textOf } from '../program.ts'
import { readFacts } from './facts.ts'
import { type Verdict, verdictOf } from './verdict.ts'

const USAGE = `npm run preflight [-- --stage prod]: checks an account's limits before a stage is deployed into
it. Reads only. Exits with 1 when the stage does not fit or the account cannot be read, with 2
for wrong arguments. Follows AWS_ENDPOINT_URL, so that it can be tried on an emulator.`

export const PREFLIGHT: Program = { usage: USAGE, run: preflight }

async function preflight(words: readonly string[], shell: Shell): Promise<ExitCode> {
  const failed = (code: ExitCode) => (cause: unknown) => {
    shell.err.write(`preflight: ${textOf(cause)}\n`)
    return code
  }
  let stage: Stage
  try {
    stage = stageOf(words)
  } catch (cause) {
    return failed(EXIT.usage)(cause)
  }
  return judge(stage, shell).catch(failed(EXIT.failed))
}

function stageOf(words: readonly string[]): Stage {
  const stage = { type: 'string', default: 'dev' } as const
  return stageNamed(parseArgs({ args: [...words], options: { stage } }).values.stage)
}

async function judge(stage: Stage, shell: Shell): Promise<ExitCode> {
  const verdict = verdictOf(await readFacts(shell.env), stage)
  shell.out.write(`${linesOf(verdict, stage.name).join('\n')}\n`)
  return verdict.faults.length === 0 ? EXIT.ok : EXIT.failed
}

function linesOf({ facts, faults, warnings }: Verdict, stage: string): readonly string[] {
  const width = Math.max(...facts.map(([name]) => name.length))
  return [
    ...facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    '',
    ...faults.map((fault) => `does not fit  ${fault}`),
    ...warnings.map((warning) => `warning       ${warning}`),
    ...(faults.length === 0 ? [`Stage ${stage} fits this account.`] : []),
  ]
}
