/** The deployed sse function: reads its configuration once, builds its ports, is the sse door. */
import { configOfProcess } from '../../adapters/config/env.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { dynamoBroadcast } from '../../adapters/dynamodb/broadcast.ts'
import { dynamoClient } from '../../adapters/dynamodb/client.ts'
import { dynamoKeys } from '../../adapters/dynamodb/keys.ts'
import { dynamoLeases } from '../../adapters/dynamodb/leases.ts'
import { dynamoMinutes } from '../../adapters/dynamodb/minutes.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/profiles.ts'
import { dynamoReplies } from '../../adapters/dynamodb/replies.ts'
import { dynamoSessions } from '../../adapters/dynamodb/sessions.ts'
import { dynamoStore } from '../../adapters/dynamodb/store.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { functionUrlExecute } from '../../adapters/peers/execute-peer.ts'
import { functionUrlMessages } from '../../adapters/peers/messages-peer.ts'
import { jsonLog } from '../../adapters/telemetry/json-log.ts'
import { sseDoor } from './door.ts'

const config = configOfProcess(['settings', 'tables', 'messagesUrl', 'executeUrl', 'signing'])
const clock = systemClock()
const log = jsonLog({ write: (line) => process.stdout.write(line), clock })
const store = dynamoStore({
  client: dynamoClient({}),
  tables: config.tables,
  clock,
  onTrouble: (cause) => log.note('warn', 'store-trouble', {}, cause),
})

export const handler = streaming(
  sseDoor(
    {
      broadcast: dynamoBroadcast(store),
      clock,
      digests: nodeDigests(),
      execute: functionUrlExecute({ url: config.executeUrl, ...config.signing, clock }),
      ids: nodeIds(),
      keys: dynamoKeys(store),
      leases: dynamoLeases(store),
      log,
      messages: functionUrlMessages({ url: config.messagesUrl, ...config.signing, clock }),
      minutes: dynamoMinutes(store),
      profiles: dynamoProfiles(store),
      replies: dynamoReplies(store),
      seals: nodeSeals(),
      sessions: dynamoSessions(store),
    },
    config.settings,
  ),
)
