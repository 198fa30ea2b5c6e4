/** The deployed admin function: reads its configuration once, builds its ports, is the door. */
import { configOfProcess } from '../../adapters/config/env.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoBroadcast } from '../../adapters/dynamodb/broadcast.ts'
import { dynamoClient } from '../../adapters/dynamodb/client.ts'
import { dynamoKeys } from '../../adapters/dynamodb/keys.ts'
import { dynamoLedger } from '../../adapters/dynamodb/ledger.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/profiles.ts'
import { dynamoSecrets } from '../../adapters/dynamodb/secrets.ts'
import { dynamoSkills } from '../../adapters/dynamodb/skills.ts'
import { dynamoStore } from '../../adapters/dynamodb/store.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/tools-cache.ts'
import { schemas } from '../../adapters/formats/json-schema.ts'
import { kmsSecretSeals } from '../../adapters/kms/kms-seals.ts'
import { jsonLog } from '../../adapters/telemetry/json-log.ts'
import { adminDoor } from './door.ts'

const config = configOfProcess(['settings', 'tables', 'adminSecrets', 'secretsKey'])
const clock = systemClock()
const log = jsonLog({ write: (line) => process.stdout.write(line), clock })
const store = dynamoStore({
  client: dynamoClient({}),
  tables: config.tables,
  clock,
  onTrouble: (cause) => log.note('warn', 'store-trouble', {}, cause),
})

export const handler = adminDoor(
  {
    broadcast: dynamoBroadcast(store),
    clock,
    digests: nodeDigests(),
    ids: nodeIds(),
    keys: dynamoKeys(store),
    ledger: dynamoLedger(store),
    log,
    profiles: dynamoProfiles(store),
    schemas: schemas(),
    secretSeals: kmsSecretSeals(config.secretsKey),
    secrets: dynamoSecrets(store),
    skills: dynamoSkills(store),
    toolsCache: dynamoToolsCache(store),
  },
  config.settings,
  config.adminSecrets,
)
