/**
 * One change as the list shows it: an intent with its outcome. A record that is no JSON any more is shown as far as its
 * keys go; verification tells what is wrong with it.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import { type AuditRecord, contentOf } from './audit-record.ts'

/** unknown: no outcome was recorded, so the change may have happened, or may still run. */
export const CHANGE_OUTCOMES = ['done', 'refused', 'failed', 'unknown'] as const
type ChangeOutcome = (typeof CHANGE_OUTCOMES)[number]

export type ChangePair = {
  readonly intent: AuditRecord
  readonly outcome: AuditRecord | undefined
}

/**
 * `records` newest first, an outcome right ahead of its intent. The outcome at the end whose intent did not fit into the
 * page is left for the next page.
 */
export function pairsOf(records: readonly AuditRecord[]): readonly ChangePair[] {
  return records.flatMap((intent, index) => {
    if (intent.kind !== 'intent') return []
    const ahead = records[index - 1]
    const isItsOwn = ahead?.kind === 'outcome' && ahead.intent === intent.intent
    return [{ intent, outcome: isItsOwn ? ahead : undefined }]
  })
}

export function changeView({ intent, outcome }: ChangePair): JsonObject {
  const intentMembers = pick(contentOf(intent), INTENT_MEMBERS)
  const ended = pick(outcome === undefined ? undefined : contentOf(outcome), OUTCOME_MEMBERS)
  const { atMs: endedAtMs, status, target, ...after } = ended
  return {
    id: `${intent.day}/${intent.seq}`,
    ...intentMembers,
    ...after,
    target: { ...objectIn(intentMembers['target']), ...objectIn(target) },
    outcome: outcomeOf(status),
    ...(status === undefined ? {} : { status }),
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    hash: intent.hash,
  }
}

export type ChangeFilter = {
  /** Name or keyId. */
  readonly who?: string | undefined
  readonly operation?: string | undefined
  /** An id in `target`. */
  readonly target?: string | undefined
}

export function fitsFilter(change: JsonObject, filter: ChangeFilter): boolean {
  const who = objectIn(change['who'])
  const ids = Object.values(objectIn(change['target']))
  return (
    (filter.who === undefined || filter.who === who['name'] || filter.who === who['keyId']) &&
    (filter.operation === undefined || filter.operation === change['operation']) &&
    (filter.target === undefined || ids.includes(filter.target))
  )
}

const INTENT_MEMBERS = [
  'atMs',
  'who',
  'operation',
  'method',
  'route',
  'target',
  'sent',
  'before',
  'digestKey',
  'requestId',
  'sourceAddress',
]
const OUTCOME_MEMBERS = ['atMs', 'status', 'target', 'after']

function pick(from: JsonObject | undefined, names: readonly string[]): JsonObject {
  const members = Object.entries(from ?? {}).filter(([name]) => names.includes(name))
  return Object.fromEntries(members)
}

function objectIn(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function outcomeOf(status: Json | undefined): ChangeOutcome {
  if (typeof status !== 'number') return 'unknown'
  if (status < 400) return 'done'
  return status < 500 ? 'refused' : 'failed'
}
