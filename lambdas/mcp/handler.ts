/** Entry point of the deployed mcp function: builds the ports once. */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { dynamoKeys } from '../../adapters/dynamodb/accounts/keys.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/accounts/profiles.ts'
import { dynamoRateCounters } from '../../adapters/dynamodb/accounts/rate-counters.ts'
import { listOutcomes } from '../../adapters/dynamodb/ledger/ledger-list.ts'
import { readV0User } from '../../adapters/dynamodb/migration/v0-users.ts'
import { NO_CHANGES } from '../../adapters/dynamodb/no-changes.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { dynamoClientResponses } from '../../adapters/dynamodb/sessions/client-responses.ts'
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
      changes: NO_CHANGES,
      toolListVersion: dynamoToolListVersion(store),
      clock,
      digests: nodeDigests(),
      execute: functionUrlExecute({ url: config.executeUrl, ...config.signing, clock }),
      ids: nodeIds(),
      clientResponses: dynamoClientResponses(store),
      keys: dynamoKeys(store),
      leases: dynamoLeases(store),
      // This function may read the ledger but not change it.
      ledger: { list: (of) => listOutcomes(store, of) },
      v0: { read: (uid) => readV0User(store, uid) },
      log,
      rateCounters: dynamoRateCounters(store),
      profiles: dynamoProfiles(store),
      seals: nodeSeals(),
      sessions: dynamoSessions(store),
      skills: dynamoSkills(store),
      toolsCache: dynamoToolsCache(store),
    },
    config.settings,
  ),
)
