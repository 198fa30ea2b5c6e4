/**
 * Checks whether an account admits a stage before it is deployed, for the first time or again. Only
 * reads. Exits with 1 if the stage does not fit or the account cannot be read, with 2 for wrong
 * arguments.
 */
import { parseArgs } from 'node:util'
import type { Stage } from '../../../lib/stage.ts'
import { assertAccount } from '../../../lib/stages.ts'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { describeCause, type Program } from '../program.ts'
import { loadStageOf, toStageEnv } from '../stage.ts'
import { readFacts } from './facts.ts'
import { assessStage, type Verdict } from './verdict.ts'

const USAGE = `npm run preflight [-- --stage prod --config PATH]: checks an account's limits,
region and permissions before a stage is deployed into it, for the first time or
again. Changes nothing. Exits with 1 when the stage does not fit or the account
cannot be read, with 2 for wrong arguments. Follows AWS_ENDPOINT_URL, so that it
can be tried on an emulator.`

export const PREFLIGHT: Program = { usage: USAGE, run: preflight }

async function preflight(words: readonly string[], shell: Shell): Promise<ExitCode> {
  const reportFailure = (code: ExitCode) => (cause: unknown) => {
    shell.err.write(`preflight: ${describeCause(cause)}\n`)
    return code
  }
  let stage: Stage
  try {
    stage = readStage(words, shell)
  } catch (cause) {
    return reportFailure(EXIT.usage)(cause)
  }
  return checkStage(stage, shell).catch(reportFailure(EXIT.failed))
}

function readStage(words: readonly string[], shell: Shell): Stage {
  const text = { type: 'string' } as const
  const { values } = parseArgs({ args: [...words], options: { stage: text, config: text } })
  return loadStageOf(values, shell)
}

async function checkStage(stage: Stage, shell: Shell): Promise<ExitCode> {
  const facts = await readFacts(toStageEnv(stage, shell.env), stage)
  assertAccount(stage, facts.account)
  const verdict = assessStage(facts, stage)
  shell.out.write(`${formatVerdict(verdict, stage.name).join('\n')}\n`)
  return verdict.faults.length === 0 ? EXIT.ok : EXIT.failed
}

function formatVerdict({ facts, faults, warnings }: Verdict, stage: string): readonly string[] {
  const width = Math.max(...facts.map(([name]) => name.length))
  return [
    ...facts.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    '',
    ...faults.map((fault) => `does not fit  ${fault}`),
    ...warnings.map((warning) => `warning       ${warning}`),
    ...(faults.length === 0 ? [`Stage ${stage} fits this account.`] : []),
  ]
}
