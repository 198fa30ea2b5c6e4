/** A stage with an edge, for tests of what its synthesis makes. */
import type { Stage } from '../../../lib/stage.ts'
import { getStage } from '../../../lib/stages.ts'

export const EDGE_ENV = { account: '111111111111', region: 'eu-central-1' }

export const EDGE_STAGE: Stage = {
  ...getStage('dev'),
  edgeDomain: 'mcp.example.com',
  edgeHostedZoneId: 'Z0123456789ABCDEFGHIJ',
}
