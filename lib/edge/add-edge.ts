/** The stacks of an edge: one in the region of the stage, and one where CloudFront wants it. */
import type { App, Environment } from 'aws-cdk-lib'
import type { GatewayStack } from '../gateway-stack.ts'
import { STACKS_PREFIX } from '../stack-names.ts'
import type { Stage } from '../stage.ts'
import { EDGE_REGION, EdgeGlobalStack } from './edge-global-stack.ts'
import { EdgeStack } from './edge-stack.ts'

export type Edge = {
  readonly edge: EdgeStack
  /** Undefined if the stage has a certificate and wants no firewall: a stack must not be empty. */
  readonly edgeGlobal: EdgeGlobalStack | undefined
}

/**
 * Adds the stacks of a stage with `edgeDomain`; undefined for one without. Throws an Error if the
 * region of the stage is unknown, since the stacks refer to each other across regions.
 */
export function addEdge(
  app: App,
  { env, gateway, stage }: { stage: Stage; gateway: GatewayStack; env: Environment },
): Edge | undefined {
  if (stage.edgeDomain === undefined) return undefined
  if (env.region === undefined) {
    throw new Error('edgeDomain: needs the region of the stage; sign in to AWS, or set AWS_REGION')
  }
  const name = (part: string) => `${STACKS_PREFIX}${stage.name}-${part}`
  const isGlobalEmpty = stage.edgeHostedZoneId === undefined && stage.edgeFirewall === 'off'
  const globalEnv = { ...env, region: EDGE_REGION }
  const edgeGlobal = isGlobalEmpty
    ? undefined
    : new EdgeGlobalStack(app, name('EdgeGlobal'), { stage, env: globalEnv })
  const edge = new EdgeStack(app, name('Edge'), { stage, env, gateway, global: edgeGlobal })
  return { edgeGlobal, edge }
}
