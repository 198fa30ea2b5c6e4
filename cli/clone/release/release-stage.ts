/**
 * The part of a deploy that the CDK does not do. Before it, reads the versions that are live, which
 * the CDK gets as parameters, so that it publishes versions and moves nothing. After it, moves the
 * aliases to the newest versions:
 *
 *   reads the aliases ─ cdk deploy (parameters: these versions) ─ record ─ 10 % ─ gate ─ whole
 *     ─ UpdateStack (parameters: the new versions)
 *
 * A deploy may die at each dash. The aliases then serve a set of versions of the record, or two
 * sets, and the next deploy and a rollback both start from the aliases. Two deploys at once: the
 * stack admits one CDK at a time, and the aliases one shift (shift.ts).
 */
import { RESTORED_TABLE, RESTORED_TABLE_CONTEXT, toStackName } from '../../../lib/stack-names.ts'
import type { Stage as StageFields } from '../../../lib/stage.ts'
import { type AwsAccount, openAwsAccount } from '../../aws/ask-service.ts'
import { EXIT, type ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { describeCause } from '../program.ts'
import { agreeOnVersions } from './agree.ts'
import { AliasMoved, type AliasState, readAliases, readDoors } from './aliases.ts'
import { addRelease, readReleases, writeReleases } from './releases.ts'
import { formatName, makeSay, pauseIn } from './rollback.ts'
import { type Progress, ShiftStuck, shiftAliases } from './shift.ts'
import { type Pause, readStack, type Stack } from './stack.ts'

/**
 * Returns the words for the CDK that name the live versions; none before a first deploy. A restored
 * table is named to the templates, too; `restored` is that of this deploy, if it brings another one,
 * and empty for the stage's own. Throws an Error if the stage cannot be read.
 */
export async function readLiveWords(
  { name: stage, privateHosts }: Pick<StageFields, 'name' | 'privateHosts'>,
  { env }: Pick<Shell, 'env'>,
  restored?: string,
): Promise<readonly string[]> {
  const account = await openAwsAccount(env)
  const name = toStackName(stage, 'Gateway')
  const stack = await readStack(account, name)
  // A template without the function has no parameter of it.
  const hasCaller = privateHosts.length > 0
  const doors = readDoors(stack?.outputs ?? {}).filter(({ door }) => hasCaller || door !== 'Caller')
  const live = await readAliases(account, doors)
  const values = new Map(live.toReversed().map(({ door, version }) => [door.parameter, version]))
  const table = restored ?? stack?.parameters[RESTORED_TABLE] ?? ''
  return [
    ...[...values].flatMap(([key, version]) => ['--parameters', `${name}:${key}=${version}`]),
    ...(table === '' ? [] : ['-c', `${RESTORED_TABLE_CONTEXT}=${table}`]),
  ]
}

/** Moves the aliases to the newest versions. `pause` is shorter in tests. */
export async function releaseStage(
  { canaryMinutes: minutes, name: stage }: Pick<StageFields, 'canaryMinutes' | 'name'>,
  shell: Shell,
  pause: Pause = pauseIn(shell),
): Promise<ExitCode> {
  const progress = { say: makeSay(shell), pause }
  const account = await openAwsAccount(shell.env)
  try {
    // A deploy may have been told to leave the gateway's stack out.
    const stack = await readStack(account, toStackName(stage, 'Gateway'))
    if (stack === undefined) return EXIT.ok
    await moveToNewest(account, { stage, stack, minutes, atMs: shell.nowMs() }, progress)
  } catch (cause) {
    shell.err.write(`deploy: ${describeCause(cause)}\n${describeEnd(stage, cause)}\n`)
    return EXIT.failed
  }
  try {
    await agreeOnVersions(account, toStackName(stage, 'Gateway'), progress)
  } catch (cause) {
    shell.err.write(
      `The new versions are live. CloudFormation does not know it yet: ${describeCause(cause)}\nThe next deploy tells it; it starts from the live versions.\n`,
    )
  }
  return EXIT.ok
}

/** Records the release and moves the aliases, for `minutes` a tenth of the requests first. */
export async function moveToNewest(
  account: AwsAccount,
  {
    atMs,
    minutes,
    stack,
    stage,
  }: {
    readonly stage: string
    readonly stack: Stack
    readonly minutes: number
    readonly atMs: number
  },
  progress: Progress,
): Promise<void> {
  const record = stack.outputs['ReleasesParameter']
  if (record === undefined) throw new Error('the stack has no record of releases')
  const doors = readDoors(stack.outputs)
  const live = await readAliases(account, doors)
  const moves = live.filter(isBehind)
  if (moves.length === 0) return progress.say('every function is at its newest version')
  for (const state of moves) {
    progress.say(`${formatName(state)}  ${state.version} → ${state.door.newest}`)
  }
  const target = Object.fromEntries(doors.map(({ door, newest }) => [door, newest]))
  const at = new Date(atMs).toISOString()
  const kept = await readReleases(account, record)
  await writeReleases(account, record, addRelease(kept, live, target, at))
  await shiftAliases(account, { stage, moves, minutes }, progress)
}

/** True if the alias is not at its newest version, or not with all requests. */
export function isBehind({ canary, door, version }: AliasState): boolean {
  return version !== door.newest || canary !== undefined
}

function describeEnd(stage: string, cause: unknown): string {
  const remedy = `To leave the new versions for certain: skillgate rollback --stage ${stage}`
  if (cause instanceof AliasMoved) {
    return `Another deploy or a rollback has taken over, and this one stopped.\n${remedy}`
  }
  if (cause instanceof ShiftStuck) return `Some requests go to the new versions.\n${remedy}`
  return 'The new versions are published and get no requests. Deploy again once the cause is gone.'
}
