/**
 * Entry point of the deployed usage function, invoked with batches of the Gateway table's stream,
 * and by a schedule.
 */
import { makeS3ArchiveWriter } from '../../adapters/archive/s3-archive.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { dynamoAuditTrail } from '../../adapters/dynamodb/audit/audit-trail.ts'
import { sdkClient } from '../../adapters/dynamodb/client/sdk-client.ts'
import { dynamoUsagePages } from '../../adapters/dynamodb/usage/usage-pages.ts'
import { dynamoUsageSums } from '../../adapters/dynamodb/usage/usage-sums.ts'
import { startFunction } from '../start-function.ts'
import { createUsageDoor } from './door.ts'

const { clock, config, log, store } = startFunction(
  'usage',
  ['archive', 'ledgerHot', 'syntheticCall'],
  sdkClient,
)
const { credentials, ...bucket } = config.archive

export const handler = createUsageDoor({
  archive: makeS3ArchiveWriter({ ...bucket, clock, credentials: async () => credentials }),
  auditTrail: dynamoAuditTrail(store),
  callAsCanary,
  clock,
  digests: nodeDigests(),
  log,
  usagePages: dynamoUsagePages(store, config.ledgerHot.ms),
  usageSums: dynamoUsageSums(store),
})

async function callAsCanary() {
  const { makeSyntheticCall } = await import('./synthetic-call.ts')
  if (config.syntheticCall === undefined) throw new Error('this stage makes no synthetic calls')
  return makeSyntheticCall(config.syntheticCall)
}
