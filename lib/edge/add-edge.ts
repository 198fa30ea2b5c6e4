/** The stacks of an edge: one in the region of the stage, and one where CloudFront wants it. */
import type { Environment } from 'aws-cdk-lib'
import type { Construct } from 'constructs'
import type { GatewayStack } from '../gateway-stack.ts'
import { toStackName } from '../stack-names.ts'
import type { Stage } from '../stage.ts'
import { EdgeGlobalStack } from './edge-global-stack.ts'
import { EDGE_REGION, hasEdgeGlobal } from './edge-origin.ts'
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
  scope: Construct,
  { env, gateway, stage }: { stage: Stage; gateway: GatewayStack; env: Environment },
): Edge | undefined {
  if (stage.edgeDomain === undefined) return undefined
  if (env.region === undefined) {
    throw new Error('edgeDomain: needs the region of the stage; sign in to AWS, or set AWS_REGION')
  }
  const name = (part: string) => toStackName(stage.name, part)
  const globalEnv = { ...env, region: EDGE_REGION }
  const edgeGlobal = hasEdgeGlobal(stage)
    ? new EdgeGlobalStack(scope, name('EdgeGlobal'), {
        stage,
        env: globalEnv,
        stackName: name('EdgeGlobal'),
      })
    : undefined
  const edge = new EdgeStack(scope, name('Edge'), {
    stage,
    env,
    gateway,
    global: edgeGlobal,
    stackName: name('Edge'),
  })
  return { edgeGlobal, edge }
}
