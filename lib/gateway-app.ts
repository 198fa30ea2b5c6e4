/**
 * The three stacks of one stage, and more by its fields: roles of a pipeline, a second region, an
 * edge. bin/ deploys them, the construct Skillgate brings them into other apps, and tests synthesize
 * them. Account, region and folders are arguments.
 */
import { Annotations, type Environment, type Stack, Tags } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import { DataStack } from './data-stack.ts'
import { addEdge } from './edge/add-edge.ts'
import { withEdgeOrigin } from './edge/edge-origin.ts'
import { GatewayStack } from './gateway-stack.ts'
import { acknowledgeEdgeFindings, acknowledgeFindings } from './nag.ts'
import { PipelineStack } from './pipeline-stack.ts'
import { findRegionErrors } from './rules-of-second-region.ts'
import { SecondRegionStack } from './second-region-stack.ts'
import { toStackName } from './stack-names.ts'
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

/** Adds the stacks to an app, or to a part of one. Throws an Error if the stage has invalid values. */
export function addStacks(scope: Construct, { stage: given, bundles, env }: GatewayAppProps) {
  const stage = withEdgeOrigin(assertStage(given))
  assertNoErrors(stage, findRegionErrors(stage, env.region))
  const name = (part: string) => toStackName(stage.name, part)
  // Without a name of its own, a stack below another construct would have that one's in front.
  const propsOf = (part: string) => ({ stage, env, stackName: name(part) })
  const data = new DataStack(scope, name('Data'), propsOf('Data'))
  const gateway = new GatewayStack(scope, name('Gateway'), { ...propsOf('Gateway'), data, bundles })
  const edge = addEdge(scope, { stage, gateway, env })
  const watch = new WatchStack(scope, name('Watch'), {
    ...propsOf('Watch'),
    doors: gateway.doors,
    api: gateway.adminApi.api,
    lostNews: gateway.usageNews.lost,
    gatewayTable: data.gatewayTable,
    sessionsTable: data.sessionsTable,
  })
  const more = [...addPipeline(scope, stage, env), ...addSecondRegion(scope, data, { stage, env })]
  const edges = edge === undefined ? [] : [edge.edge, edge.edgeGlobal]
  for (const stack of [data, gateway, watch, ...more, ...edges]) {
    if (stack === undefined) continue
    Tags.of(stack).add('Project', 'skillgate')
    Tags.of(stack).add('Stage', stage.name)
  }
  for (const { id, text } of listStageWarnings(stage))
    Annotations.of(gateway).addWarningV2(id, text)
  Annotations.of(gateway).addInfoV2('skillgate:streams', formatStreamsNote(stage))
  acknowledgeFindings(data, gateway, stage)
  if (edge !== undefined) acknowledgeEdgeFindings(edge)
  return { data, gateway, watch, ...edge }
}

function addPipeline(scope: Construct, stage: Stage, env: Environment): readonly Stack[] {
  const { githubRepository: repository } = stage
  if (repository === undefined) return []
  const stackName = toStackName(stage.name, 'Pipeline')
  return [new PipelineStack(scope, stackName, { stage, env, stackName, repository })]
}

function addSecondRegion(
  scope: Construct,
  data: DataStack,
  { env, stage }: { readonly stage: Stage; readonly env: Environment },
): readonly Stack[] {
  if (stage.replicaRegion === undefined) return []
  const stackName = toStackName(stage.name, 'Replica')
  const second = { ...env, region: stage.replicaRegion }
  return [new SecondRegionStack(scope, stackName, { stage, data, env: second, stackName })]
}
