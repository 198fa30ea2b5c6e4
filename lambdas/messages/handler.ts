/** Entry point of the deployed messages function. Builds the ports once. */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { stageClient } from '../../adapters/dynamodb/client/stage-client.ts'
import { listOutcomes } from '../../adapters/dynamodb/ledger/ledger-list.ts'
import { readV0User } from '../../adapters/dynamodb/migration/v0-users.ts'
import { dynamoSkills } from '../../adapters/dynamodb/registry/skills.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { dynamoToolsCache } from '../../adapters/dynamodb/registry/tools-cache.ts'
import { dynamoJobs } from '../../adapters/dynamodb/sessions/jobs.ts'
import { dynamoReplies } from '../../adapters/dynamodb/sessions/replies.ts'
import { dynamoTasks } from '../../adapters/dynamodb/sessions/tasks.ts'
import { dynamoKeys } from '../../adapters/dynamodb/users/keys.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/users/profiles.ts'
import { dynamoRateCounters } from '../../adapters/dynamodb/users/rate-counters.ts'
import { collectGarbageAfter } from '../../adapters/http/collect-after.ts'
import { makeStreamingHandler } from '../../adapters/http/lambda-stream.ts'
import { functionUrlExecute } from '../../adapters/internal-http/execute-peer.ts'
import { functionUrlJobs } from '../../adapters/internal-http/jobs-peer.ts'
import { functionUrlReads } from '../../adapters/internal-http/reads-peer.ts'
import { makeLatePort } from '../../core/cache/late-port.ts'
import { startFunction } from '../start-function.ts'
import { createMessagesDoor } from './door.ts'

const { config, clock, log, store } = startFunction(
  'messages',
  ['settings', 'executeUrl', 'signing'],
  stageClient,
)

/** Most clients read guides once, at their start, and few clients use this function. */
const guides = makeLatePort(async () => {
  const { dynamoGuides } = await import('../../adapters/dynamodb/registry/guides.ts')
  return dynamoGuides(store)
})

const mcpUpstreams = makeLatePort(async () => {
  const { dynamoMcpUpstreams } = await import('../../adapters/dynamodb/registry/mcp-upstreams.ts')
  return dynamoMcpUpstreams(store)
})

export const handler = makeStreamingHandler(
  collectGarbageAfter(
    createMessagesDoor(
      {
        toolListVersion: dynamoToolListVersion(store),
        clock,
        digests: nodeDigests(),
        guides,
        execute: functionUrlExecute({ url: config.executeUrl, ...config.signing, clock }),
        // It calls no upstream, so execute asks them, also about jobs.
        handedReads: functionUrlReads({ url: config.executeUrl, ...config.signing, clock }),
        jobVisits: functionUrlJobs({ url: config.executeUrl, ...config.signing, clock }),
        jobs: dynamoJobs(store),
        keys: dynamoKeys(store),
        // This function may read the ledger but not change it.
        ledger: { list: (of) => listOutcomes(store, of) },
        v0: { read: (uid) => readV0User(store, uid) },
        log,
        mcpUpstreams,
        rateCounters: dynamoRateCounters(store),
        profiles: dynamoProfiles(store),
        replies: dynamoReplies(store),
        seals: nodeSeals(),
        skills: dynamoSkills(store),
        tasks: dynamoTasks(store),
        toolsCache: dynamoToolsCache(store),
      },
      config.settings,
    ),
  ),
)
