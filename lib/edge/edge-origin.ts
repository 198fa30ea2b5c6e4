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

/** URLs of the public functions, which end in a slash, and of the admin API. */
export type Entrances = { readonly [door in 'mcp' | 'sse' | 'execute' | 'admin']: string }
