/** The deployed usage function, invoked with batches of the Gateway table's stream. */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { dynamoUsagePages } from '../../adapters/dynamodb/usage/usage-pages.ts'
import { dynamoUsageSums } from '../../adapters/dynamodb/usage/usage-sums.ts'
import { startFunction } from '../start-function.ts'
import { usageDoor } from './door.ts'

const { clock, log, store } = startFunction('usage', [])

export const handler = usageDoor({
  clock,
  digests: nodeDigests(),
  log,
  usagePages: dynamoUsagePages(store),
  usageSums: dynamoUsageSums(store),
})
