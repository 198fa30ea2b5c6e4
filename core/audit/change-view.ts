/**
 * One change as the list shows it: an intent with its outcome. If the text of a record is no longer
 * JSON, only its store keys are shown; verification reports what is wrong.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { Digests } from '../ports/outside.ts'
import { type AuditRecord, parseContent } from './audit-record.ts'
import { TARGETS_SHOWN_MAX } from './limits.ts'
import { hasTarget } from './target-list.ts'

/** `unknown`: no outcome is recorded. The change may have happened or may still run. */
export const CHANGE_OUTCOMES = ['done', 'refused', 'failed', 'unknown'] as const
type ChangeOutcome = (typeof CHANGE_OUTCOMES)[number]

export type ChangePair = {
  readonly intent: AuditRecord
  readonly outcome: AuditRecord | undefined
}

/**
 * Pairs intents with their outcomes. `records` are newest first, each outcome right before its
 * intent. An outcome at the end whose intent is not in the page is left for the next page.
 */
export function pairRecords(records: readonly AuditRecord[]): readonly ChangePair[] {
  return records.flatMap((intent, index) => {
    if (intent.kind !== 'intent') return []
    const ahead = records[index - 1]
    const isItsOwn = ahead?.kind === 'outcome' && ahead.intent === intent.intent
    return [{ intent, outcome: isItsOwn ? ahead : undefined }]
  })
}

/** The members of a change that the list shows. */
export function toChangeView({ intent, outcome }: ChangePair): JsonObject {
  const intentMembers = pickMembers(parseContent(intent), INTENT_MEMBERS)
  const ended = pickMembers(
    outcome === undefined ? undefined : parseContent(outcome),
    OUTCOME_MEMBERS,
  )
  const { atMs: endedAtMs, status, target, targets, ...after } = ended
  const { targets: sentTargets, ...members } = intentMembers
  return {
    id: `${intent.day}/${intent.seq}`,
    ...members,
    ...after,
    target: { ...toObject(members['target']), ...toObject(target) },
    ...toShownTargets(toObject(sentTargets), toObject(targets)),
    outcome: toOutcome(status),
    ...(status === undefined ? {} : { status }),
    ...(endedAtMs === undefined ? {} : { endedAtMs }),
    hash: intent.hash,
  }
}

/** The first ids of both lists, which have no id in common, and the number of all ids. */
function toShownTargets(sent: JsonObject, made: JsonObject): JsonObject {
  const ids = [sent, made].flatMap(({ ids: some }) => (Array.isArray(some) ? some : []))
  const count = [sent, made].reduce((sum, { count: one }) => sum + Number(one ?? 0), 0)
  return ids.length === 0 ? {} : { targets: ids.slice(0, TARGETS_SHOWN_MAX), targetCount: count }
}

/** True if the change names this id among many. */
export function namesTarget(
  digests: Pick<Digests, 'sha256'>,
  { intent, outcome }: ChangePair,
  id: string,
): boolean {
  const records = outcome === undefined ? [intent] : [intent, outcome]
  return records.some((record) => hasTarget(digests, parseContent(record)?.['targets'], id))
}

export type ChangeFilter = {
  /** Name, keyId or identityId of the administrator. */
  readonly who?: string | undefined
  readonly operation?: string | undefined
  /** An id in `target`, or one of the targets of a change of many records. */
  readonly target?: string | undefined
}

/**
 * True if the filter allows the change. `isNamed` tells whether the change names an id among many.
 */
export function matchesChangeFilter(
  change: JsonObject,
  filter: ChangeFilter,
  isNamed: (target: string) => boolean,
): boolean {
  const who = toObject(change['who'])
  const ids = Object.values(toObject(change['target']))
  return (
    (filter.who === undefined ||
      [who['name'], who['keyId'], who['identityId']].includes(filter.who)) &&
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

function pickMembers(from: JsonObject | undefined, names: readonly string[]): JsonObject {
  const members = Object.entries(from ?? {}).filter(([name]) => names.includes(name))
  return Object.fromEntries(members)
}

function toObject(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {}
}

function toOutcome(status: Json | undefined): ChangeOutcome {
  if (typeof status !== 'number') return 'unknown'
  if (status < 400) return 'done'
  return status < 500 ? 'refused' : 'failed'
}
