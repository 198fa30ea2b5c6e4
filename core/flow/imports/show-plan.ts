/** A plan as administrators read it: by kind of change, field by field, without whole definitions. */

import { shownTexts } from '../../json/hidden-text.ts'
import type { Json, JsonObject } from '../../json/json.ts'
import { objectOf, shortened, textOf } from '../../openapi/fields.ts'
import type { FieldChange } from '../../openapi/merge-tool.ts'
import type { ImportPlan } from './plan-import.ts'
import type { PlannedSkill } from './planned-skill.ts'

/** Characters of one value of a changed field. */
export const SHOWN_CHARS_MAX = 300

export function planView({ listBytes, read, skills }: ImportPlan) {
  const ofKind = (...kinds: readonly PlannedSkill['kind'][]) =>
    skills.filter(({ kind }) => kinds.includes(kind))
  const { notImported, notSelected, operations, secrets } = read
  return shownTexts({
    drift: skills.some(({ kind, merged }) => kind !== 'unchanged' || merged.conflicts.length > 0),
    operations,
    notSelected,
    listBytes,
    added: ofKind('added').map(({ definition, notes, ...one }) => ({
      ...named(one),
      ...aboutNew(definition),
      notes,
    })),
    changed: ofKind('changed').map(({ merged, notes, ...one }) => ({
      ...named(one),
      fields: merged.changes.map(changeView),
      notes,
    })),
    removed: ofKind('disabled', 'deleted').map(({ kind, ...one }) => ({ ...named(one), to: kind })),
    unchanged: ofKind('unchanged').length,
    edited: skills
      .filter(({ merged }) => merged.edited.length > 0)
      .map(({ merged: { conflicts, edited }, ...one }) => ({
        ...named(one),
        fields: edited,
        conflicts,
      })),
    breaking: skills
      .filter(({ merged }) => merged.breaking.length > 0)
      .map(({ merged, ...one }) => ({ ...named(one), reasons: merged.breaking })),
    notImported,
    secrets: secrets.map(({ name, what }) => ({ name, what })),
  })
}

/** Characters of the first line of a description. */
const LINE_CHARS_MAX = 200

/** What somebody who lets a new tool in has to know: what it says it does, where it sends, and its price. */
export function aboutNew(definition: JsonObject) {
  const { config, credits_per_call: credits, meta } = definition
  const { description, name } = objectOf(meta)
  const endpoint = textOf(objectOf(config)['endpoint']) ?? ''
  const [line = ''] = (textOf(description) ?? '').trim().split('\n')
  return {
    name: textOf(name) ?? '',
    description: shortened(line, LINE_CHARS_MAX),
    host: /^https?:\/\/([^/?#]*)/i.exec(endpoint)?.[1] ?? '',
    credits: typeof credits === 'number' ? credits : 0,
  }
}

function named({ madeOf, skillId }: Pick<PlannedSkill, 'madeOf' | 'skillId'>) {
  return { skillId, operation: madeOf }
}

export function changeView({ field, from, to }: FieldChange) {
  return {
    field,
    ...(from === undefined ? {} : { from: shown(from) }),
    ...(to === undefined ? {} : { to: shown(to) }),
  }
}

function shown(value: Json): string {
  const text = JSON.stringify(value)
  return text.length <= SHOWN_CHARS_MAX
    ? text
    : `${text.slice(0, SHOWN_CHARS_MAX - 1).toWellFormed()}…`
}
