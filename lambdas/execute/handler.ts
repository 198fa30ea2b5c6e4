/** The deployed execute function: reads its configuration once, builds its ports, is the door. */
import { configOfProcess } from '../../adapters/config/env.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoAnswers } from '../../adapters/dynamodb/answers.ts'
import { dynamoCallRecords } from '../../adapters/dynamodb/call-records.ts'
import { dynamoClient } from '../../adapters/dynamodb/client.ts'
import { dynamoKeys } from '../../adapters/dynamodb/keys.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger.ts'
import { dynamoMinutes } from '../../adapters/dynamodb/minutes.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/profiles.ts'
import { dynamoStore } from '../../adapters/dynamodb/store.ts'
import { dynamoSweepMarks } from '../../adapters/dynamodb/sweep-marks.ts'
import { schemas } from '../../adapters/formats/json-schema.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { jsonLog } from '../../adapters/telemetry/json-log.ts'
import { httpUpstream } from '../../adapters/upstream/http-upstream.ts'
import { executeDoor } from './door.ts'

const config = configOfProcess(['settings', 'tables'])
const clock = systemClock()
const log = jsonLog({ write: (line) => process.stdout.write(line), clock })
const store = dynamoStore({
  client: dynamoClient({}),
  tables: config.tables,
  clock,
  onTrouble: (cause) => log.note('warn', 'store-trouble', {}, cause),
})

export const handler = streaming(
  executeDoor(
    {
      answers: dynamoAnswers(store),
      callRecords: dynamoCallRecords(store),
      clock,
      digests: nodeDigests(),
      ids: nodeIds(),
      keys: dynamoKeys(store),
      ledger: dynamoLedger(store),
      log,
      minutes: dynamoMinutes(store),
      profiles: dynamoProfiles(store),
      schemas: schemas(),
      seals: nodeSeals(),
      sweepMarks: dynamoSweepMarks(store),
      upstream: httpUpstream({ outboundAllow: config.settings.outboundAllow }),
    },
    config.settings,
  ),
)
