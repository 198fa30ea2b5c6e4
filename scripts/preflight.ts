/**
 * `npm run preflight [-- --stage prod]`: checks an account's limits before a stage is deployed into
 * it. Reads only. Exits with 1 when the stage does not fit or the account cannot be read, with 2
 * for wrong arguments. Follows AWS_ENDPOINT_URL, so that it can be tried on an emulator.
 */
import './help.ts'
import { parseArgs } from 'node:util'
import { stageNamed } from '../lib/stages.ts'
import { readFacts } from './preflight/facts.ts'
import { type Verdict, verdictOf } from './preflight/verdict.ts'

function print({ facts, faults, warnings }: Verdict, stage: string): void {
  const width = Math.max(...facts.map(([name]) => name.length))
  for (const [name, value] of facts) console.log(`${name.padEnd(width)}  ${value}`)
  console.log()
  for (const fault of faults) console.log(`does not fit  ${fault}`)
  for (const warning of warnings) console.log(`warning       ${warning}`)
  if (faults.length === 0) console.log(`Stage ${stage} fits this account.`)
}

if (import.meta.main) {
  try {
    const { values } = parseArgs({ options: { stage: { type: 'string', default: 'dev' } } })
    const stage = stageNamed(values.stage)
    try {
      const verdict = verdictOf(await readFacts(process.env), stage)
      print(verdict, stage.name)
      process.exitCode = verdict.faults.length === 0 ? 0 : 1
    } catch (cause) {
      console.error(`preflight: ${cause instanceof Error ? cause.message : String(cause)}`)
      process.exitCode = 1
    }
  } catch (cause) {
    console.error(`preflight: ${cause instanceof Error ? cause.message : String(cause)}`)
    process.exitCode = 2
  }
}
