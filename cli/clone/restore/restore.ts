/**
 * `skillgate restore`: replaces the Gateway table of a stage by one of an earlier moment, or by one
 * that exists. Each step looks at what is there and does the rest, so the same command goes on after
 * it was broken off; `--use` of the earlier table goes back. docs/operations.md has the runbook, ADR
 * 0131 the reasons.
 *
 *     step                                gateway   broken off here: what stands
 *     1 copy to a new table               serves    a table that nobody uses
 *     2 settings, compared                serves    a table that nobody uses
 *     3 stop the functions                429       the table in use, unchanged
 *     4 end keys that were revoked        429       the table in use; fewer keys in the restored one
 *     5 deploy the other name             429       a deploy, which CloudFormation finishes or undoes
 *       and move the aliases              429       functions of both tables, none of which runs
 *     6 start the functions               serves
 *     7 a call as an agent makes it       serves
 *
 * A write to the table in use after the moment is lost, whenever it comes: calls since then are
 * free, and grants have to be sent again. The stop is not for these; it keeps functions from writing
 * to both tables.
 */
import { setTimeout as pauseFor } from 'node:timers/promises'
import { toStackName } from '../../../lib/stack-names.ts'
import type { Stage } from '../../../lib/stage.ts'
import { type AwsAccount, openAwsAccount } from '../../aws/ask-service.ts'
import { CommandFault, EXIT, type ExitCode, toUsageFault } from '../../terminal/exit-code.ts'
import { endProgress, showProgress } from '../../terminal/progress.ts'
import { printNote, type Shell } from '../../terminal/shell.ts'
import { readOutputs } from '../deploy/outputs.ts'
import { checkStage } from '../deploy/welcome.ts'
import { describeCause } from '../program.ts'
import { readStack } from '../release/stack.ts'
import { loadStageOf, toStageEnv } from '../stage.ts'
import { askDynamo } from './control-plane.ts'
import { type EndedKey, endKeys, findKeyChanges, limitKeys } from './ended-keys.ts'
import { readTableTemplate } from './read-template.ts'
import { planRestore, type RestoreGoal, type RestorePlan } from './restore-plan.ts'
import { type Pause, settleShape, waitForTable } from './settle-shape.ts'
import { startFunctions, stopFunctions } from './stop-functions.ts'
import { formatDifference, readTemplateShape, type TableShape, toFields } from './table-shape.ts'
import { useTable } from './use-table.ts'

export type RestoreRequest = {
  readonly stage: Stage
  readonly goal: RestoreGoal
  /** Leaves keys valid that ended after the moment. */
  readonly keepKeys: boolean
}

export type RestoreWorld = {
  readonly aws: AwsAccount
  readonly shell: Shell
  readonly pause: Pause
}

export type RestoreReport = {
  readonly replaced: string
  readonly restored: string
  readonly settled: readonly string[]
  readonly endedKeys: readonly EndedKey[]
}

/**
 * Reads the stage as a deploy does. Throws a usage fault for a stage that does not exist, or does not
 * fit.
 */
export function toRestoreRequest(
  { goal, keepKeys, stage }: Omit<RestoreRequest, 'stage'> & { readonly stage: string },
  shell: Pick<Shell, 'cwd' | 'env'>,
): RestoreRequest {
  try {
    return { stage: loadStageOf({ stage }, shell), goal, keepKeys }
  } catch (cause) {
    throw toUsageFault(describeCause(cause))
  }
}

/** For requests in the region of the stage. */
export async function openRestoreWorld(
  { stage }: RestoreRequest,
  { env, ...others }: Shell,
): Promise<RestoreWorld> {
  const shell = { ...others, env: toStageEnv(stage, env) }
  const { signal } = shell
  const pause: Pause = async (ms) => {
    await pauseFor(ms, undefined, { signal })
  }
  return { aws: await openAwsAccount(shell.env), shell, pause }
}

/** Reads what a restore would do. */
export function readRestorePlan(
  { aws }: RestoreWorld,
  { goal, stage }: RestoreRequest,
): Promise<RestorePlan> {
  return planRestore(aws, stage.name, goal)
}

