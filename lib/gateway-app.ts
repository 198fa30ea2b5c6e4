/**
 * The three stacks of one stage, and a fourth in its second region if it has one: bin/ deploys them
 * and tests synthesize them. Account, region and folders are arguments.
 */
import { Annotations, type App, type Environment, Tags } from 'aws-cdk-lib'
import { DataStack } from './data-stack.ts'
import { GatewayStack } from './gateway-stack.ts'
import { acknowledgeFindings } from './nag.ts'
import { findRegionErrors } from './rules-of-second-region.ts'
import { SecondRegionStack } from './second-region-stack.ts'
import { STACKS_PREFIX } from './stack-names.ts'
import type { Stage } from './stage.ts'
import { formatStreamsNote, listStageWarnings } from './stage-warnings.ts'
import { assertNoErrors, assertStage } from './stages.ts'
import { WatchStack } from './watch-stack.ts'

export type GatewayAppProps = {
  readonly stage: Stage
  /** The folder that holds one folder per function, each with its index.mjs. */
  readonly bundles: string
  /** Account and region; undefined for templates that fit any. */
  readonly env: Environment
}

/** Adds the stacks to the app. Throws an Error if the stage has invalid values. */
export function addStacks(app: App, { stage, bundles, env }: GatewayAppProps) {
  assertStage(stage)
  assertNoErrors(stage, findRegionErrors(stage, env.region))
  const name = (part: string) => `${STACKS_PREFIX}${stage.name}-${part}`
  const data = new DataStack(app, name('Data'), { stage, env })
  const gateway = new GatewayStack(app, name('Gateway'), { stage, env, data, bundles })
  const watch = new WatchStack(app, name('Watch'), {
    stage,
    env,
    doors: gateway.doors,
    api: gateway.adminApi.api,
    lostNews: gateway.usageNews.lost,
    gatewayTable: data.gatewayTable,
    sessionsTable: data.sessionsTable,
  })
  if (stage.replicaRegion !== undefined) {
    const second = { ...env, region: stage.replicaRegion }
    new SecondRegionStack(app, name('Replica'), { stage, data, env: second })
  }
  Tags.of(app).add('Project', 'skillgate')
  Tags.of(app).add('Stage', stage.name)
  for (const { id, text } of listStageWarnings(stage))
    Annotations.of(gateway).addWarningV2(id, text)
  Annotations.of(gateway).addInfoV2('skillgate:streams', formatStreamsNote(stage))
  acknowledgeFindings(data, gateway, stage)
  return { data, gateway, watch }
}
