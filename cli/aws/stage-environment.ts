/**
 * The environment for requests to AWS about a deployed stage: with the region that
 * skillgate.config.json gives the stage. Works without the file too, since a person who reads logs
 * need not have it.
 */
import { readStagesFile } from '../../adapters/stages/config-file.ts'
import { describeWrongValue } from '../../core/settings/describe-setting.ts'
import { STAGE } from '../../core/settings/form.ts'
import { describeUnknownStage, resolveRecord } from '../../core/settings/stage-records.ts'
import { CommandFault, toUsageFault } from '../terminal/exit-code.ts'
import type { Shell } from '../terminal/shell.ts'
import type { Environment } from './ask-service.ts'

/**
 * Throws a usage fault for a name that is none or, if there is a file, not in it, and a
 * CommandFault for a wrong file.
 */
export function readStageEnvironment(stage: string, { cwd, env }: Shell): Environment {
  if (!STAGE.fits(stage)) {
    throw toUsageFault(`--${describeWrongValue('stage', stage, STAGE.rule)}.`)
  }
  const { path, records } = readFileOrFault({ cwd, env })
  if (path === undefined) return env
  const resolved = resolveRecord(stage, records)
  if (resolved === undefined) throw toUsageFault(`--${describeUnknownStage(stage, records)}.`)
  const { region } = resolved.fields
  return typeof region === 'string' ? { ...env, AWS_REGION: region } : env
}

function readFileOrFault(place: Pick<Shell, 'cwd' | 'env'>) {
  try {
    return readStagesFile(place)
  } catch (cause) {
    throw new CommandFault(cause instanceof Error ? cause.message : String(cause))
  }
}
