/** The deployed sweep function, invoked by a schedule every minute. */
import { configOfProcess } from '../../adapters/config/env.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoClient } from '../../adapters/dynamodb/client.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/profiles.ts'
import { dynamoStore } from '../../adapters/dynamodb/store.ts'
import { dynamoSweepMarks } from '../../adapters/dynamodb/sweep-marks.ts'
import { jsonLog } from '../../adapters/telemetry/json-log.ts'
import { sweepDoor } from './door.ts'

const config = configOfProcess(['tables'])
const clock = systemClock()
const log = jsonLog({ write: (line) => process.stdout.write(line), clock })
const store = dynamoStore({
  client: dynamoClient({}),
  tables: config.tables,
  clock,
  onTrouble: (cause) => log.note('warn', 'store-trouble', {}, cause),
})

export const handler = sweepDoor({
  clock,
  ledger: dynamoLedger(store),
  log,
  profiles: dynamoProfiles(store),
  sweepMarks: dynamoSweepMarks(store),
})
