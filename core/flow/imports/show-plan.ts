/**
 * Plans of imports and of sets as administrators and CI read them: by kind of change, field by
 * field, without whole definitions.
 */
import { escapeHiddenTexts } from '../../json/hidden-text.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { asObject, asText, shortenText } from '../../openapi/fields.ts'
import type { FieldChange } from '../../openapi/merge-tool.ts'
import type { ImportPlan } from './plan-import.ts'
import type { SetPlan } from './plan-set.ts'
import type { PlannedSkill } from './planned-skill.ts'

/** Characters of one value of a changed field. */
export const SHOWN_CHARS_MAX = 300
/** Characters of the first line of a description. */
const LINE_CHARS_MAX = 200

/** The plan of an OpenAPI document. `drift` is true if document and stored skills differ. */
export function toImportPlanView({ listBytes, read, skills }: ImportPlan) {
  const ofKind = (...kinds: readonly PlannedSkill['kind'][]) =>
    skills.filter(({ kind }) => kinds.includes(kind))
  const { notImported, notSelected, operations, secrets } = read
  return escapeHiddenTexts({
    drift: skills.some(({ kind, merged }) => kind !== 'unchanged' || merged.conflicts.length > 0),
    operations,
    notSelected,
    listBytes,
    added: ofKind('added').map(({ definition, notes, ...one }) => ({
      ...withOperation(one),
      ...describeNew(definition),
      notes,
    })),
    changed: ofKind('changed').map(({ merged, notes, ...one }) => ({
      ...withOperation(one),
      fields: merged.changes.map(showChange),
      notes,
    })),
    removed: ofKind('disabled', 'deleted').map(({ kind, ...one }) => ({
      ...withOperation(one),
      to: kind,
    })),
    unchanged: ofKind('unchanged').length,
    edited: skills
      .filter(({ merged }) => merged.edited.length > 0)
      .map(({ merged: { conflicts, edited }, ...one }) => ({
        ...withOperation(one),
        fields: edited,
        conflicts,
      })),
    breaking: skills
      .filter(({ merged }) => merged.breaking.length > 0)
      .map(({ merged, ...one }) => ({ ...withOperation(one), reasons: merged.breaking })),
    notImported,
    secrets: secrets.map(({ name, what }) => ({ name, what })),
  })
}

function withOperation({ madeOf, skillId }: Pick<PlannedSkill, 'madeOf' | 'skillId'>) {
  return { skillId, operation: madeOf }
}

/** The plan of a set. `changes` is 0 if an apply would change nothing. */
export function toSetPlanView({ adopted, left, listBytes, skills }: SetPlan) {
  const ofKind = (...kinds: readonly PlannedSkill['kind'][]) =>
    skills.filter(({ kind }) => kinds.includes(kind))
  const removed = ofKind('disabled', 'deleted')
  const added = ofKind('added')
  const changed = ofKind('changed')
  return escapeHiddenTexts({
    changes: added.length + changed.length + removed.length,
    listBytes,
    added: added.map((one) => ({ ...withFile(one), ...describeNew(one.definition) })),
    changed: changed.map((one) => ({
      ...withFile(one),
      fields: one.merged.changes.map(showChange),
    })),
    removed: removed.map(({ skillId }) => skillId),
    left,
    unchanged: ofKind('unchanged').length,
    adopted,
    edited: skills
      .filter(({ merged }) => merged.edited.length > 0)
      .map(({ merged: { conflicts, edited }, ...one }) => ({
        ...withFile(one),
        fields: edited,
        conflicts,
      })),
    breaking: skills
      .filter(({ merged }) => merged.breaking.length > 0)
      .map(({ merged, ...one }) => ({ ...withFile(one), reasons: merged.breaking })),
    warnings: skills
      .filter(({ notes }) => notes.length > 0)
      .map(({ notes, ...one }) => ({ ...withFile(one), texts: notes })),
  })
}

function withFile({ madeOf, skillId }: Pick<PlannedSkill, 'madeOf' | 'skillId'>) {
  return { skillId, file: madeOf }
}

/** The facts by which an administrator accepts a new tool: purpose, host and price. */
function describeNew(definition: JsonObject) {
  const { config, credits_per_call: credits, meta } = definition
  const { description, name } = asObject(meta)
  const { endpoint: sent, lambda } = asObject(config)
  const endpoint = asText(sent) ?? ''
  const [line = ''] = (asText(description) ?? '').trim().split('\n')
  return {
    name: asText(name) ?? '',
    description: shortenText(line, LINE_CHARS_MAX),
    host:
      /^https?:\/\/([^/?#]*)/i.exec(endpoint)?.[1] ?? asText(asObject(lambda)['function']) ?? '',
    credits: typeof credits === 'number' ? credits : 0,
  }
}

function showChange({ field, from, to }: FieldChange) {
  return {
    field,
    ...(from === undefined ? {} : { from: showValue(from) }),
    ...(to === undefined ? {} : { to: showValue(to) }),
  }
}

function showValue(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= SHOWN_CHARS_MAX
    ? text
    : `${text.slice(0, SHOWN_CHARS_MAX - 1).toWellFormed()}…`
}
