/** The deployed messages function: builds its ports once, is the door. */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { dynamoBroadcast } from '../../adapters/dynamodb/broadcast.ts'
import { dynamoKeys } from '../../adapters/dynamodb/keys.ts'
import { listOutcomes } from '../../adapters/dynamodb/ledger-list.ts'
import { readLegacyUser } from '../../adapters/dynamodb/legacy-users.ts'
import { dynamoMinutes } from '../../adapters/dynamodb/minutes.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/profiles.ts'
import { dynamoReplies } from '../../adapters/dynamodb/replies.ts'
import { dynamoSkills } from '../../adapters/dynamodb/skills.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/tools-cache.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { functionUrlExecute } from '../../adapters/peers/execute-peer.ts'
import { startFunction } from '../start-function.ts'
import { messagesDoor } from './door.ts'

const { config, clock, log, store } = startFunction('messages', [
  'settings',
  'executeUrl',
  'signing',
])

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
      legacy: { read: (uid) => readLegacyUser(store, uid) },
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
