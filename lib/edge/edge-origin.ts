/** What follows from `edgeDomain`: the origin of the gateway, which the doors name in all texts. */
import type { Stage } from '../stage.ts'

/** The stage with the origin of its edge as `publicOrigin`; the stage itself without an edge. */
export function withEdgeOrigin(stage: Stage): Stage {
  const publicOrigin = findEdgeOrigin(stage)
  return publicOrigin === undefined ? stage : { ...stage, publicOrigin }
}

/** Without a slash at the end; undefined in a stage without an edge. */
export function findEdgeOrigin({ edgeDomain }: Pick<Stage, 'edgeDomain'>): string | undefined {
  return edgeDomain === undefined ? undefined : `https://${edgeDomain}`
}

/** CloudFront takes certificates and web ACLs from here alone. */
export const EDGE_REGION = 'us-east-1'

/** True if the edge makes its own certificate or web ACL. */
export function hasEdgeGlobal({
  edgeDomain,
  edgeFirewall,
  edgeHostedZoneId,
}: Pick<Stage, 'edgeDomain' | 'edgeFirewall' | 'edgeHostedZoneId'>): boolean {
  return edgeDomain !== undefined && (edgeHostedZoneId !== undefined || edgeFirewall !== 'off')
}

/** URLs of the public functions, which end in a slash, and of the admin API. */
export type Entrances = { readonly [door in 'mcp' | 'sse' | 'execute' | 'admin']: string }
