/** The deployed messages function: reads its configuration once, builds its ports, is the door. */
import { configOfProcess } from '../../adapters/config/env.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoBroadcast } from '../../adapters/dynamodb/broadcast.ts'
import { dynamoClient } from '../../adapters/dynamodb/client.ts'
import { dynamoKeys } from '../../adapters/dynamodb/keys.ts'
import { listOutcomes } from '../../adapters/dynamodb/ledger-list.ts'
import { dynamoMinutes } from '../../adapters/dynamodb/minutes.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/profiles.ts'
import { dynamoReplies } from '../../adapters/dynamodb/replies.ts'
import { dynamoSkills } from '../../adapters/dynamodb/skills.ts'
import { dynamoStore } from '../../adapters/dynamodb/store.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/tools-cache.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { functionUrlExecute } from '../../adapters/peers/execute-peer.ts'
import { jsonLog } from '../../adapters/telemetry/json-log.ts'
import { messagesDoor } from './door.ts'

const config = configOfProcess(['settings', 'tables', 'executeUrl', 'signing'])
const clock = systemClock()
const log = jsonLog({ write: (line) => process.stdout.write(line), clock })
const store = dynamoStore({
  client: dynamoClient({}),
  tables: config.tables,
  clock,
  onTrouble: (cause) => log.note('warn', 'store-trouble', {}, cause),
})

export const handler = streaming(
  messagesDoor(
    {
      broadcast: dynamoBroadcast(store),
      clock,
      digests: nodeDigests(),
      execute: functionUrlExecute({ url: config.executeUrl, ...config.signing, clock }),
      keys: dynamoKeys(store),
      // Reading only: what this function may do with money.
      ledger: { list: (of) => listOutcomes(store, of) },
      log,
      minutes: dynamoMinutes(store),
      profiles: dynamoProfiles(store),
      replies: dynamoReplies(store),
      seals: nodeSeals(),
      skills: dynamoSkills(store),
      toolsCache: dynamoToolsCache(store),
    },
    config.settings,
  ),
)
