/**
 * The three stacks of one stage: bin/ deploys them, the construct Skillgate brings them into other
 * apps, and tests synthesize them. Account, region and folders are arguments.
 */
import { Annotations, type Environment, Tags } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { DataStack } from './data-stack.ts'
import { GatewayStack } from './gateway-stack.ts'
import { STACKS_PREFIX } from './lambda-grants.ts'
import { acknowledgeFindings } from './nag.ts'
import type { Stage } from './stage.ts'
import { formatStreamsNote, listStageWarnings } from './stage-warnings.ts'
import { assertStage } from './stages.ts'
import { WatchStack } from './watch-stack.ts'

export type GatewayAppProps = {
  readonly stage: Stage
  /** The folder that holds one folder per function, each with its index.mjs. */
  readonly bundles: string
  /** Account and region; undefined for templates that fit any. */
  readonly env: Environment
}

/** Adds the stacks to an app, or to a part of one. Throws an Error if the stage has invalid values. */
export function addStacks(scope: Construct, { stage, bundles, env }: GatewayAppProps) {
  assertStage(stage)
  const name = (part: string) => `${STACKS_PREFIX}${stage.name}-${part}`
  // Without a name of its own, a stack below another construct would have that one's in front.
  const propsOf = (part: string) => ({ stage, env, stackName: name(part) })
  const data = new DataStack(scope, name('Data'), propsOf('Data'))
  const gateway = new GatewayStack(scope, name('Gateway'), { ...propsOf('Gateway'), data, bundles })
  const watch = new WatchStack(scope, name('Watch'), {
    ...propsOf('Watch'),
    doors: gateway.doors,
    api: gateway.adminApi.api,
    lostNews: gateway.usageNews.lost,
    gatewayTable: data.gatewayTable,
    sessionsTable: data.sessionsTable,
  })
  for (const stack of [data, gateway, watch]) {
    Tags.of(stack).add('Project', 'skillgate')
    Tags.of(stack).add('Stage', stage.name)
  }
  for (const { id, text } of listStageWarnings(stage))
    Annotations.of(gateway).addWarningV2(id, text)
  Annotations.of(gateway).addInfoV2('skillgate:streams', formatStreamsNote(stage))
  acknowledgeFindings(data, gateway, stage)
  return { data, gateway, watch }
}
