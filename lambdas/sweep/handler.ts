/** The deployed sweep function, invoked by a schedule every minute. */
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/accounts/profiles.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger/ledger.ts'
import { dynamoSweepEntries } from '../../adapters/dynamodb/ledger/sweep-entries.ts'
import { dynamoV0 } from '../../adapters/dynamodb/migration/v0.ts'
import { startFunction } from '../start-function.ts'
import { sweepDoor } from './door.ts'

const { clock, config, log, store } = startFunction('sweep', ['ledgerHot'])

export const handler = sweepDoor({
  clock,
  ids: nodeIds(),
  ledger: dynamoLedger(store, config.ledgerHot.ms),
  v0: dynamoV0(store),
  log,
  profiles: dynamoProfiles(store),
  sweepEntries: dynamoSweepEntries(store),
})
