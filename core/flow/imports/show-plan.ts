/**
 * Plans of imports and of sets as administrators and CI read them: by kind of change, field by
 * field, without whole definitions.
 */
import { escapeHiddenTexts } from '../../json/hidden-text.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { asObject, asText, shortenText } from '../../openapi/fields.ts'
import { LEFT_OUT_REMEDIES } from '../../openapi/left-out.ts'
import type { FieldChange } from '../../openapi/merge-tool.ts'
import { writeSignature } from '../../openapi/signature.ts'
import type { ImportPlan } from './plan-import.ts'
import type { SetPlan } from './plan-set.ts'
import { type PlannedSkill, type PlannedTool, toTokens } from './planned-skill.ts'

/** Characters of one value of a changed field, if few skills change and if many do. */
export const SHOWN_CHARS_MAX = 2_000
export const SHOWN_CHARS_OF_MANY_MAX = 300
/** Changed skills up to which long values are shown; an answer may have 6 MB. */
export const SHOWN_IN_FULL_MAX = 200
/** Places of one skill that are shown. If more differ, the whole field is shown as one. */
export const SHOWN_PLACES_MAX = 30
/** Characters of the first line of a description. */
const LINE_CHARS_MAX = 200
/** Characters of a tool's name with its arguments. */
const SIGNATURE_CHARS_MAX = 500

/** The plan of an OpenAPI document. `drift` is true if document and stored skills differ. */
export function toImportPlanView({ listed, read, skills }: ImportPlan) {
  const ofKind = (...kinds: readonly PlannedSkill['kind'][]) =>
    skills.filter(({ kind }) => kinds.includes(kind))
  const { notImported, notSelected, operations, secrets } = read
  const listBytes = listed.reduce((sum, { bytes }) => sum + bytes, 0)
  const changed = ofKind('changed')
  return escapeHiddenTexts({
    drift: skills.some(({ kind, merged }) => kind !== 'unchanged' || merged.conflicts.length > 0),
    operations,
    notSelected: notSelected.length,
    listBytes,
    listTokens: toTokens(listBytes),
    listed: listed.map(describeListed),
    added: ofKind('added').map(({ definition, notes, ...one }) => ({
      ...withOperation(one),
      ...describeNew(definition),
      notes,
    })),
    changed: changed.map(({ merged, notes, ...one }) => ({
      ...withOperation(one),
      fields: showChanges(merged.changes, changed.length),
      notes,
    })),
    removed: ofKind('disabled', 'deleted').map(({ cause = 'gone', kind, ...one }) => ({
      ...withOperation(one),
      to: kind,
      cause,
    })),
    unchanged: ofKind('unchanged').length,
    imported: skills.filter(({ cause }) => cause === undefined).length,
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
    notImported: notImported.map(({ code, operation, reason }) => {
      const remedy = LEFT_OUT_REMEDIES[code]
      return { operation, code, reason, ...(remedy === undefined ? {} : { remedy }) }
    }),
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
      fields: showChanges(one.merged.changes, changed.length),
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

/** What a model reads of a tool in a list, in one line, and what it costs to read. */
function describeListed({ bytes, planned, tool }: PlannedTool) {
  const { definition, madeOf, nameOrigin = 'document' } = planned
  const { credits_per_call: credits } = definition
  return {
    skillId: planned.skillId,
    operation: madeOf,
    named: nameOrigin,
    tokens: toTokens(bytes),
    credits: typeof credits === 'number' ? credits : 0,
    signature: shortenText(writeSignature(tool.name, tool.inputSchema), SIGNATURE_CHARS_MAX),
    says: pickSentence(tool.description),
  }
}

function pickSentence(description: string): string {
  const [line = ''] = description.trim().split('\n')
  const [sentence = ''] = line.split(/(?<=[.!?])\s/)
  return shortenText(sentence, LINE_CHARS_MAX)
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

function showChanges(changes: readonly FieldChange[], skills: number) {
  const charsMax = skills > SHOWN_IN_FULL_MAX ? SHOWN_CHARS_OF_MANY_MAX : SHOWN_CHARS_MAX
  const places = changes.flatMap((change) => {
    const found = findPlaces(change)
    return found.length > SHOWN_PLACES_MAX ? [change] : found
  })
  return places.map(({ field, from, to }) => ({
    field,
    ...(from === undefined ? {} : { from: showValue(from, charsMax) }),
    ...(to === undefined ? {} : { to: showValue(to, charsMax) }),
  }))
}

/** Of two objects, the members that differ: `meta/parameters/properties/limit/description`. */
function findPlaces({ field, from, to }: FieldChange): readonly FieldChange[] {
  if (!isJsonObject(from) || !isJsonObject(to)) return [{ field, from, to }]
  const names = [...new Set([...Object.keys(from), ...Object.keys(to)])]
  return names.flatMap((name) => {
    const [before, now] = [from[name], to[name]]
    const isSame = JSON.stringify(before) === JSON.stringify(now)
    return isSame ? [] : findPlaces({ field: `${field}/${name}`, from: before, to: now })
  })
}

function showValue(value: Json, charsMax: number): string {
  const text = JSON.stringify(value)
  return text.length <= charsMax ? text : `${text.slice(0, charsMax - 1).toWellFormed()}…`
}
