/**
 * The three stacks of one stage, and a fourth with `-c streams=web`: bin/ deploys them and tests synthesize them. Account, region and
 * folders are arguments.
 */
import { Annotations, type App, type Environment, Tags } from 'aws-cdk-lib'
import { DataStack } from './data-stack.ts'
import { GatewayStack } from './gateway-stack.ts'
import { acknowledgeFindings, acknowledgeWeb } from './nag.ts'
import type { Stage, Streams } from './stage.ts'
import { stageWarnings, streamsNote } from './stage-warnings.ts'
import { judged } from './stages.ts'
import { WatchStack } from './watch-stack.ts'
import { WebStack } from './web-stack.ts'

export type GatewayAppProps = {
  readonly stage: Stage
  /** Holds one folder per function, each with its index.mjs. */
  readonly bundles: string
  /** What serves streams; `functions` by default. */
  readonly streams?: Streams
  /** Account and region; undefined for templates that fit any. */
  readonly env: Environment
}

export function addStacks(app: App, { stage, bundles, env, streams }: GatewayAppProps) {
  judged(stage)
  const name = (part: string) => `Skillgate-${stage.name}-${part}`
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
  const web =
    streams === 'web'
      ? new WebStack(app, name('Web'), { stage, env, data, gateway, bundles })
      : undefined
  Tags.of(app).add('Project', 'skillgate')
  Tags.of(app).add('Stage', stage.name)
  for (const { id, text } of stageWarnings(stage)) Annotations.of(gateway).addWarningV2(id, text)
  Annotations.of(gateway).addInfoV2('skillgate:streams', streamsNote(stage))
  acknowledgeFindings(data, gateway)
  if (web !== undefined) acknowledgeWeb(web)
  return { data, gateway, watch, web }
}
