/**
 * Has the functions use another table, while they are stopped: deploys the stacks that name it
 * (variables and policies of the functions, the mapping of the stream, alarms and outputs), and then
 * moves the aliases to the versions that this published, all at once. CloudFormation keeps the
 * parameters.
 *
 *     both tables     stopped ─ cdk deploy ────────────── aliases → new ── start ── smoke
 *     aliases         7 (old table)    7; 9 published     some 7, some 9   9
 *     broken off           nobody runs; the same command goes on, or --use goes back
 *     deploy in a canary   its next move is refused by the revision, or one of these is, and the
 *                          functions stay stopped until the same command is run again
 *     rollback             one that read the earlier table may come late: the aliases are read once
 *                          more before the start, and a rollback looks at the table again before
 *                          each of its moves (release/same-table.ts)
 */
import { RESTORED_STREAM, RESTORED_TABLE, toStackName } from '../../../lib/stack-names.ts'
import type { Stage } from '../../../lib/stage.ts'
import type { AwsAccount } from '../../aws/ask-service.ts'
import { EXIT } from '../../terminal/exit-code.ts'
import { printNote, type Shell } from '../../terminal/shell.ts'
import { runCdk } from '../deploy/cdk.ts'
import { agreeOnVersions } from '../release/agree.ts'
import { isBehind, moveToNewest, readLiveWords } from '../release/release-stage.ts'
import { makeSay } from '../release/rollback.ts'
import { type Pause, readStack } from '../release/stack.ts'
import type { RestorePlan } from './restore-plan.ts'

export type TableUse = Pick<RestorePlan, 'own' | 'target' | 'hasWatch'> & {
  readonly stage: Pick<Stage, 'name' | 'privateHosts'>
  readonly streamArn: string
}

/** Throws an Error if a deploy or a move fails; functions may then differ in their table. */
export async function useTable(
  { aws, pause, shell }: { readonly aws: AwsAccount; readonly pause: Pause; readonly shell: Shell },
  use: TableUse,
): Promise<void> {
  const stack = toStackName(use.stage.name, 'Gateway')
  // The stacks know their own table without being told.
  const table = use.target === use.own ? '' : use.target
  const live = await readLiveWords(use.stage, shell, table)
  const code = await runCdk([...toCdkWords(use, table), ...live], shell)
  if (code !== EXIT.ok) throw new Error(`The deploy ended with ${code}.`)
  const deployed = await readStack(aws, stack)
  if (deployed === undefined) throw new Error(`${stack}: there is no such stack.`)
  // Reports of a restore may be JSON on the standard output.
  const progress = { say: makeSay({ ...shell, out: shell.err }), pause }
  const release = { stage: use.stage.name, stack: deployed, minutes: 0, atMs: shell.nowMs() }
  await moveToNewest(aws, release, progress)
  let hasMoved = false
  try {
    await agreeOnVersions(aws, stack, progress, async (states) => {
      if (states.some(isBehind)) throw new Error('Another command has moved an alias.')
      hasMoved = true
      return states
    })
  } catch (cause) {
    if (!hasMoved) throw cause
    printNote(shell, `CloudFormation does not know the new versions yet; the next deploy tells it.`)
  }
}

function toCdkWords({ hasWatch, stage, streamArn }: TableUse, table: string): readonly string[] {
  const [gateway, watch] = [
    toStackName(stage.name, 'Gateway'),
    ...(hasWatch ? [toStackName(stage.name, 'Watch')] : []),
  ]
  const parameters = [
    `${gateway}:${RESTORED_TABLE}=${table}`,
    `${gateway}:${RESTORED_STREAM}=${table === '' ? '' : streamArn}`,
    ...(watch === undefined ? [] : [`${watch}:${RESTORED_TABLE}=${table}`]),
  ]
  const words = parameters.flatMap((parameter) => ['--parameters', parameter])
  // The person has agreed to the restore, and the functions are stopped: the CDK must not ask. It
  // would skip a stack whose own template and parameters are the same (ADR 0129).
  const options = ['--exclusively', '--force', '--require-approval', 'never']
  const stacks = [gateway, ...(watch === undefined ? [] : [watch])]
  return ['deploy', ...stacks, ...options, '-c', `stage=${stage.name}`, ...words]
}
