/**
 * Writes a stage as the environment variables that adapters/config/env.ts reads, with that file's
 * names and forms. test/lib/door-environment.test.ts reads the synthesized values with the real
 * reader.
 */
import { writeSettingText } from '../core/settings/read-setting.ts'
import { FUNCTION_SETTINGS, SETTINGS } from '../core/settings/table.ts'
import type { DataStack } from './data-stack.ts'
import type { Stage } from './stage.ts'

type Environment = { readonly [name: string]: string }

type NamedTable = { readonly tableName: string }

export function toTableVariables(tables: {
  readonly gateway: NamedTable
  readonly sessions: NamedTable
}): Environment {
  return {
    GATEWAY_TABLE: tables.gateway.tableName,
    SESSIONS_TABLE: tables.sessions.tableName,
  }
}

/**
 * Returns the settings, for every function but usage. An empty list and a field
 * without a value are left out, because the reader treats them as absent.
 */
export function toSettingVariables(stage: Stage): Environment {
  const { eventTargets, eventsFrom, replyTail, ...shared } = SETTINGS
  const names = Object.keys(shared) as readonly (keyof typeof shared)[]
  const set = names.filter((name) => stage[name] !== undefined)
  const variables = set.map(
    (name) => [shared[name].env, writeSettingText(shared[name], stage[name])] as const,
  )
  return {
    ...Object.fromEntries(variables.filter(([, text]) => text !== '')),
    EVENTS: writeSettingText(FUNCTION_SETTINGS.EVENTS, stage.eventTargets.length > 0),
  }
}

/** Returns variables for the one function that sends events. */
export function toEventVariables({ eventTargets, eventsFrom }: Stage): Environment {
  if (eventTargets.length === 0) return {}
  return {
    EVENTS_TARGETS: writeSettingText(SETTINGS.eventTargets, eventTargets),
    ...(eventsFrom === undefined ? {} : { EVENTS_FROM: eventsFrom }),
  }
}

/** Returns variables for the functions that write the outcomes of calls, or pages of them. */
export function toLedgerVariables(stage: Stage): Environment {
  return { LEDGER_HOT_DAYS: writeSettingText(SETTINGS.ledgerHotDays, stage.ledgerHotDays) }
}

/** Returns variables for the function that archives, and for those that keep results of calls. */
export function toArchiveVariables(data: DataStack): Environment {
  return { ARCHIVE_BUCKET: data.archive.bucket.bucketName }
}

/** Returns variables for the one function that tails replies. */
export function toTailVariables(stage: Stage, sessionsStreamArn: string): Environment {
  const tail = { REPLY_TAIL: stage.replyTail }
  return stage.replyTail === 'partition'
    ? tail
    : { ...tail, SESSIONS_STREAM_ARN: sessionsStreamArn }
}

/** Returns variables for the functions that seal or open users' secrets. */
export function toSecretVariables(data: DataStack): Environment {
  return { SECRETS_KEY_ID: data.userSecretsKey.keyArn }
}
