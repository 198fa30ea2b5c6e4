/**
 * Writes a stage as the environment that adapters/config/env.ts reads, with that file's names and
 * forms; test/lib/door-environment.test.ts reads the synthesized values with the real reader.
 */
import type { DataStack } from './data-stack.ts'
import type { Stage } from './stage.ts'
import { tierText } from './stage-rules.ts'

type Environment = { readonly [name: string]: string }

export function tableNames(data: DataStack): Environment {
  return {
    GATEWAY_TABLE: data.gatewayTable.tableName,
    SESSIONS_TABLE: data.sessionsTable.tableName,
  }
}

/**
 * Settings of every function but usage. An empty list is left out, since the reader treats it as
 * absent.
 */
export function settingsOf(stage: Stage): Environment {
  const lists = {
    TIER_LIMITS: stage.tierLimits.map(tierText).join(','),
    ALLOWED_ORIGINS: stage.allowedOrigins.join(','),
    OUTBOUND_ALLOW: stage.outboundAllow.join(','),
  }
  return {
    SKILLGATE_PREFIX: stage.prefix,
    HOLDS_MAX: String(stage.holdsMax),
    SSE_CONCURRENCY: String(stage.sseConcurrency),
    STREAMS_PER_KEY_MAX: String(stage.streamsPerKeyMax),
    ANONYMOUS_STREAMS: stage.anonymousStreams ? 'on' : 'off',
    ...ledgerOf(stage),
    CALL_EXCERPTS: stage.callExcerpts ? 'on' : 'off',
    EVENTS: stage.eventTarget === undefined ? 'off' : 'on',
    LOW_BALANCE: String(stage.lowBalance),
    STORE_CLIENT: stage.storeClient,
    ANNOUNCE_TOOL_CHANGES: stage.announceToolChanges ? 'on' : 'off',
    ...Object.fromEntries(Object.entries(lists).filter(([, text]) => text !== '')),
  }
}

/** For the functions that write how calls ended, or pages of it. */
export function ledgerOf(stage: Stage): Environment {
  return { LEDGER_HOT_DAYS: String(stage.ledgerHotDays) }
}

/** For the one function that archives. */
export function archiveOf(data: DataStack): Environment {
  return { ARCHIVE_BUCKET: data.archive.bucket.bucketName }
}

/** For the one function that tails replies. */
export function tailOf(stage: Stage, sessionsStreamArn: string): Environment {
  const tail = { REPLY_TAIL: stage.replyTail }
  return stage.replyTail === 'partition'
    ? tail
    : { ...tail, SESSIONS_STREAM_ARN: sessionsStreamArn }
}

/** For the functions that seal or open users' secrets. */
export function userSecretsOf(data: DataStack): Environment {
  return { SECRETS_KEY_ID: data.userSecretsKey.keyArn }
}
