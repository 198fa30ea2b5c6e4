/** The plan of a set as administrators and CI read it: `changes` is 0 when an apply would change nothing. */
import { shownTexts } from '../../json/hidden-text.ts'
import type { SetPlan } from './plan-set.ts'
import type { PlannedSkill } from './planned-skill.ts'
import { aboutNew, changeView } from './show-plan.ts'

export function setPlanView({ adopted, left, listBytes, skills }: SetPlan) {
  const ofKind = (...kinds: readonly PlannedSkill['kind'][]) =>
    skills.filter(({ kind }) => kinds.includes(kind))
  const removed = ofKind('disabled', 'deleted')
  const added = ofKind('added')
  const changed = ofKind('changed')
  return shownTexts({
    changes: added.length + changed.length + removed.length,
    listBytes,
    added: added.map((one) => ({ ...fileOf(one), ...aboutNew(one.definition) })),
    changed: changed.map((one) => ({ ...fileOf(one), fields: one.merged.changes.map(changeView) })),
    removed: removed.map(({ skillId }) => skillId),
    left,
    unchanged: ofKind('unchanged').length,
    adopted,
    edited: skills
      .filter(({ merged }) => merged.edited.length > 0)
      .map(({ merged: { conflicts, edited }, ...one }) => ({
        ...fileOf(one),
        fields: edited,
        conflicts,
      })),
    breaking: skills
      .filter(({ merged }) => merged.breaking.length > 0)
      .map(({ merged, ...one }) => ({ ...fileOf(one), reasons: merged.breaking })),
    warnings: skills
      .filter(({ notes }) => notes.length > 0)
      .map(({ notes, ...one }) => ({ ...fileOf(one), texts: notes })),
  })
}

function fileOf({ madeOf, skillId }: Pick<PlannedSkill, 'madeOf' | 'skillId'>) {
  return { skillId, file: madeOf }
}
