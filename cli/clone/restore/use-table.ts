/**
 * Deploys the stacks that name the Gateway table with another name: variables and policies of the
 * functions, the mapping of the stream, alarms and outputs. CloudFormation keeps the parameters, so
 * later deploys need none.
 */
import { RESTORED_STREAM, RESTORED_TABLE, STACKS_PREFIX } from '../../../lib/stack-names.ts'
import type { ExitCode } from '../../terminal/exit-code.ts'
import type { Shell } from '../../terminal/shell.ts'
import { runCdk } from '../deploy/cdk.ts'
import type { RestorePlan } from './restore-plan.ts'

export function useTable(
  shell: Shell,
  { own, stage, target }: Pick<RestorePlan, 'own' | 'stage' | 'target'>,
  streamArn: string,
): Promise<ExitCode> {
  const [gateway, watch] = [`${STACKS_PREFIX}${stage}-Gateway`, `${STACKS_PREFIX}${stage}-Watch`]
  // The stacks know their own table without being told.
  const [name, stream] = target === own ? ['', ''] : [target, streamArn]
  const parameters = [
    `${gateway}:${RESTORED_TABLE}=${name}`,
    `${gateway}:${RESTORED_STREAM}=${stream}`,
    `${watch}:${RESTORED_TABLE}=${name}`,
  ]
  const words = parameters.flatMap((parameter) => ['--parameters', parameter])
  // The person has agreed to the restore, and the functions are stopped: the CDK must not ask.
  const options = ['--exclusively', '--require-approval', 'never', '-c', `stage=${stage}`]
  return runCdk(['deploy', gateway, watch, ...options, ...words], shell)
}
