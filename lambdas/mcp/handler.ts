/** The deployed mcp function: builds its ports once, is the door. */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { dynamoBroadcast } from '../../adapters/dynamodb/broadcast.ts'
import { dynamoInputAnswers } from '../../adapters/dynamodb/input-answers.ts'
import { dynamoKeys } from '../../adapters/dynamodb/keys.ts'
import { dynamoLeases } from '../../adapters/dynamodb/leases.ts'
import { listOutcomes } from '../../adapters/dynamodb/ledger-list.ts'
import { readLegacyUser } from '../../adapters/dynamodb/legacy-users.ts'
import { dynamoMinutes } from '../../adapters/dynamodb/minutes.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/profiles.ts'
import { dynamoSessions } from '../../adapters/dynamodb/sessions.ts'
import { dynamoSkills } from '../../adapters/dynamodb/skills.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/tools-cache.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { functionUrlExecute } from '../../adapters/peers/execute-peer.ts'
import { startFunction } from '../start-function.ts'
import { mcpDoor } from './door.ts'

const { config, clock, log, store } = startFunction('mcp', ['settings', 'executeUrl', 'signing'])

export const handler = streaming(
  mcpDoor(
    {
      broadcast: dynamoBroadcast(store),
      clock,
      digests: nodeDigests(),
      execute: functionUrlExecute({ url: config.executeUrl, ...config.signing, clock }),
      ids: nodeIds(),
      inputAnswers: dynamoInputAnswers(store),
      keys: dynamoKeys(store),
      leases: dynamoLeases(store),
      // Reading only: what this function may do with money.
      ledger: { list: (of) => listOutcomes(store, of) },
      legacy: { read: (uid) => readLegacyUser(store, uid) },
      log,
      minutes: dynamoMinutes(store),
      profiles: dynamoProfiles(store),
      seals: nodeSeals(),
      sessions: dynamoSessions(store),
      skills: dynamoSkills(store),
      toolsCache: dynamoToolsCache(store),
    },
    config.settings,
  ),
)