/** Does what the plan says. Throws a CommandFault that says what stands and how to go on. */
export async function restoreTable(
  world: RestoreWorld,
  request: RestoreRequest,
  plan: RestorePlan,
): Promise<RestoreReport> {
  const wanted = readTemplateShape(await readTableTemplate(world.shell, plan.stage))
  const settled = await prepareTable(world, plan, wanted)
  let endedKeys: readonly EndedKey[] = []
  await whileStopped(world, request, plan, async () => {
    endedKeys = await endRevokedKeys(world, request, plan)
    await switchTable(world, request, plan)
  })
  return { replaced: plan.inUse, restored: plan.target, settled, endedKeys }
}

/** Step 7: the smoke test with the canary's key, printed beside the report. */
export async function checkRestored(
  { aws, shell }: RestoreWorld,
  { stage }: RestorePlan,
): Promise<ExitCode> {
  const name = toStackName(stage, 'Gateway')
  const stack = await readStack(aws, name)
  const outputs = readOutputs(JSON.stringify({ [name]: stack?.outputs ?? {} }))
  if (outputs === undefined) return EXIT.ok
  try {
    return await checkStage(outputs, { ...shell, out: shell.err })
  } catch (cause) {
    throw new CommandFault(`The table is replaced. Its check: ${describeCause(cause)}`)
  }
}

/** Steps 1 and 2. Returns what the table lacked. */
async function prepareTable(
  world: RestoreWorld,
  { exists, goal, inUse, target }: RestorePlan,
  wanted: TableShape,
): Promise<readonly string[]> {
  const { aws, pause, shell } = world
  if (!exists && goal.kind === 'moment') {
    await askDynamo(aws, 'RestoreTableToPointInTime', {
      SourceTableName: inUse,
      TargetTableName: target,
      RestoreDateTime: goal.atMs / 1_000,
    })
    printNote(shell, `${target} is being made; it takes from minutes to hours.`)
  }
  const wait = { aws, pause, onWait: (text: string) => showProgress(shell, text) }
  await waitForTable(wait, target)
  const settled = await settleShape(wait, target, wanted)
  endProgress(shell)
  printNote(shell, `${target} has what the template says.`)
  return settled.map(formatDifference)
}

/**
 * Steps 3 and 6. After a failure the functions stay stopped, because some may have the one table
 * and some the other.
 */
async function whileStopped(
  { aws, pause, shell }: RestoreWorld,
  { stage }: RestoreRequest,
  plan: RestorePlan,
  work: () => Promise<void>,
): Promise<void> {
  const remedy = `Run the same command again, or go back: skillgate restore --stage ${plan.stage} --table gateway --use ${plan.inUse}`
  try {
    printNote(shell, 'The functions stop: requests get 429 until they start again.')
    await stopFunctions(aws, plan, pause)
    await work()
    await startFunctions(aws, plan, stage)
  } catch (cause) {
    endProgress(shell)
    throw new CommandFault(`${describeCause(cause)} The functions are stopped.`, { remedy })
  }
  printNote(shell, 'The functions run again.')
}

/** Step 4. A table that was given by its name is used as it is. */
async function endRevokedKeys(
  { aws, shell }: RestoreWorld,
  { goal, keepKeys }: RestoreRequest,
  { inUse, target }: RestorePlan,
): Promise<readonly EndedKey[]> {
  // If the restored table is in use, its keys were ended before a deploy named it.
  if (keepKeys || goal.kind === 'table' || inUse === target) return []
  const tables = { inUse, restored: target }
  const { ended, limited } = await findKeyChanges(aws, tables, (text) => showProgress(shell, text))
  await endKeys(aws, target, ended)
  await limitKeys(aws, target, limited)
  endProgress(shell)
  printNote(shell, `${ended.length} keys and logins that ended since then do not work again.`)
  if (limited.length > 0) {
    printNote(
      shell,
      `${limited.length} keys may do what they may do now, and not what they did then.`,
    )
  }
  return ended
}

/** Step 5. */
async function switchTable(
  world: RestoreWorld,
  { stage }: RestoreRequest,
  plan: RestorePlan,
): Promise<void> {
  const table = await askDynamo(world.aws, 'DescribeTable', { TableName: plan.target })
  const { LatestStreamArn } = toFields(table['Table'])
  await useTable(world, { ...plan, stage, streamArn: String(LatestStreamArn) })
}
