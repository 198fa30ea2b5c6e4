/**
 * Entry point of the deployed sse function. Builds the ports once. One tail serves all sessions of
 * the process.
 */
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { stageClient } from '../../adapters/dynamodb/client/stage-client.ts'
import { NO_CHANGES } from '../../adapters/dynamodb/no-changes.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { openReplyTail } from '../../adapters/dynamodb/reply-stream/open-reply-tail.ts'
import { dynamoLeases } from '../../adapters/dynamodb/sessions/leases.ts'
import { dynamoReplies } from '../../adapters/dynamodb/sessions/replies.ts'
import { dynamoSessions } from '../../adapters/dynamodb/sessions/sessions.ts'
import { dynamoIssuerKeys } from '../../adapters/dynamodb/users/issuer-keys.ts'
import { dynamoKeys } from '../../adapters/dynamodb/users/keys.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/users/profiles.ts'
import { dynamoRateCounters } from '../../adapters/dynamodb/users/rate-counters.ts'
import { makeStreamingHandler } from '../../adapters/http/lambda-stream.ts'
import { functionUrlExecute } from '../../adapters/internal-http/execute-peer.ts'
import { functionUrlMessages } from '../../adapters/internal-http/messages-peer.ts'
import { makeLatePort } from '../../core/cache/late-port.ts'
import { openEdgeCheck, putBehindEdge } from '../edge/behind-edge.ts'
import { startFunction } from '../start-function.ts'
import { createSseDoor, type SsePorts } from './door.ts'
import { createTokenVerifier } from './token-verifier.ts'

const { clock, config, log, store } = startFunction(
  'sse',
  ['settings', 'messagesUrl', 'executeUrl', 'signing', 'replyTail', 'edge'],
  stageClient,
)
const edge = openEdgeCheck({ clock, config, log })
const { tail } = await openReplyTail(config.replyTail, { store, log, pace: 'aws' })
const digests = nodeDigests()
const ports: SsePorts = {
  changes: NO_CHANGES,
  toolListVersion: dynamoToolListVersion(store),
  clock,
  digests,
  execute: functionUrlExecute({ url: config.executeUrl, ...config.signing, clock }),
  ids: nodeIds(),
  keys: dynamoKeys(store),
  leases: dynamoLeases(store),
  log,
  logins: makeLatePort(async () => {
    const { dynamoLogins } = await import('../../adapters/dynamodb/users/logins.ts')
    return dynamoLogins(store)
  }),
  messages: functionUrlMessages({ url: config.messagesUrl, ...config.signing, clock }),
  rateCounters: dynamoRateCounters(store),
  profiles: dynamoProfiles(store),
  replies: dynamoReplies(store, tail),
  seals: nodeSeals(),
  sessions: dynamoSessions(store),
  tokenVerifier: createTokenVerifier(
    { clock, digests, issuerKeys: dynamoIssuerKeys(store), log },
    config.settings,
  ),
}

export const handler = makeStreamingHandler(
  putBehindEdge(createSseDoor(ports, config.settings), edge, log),
)
