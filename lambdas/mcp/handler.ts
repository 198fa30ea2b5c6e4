/** The deployed mcp function: builds its ports once, is the door. */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { dynamoKeys } from '../../adapters/dynamodb/accounts/keys.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/accounts/profiles.ts'
import { dynamoMinutes } from '../../adapters/dynamodb/accounts/rate-counters.ts'
import { listOutcomes } from '../../adapters/dynamodb/ledger/ledger-list.ts'
import { readLegacyUser } from '../../adapters/dynamodb/migration/v0-users.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoBroadcast } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { dynamoInputAnswers } from '../../adapters/dynamodb/sessions/client-responses.ts'
import { dynamoLeases } from '../../adapters/dynamodb/sessions/leases.ts'
import { dynamoSessions } from '../../adapters/dynamodb/sessions/sessions.ts'
import { streaming } from '../../adapters/http/lambda-stream.ts'
import { functionUrlExecute } from '../../adapters/internal-http/execute-peer.ts'
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
