/**
 * One change as the list shows it: an intent with its outcome. A record that is no JSON any more is shown as far as its
 * keys go; verification tells what is wrong with it.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { Digests } from '../ports/outside.ts'
import { type AuditRecord, contentOf } from './audit-record.ts'
import { TARGETS_SHOWN_MAX } from './limits.ts'
import { hasTarget } from './target-list.ts'

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
  const { atMs: endedAtMs, status, target, targets, ...after } = ended
  const { targets: sentTargets, ...members } = intentMembers
  return {
    id: `${intent.day}/${intent.seq}`,
    ...members,
    ...after,
    target: { ...objectIn(members['target']), ...objectIn(target) },
    ...shownTargets(objectIn(sentTargets), objectIn(targets)),
    outcome: outcomeOf(status),
    ...(status === undefined ? {} : { status }),
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    hash: intent.hash,
  }
}

/** The first ids of the two lists, which share none, and how many there are in all. */
function shownTargets(sent: JsonObject, made: JsonObject): JsonObject {
  const ids = [sent, made].flatMap(({ ids: some }) => (Array.isArray(some) ? some : []))
  const count = [sent, made].reduce((sum, { count: one }) => sum + Number(one ?? 0), 0)
  return ids.length === 0 ? {} : { targets: ids.slice(0, TARGETS_SHOWN_MAX), targetCount: count }
}

/** Whether the change named this id among many. */
export function namesTarget(
  digests: Pick<Digests, 'sha256'>,
  { intent, outcome }: ChangePair,
  id: string,
): boolean {
  const records = outcome === undefined ? [intent] : [intent, outcome]
  return records.some((record) => hasTarget(digests, contentOf(record)?.['targets'], id))
}

export type ChangeFilter = {
  /** Name or keyId. */
  readonly who?: string | undefined
  readonly operation?: string | undefined
  /** An id in `target`, or among the targets of a change of many. */
  readonly target?: string | undefined
}

/** `isNamed`: whether the change names the filter's target among many. */
export function fitsFilter(
  change: JsonObject,
  filter: ChangeFilter,
  isNamed: (target: string) => boolean,
): boolean {
  const who = objectIn(change['who'])
  const ids = Object.values(objectIn(change['target']))
  return (
    (filter.who === undefined || filter.who === who['name'] || filter.who === who['keyId']) &&
    (filter.operation === undefined || filter.operation === change['operation']) &&
    (filter.target === undefined || ids.includes(filter.target) || isNamed(filter.target))
  )
}

const INTENT_MEMBERS = [
  'atMs',
  'who',
  'operation',
  'method',
  'route',
  'target',
  'targets',
  'sent',
  'before',
  'digestKey',
  'requestId',
  'sourceAddress',
]
const OUTCOME_MEMBERS = ['atMs', 'status', 'target', 'targets', 'after']

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
