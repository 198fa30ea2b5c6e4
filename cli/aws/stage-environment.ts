/**
 * The environment for requests to AWS about a deployed stage: with the region that
 * skillgate.config.json gives the stage, and its account compared. Works without the file too, since
 * a person who reads logs need not have it.
 */
import { readStagesFile } from '../../adapters/stages/config-file.ts'
import { describeWrongValue } from '../../core/settings/describe-setting.ts'
import { STAGE } from '../../core/settings/form.ts'
import {
  describeOtherAccount,
  describeUnknownStage,
  resolveRecord,
} from '../../core/settings/stage-records.ts'
import { CommandFault, toUsageFault } from '../terminal/exit-code.ts'
import type { Shell } from '../terminal/shell.ts'
import { type Environment, openAwsAccount } from './ask-service.ts'
import { readCallerAccount } from './caller-account.ts'

/**
 * Throws a usage fault for a name that is none or, if there is a file, not in it, and a
 * CommandFault for a wrong file.
 */
export function readStageEnvironment(stage: string, shell: Shell): Environment {
  return readStagePlace(stage, shell).env
}

/**
 * Like {@link readStageEnvironment}, for requests that change the stage or advise to. Also throws a
 * CommandFault if the credentials are of another account than the stage.
 */
export async function enterStage(stage: string, shell: Shell): Promise<Shell> {
  const { account, env } = readStagePlace(stage, shell)
  const entered = { ...shell, env }
  if (account === undefined) return entered
  const given = await readCaller(env)
  if (given === undefined || given === account) return entered
  throw new CommandFault(describeOtherAccount(stage, account, given))
}

async function readCaller(env: Environment): Promise<string | undefined> {
  try {
    return await readCallerAccount(await openAwsAccount(env))
  } catch (cause) {
    throw new CommandFault(cause instanceof Error ? cause.message : String(cause))
  }
}

function readStagePlace(
  stage: string,
  { cwd, env }: Shell,
): { readonly account: string | undefined; readonly env: Environment } {
  if (!STAGE.fits(stage)) {
    throw toUsageFault(`--${describeWrongValue('stage', stage, STAGE.rule)}.`)
  }
  const { path, records } = readFileOrFault({ cwd, env })
  if (path === undefined) return { account: undefined, env }
  const resolved = resolveRecord(stage, records)
  if (resolved === undefined) throw toUsageFault(`--${describeUnknownStage(stage, records)}.`)
  const { account, region } = resolved.fields
  return {
    account: typeof account === 'string' ? account : undefined,
    env: typeof region === 'string' ? { ...env, AWS_REGION: region } : env,
  }
}

function readFileOrFault(place: Pick<Shell, 'cwd' | 'env'>) {
  try {
    return readStagesFile(place)
  } catch (cause) {
    throw new CommandFault(cause instanceof Error ? cause.message : String(cause))
  }
}
