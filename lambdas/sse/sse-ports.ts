/** What the sse door needs of the outside, on AWS: the same for the function sse and the Web Function. Made once per process. */
import type { Config } from '../../adapters/config/config.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { nodeIds } from '../../adapters/crypto/node-ids.ts'
import { nodeSeals } from '../../adapters/crypto/node-seals.ts'
import { dynamoKeys } from '../../adapters/dynamodb/accounts/keys.ts'
import { dynamoProfiles } from '../../adapters/dynamodb/accounts/profiles.ts'
import { dynamoRateCounters } from '../../adapters/dynamodb/accounts/rate-counters.ts'
import type { DynamoStore } from '../../adapters/dynamodb/client/document-store.ts'
import { NO_CHANGES } from '../../adapters/dynamodb/no-changes.ts'
import { dynamoToolListVersion } from '../../adapters/dynamodb/registry/tool-list-version.ts'
import { openReplyTail } from '../../adapters/dynamodb/reply-stream/open-reply-tail.ts'
import { dynamoLeases } from '../../adapters/dynamodb/sessions/leases.ts'
import { dynamoReplies } from '../../adapters/dynamodb/sessions/replies.ts'
import { dynamoSessions } from '../../adapters/dynamodb/sessions/sessions.ts'
import { functionUrlExecute } from '../../adapters/internal-http/execute-peer.ts'
import { functionUrlMessages } from '../../adapters/internal-http/messages-peer.ts'
import type { Clock, Log } from '../../core/ports.ts'
import type { SsePorts } from './door.ts'

type Started = {
  readonly config: Pick<Config, 'executeUrl' | 'messagesUrl' | 'replyTail' | 'signing'>
  readonly clock: Clock
  readonly log: Log
  readonly store: DynamoStore
}

/** One tail for all sessions of the process. */
export async function ssePorts({ clock, config, log, store }: Started): Promise<SsePorts> {
  const { tail } = await openReplyTail(config.replyTail, { store, log, pace: 'aws' })
  return {
    changes: NO_CHANGES,
    toolListVersion: dynamoToolListVersion(store),
    clock,
    digests: nodeDigests(),
    execute: functionUrlExecute({ url: config.executeUrl, ...config.signing, clock }),
    ids: nodeIds(),
    keys: dynamoKeys(store),
    leases: dynamoLeases(store),
    log,
    messages: functionUrlMessages({ url: config.messagesUrl, ...config.signing, clock }),
    rateCounters: dynamoRateCounters(store),
    profiles: dynamoProfiles(store),
    replies: dynamoReplies(store, tail),
    seals: nodeSeals(),
    sessions: dynamoSessions(store),
  }
}
