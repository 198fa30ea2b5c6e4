/** The arguments and secrets that a skill's templates and credentials name. */

import type { BodyTemplate, Template } from '../skills/definition/template.ts'
import type { Skill } from '../skills/skill.ts'

type SkillTemplates = Pick<Skill, 'auth' | 'body' | 'headers' | 'query'>
type SkillPlaces = SkillTemplates & Pick<Skill, 'places'>

/** Arguments that a template or a place of their own takes; they are sent nowhere else. */
export function argNamesOf(skill: SkillPlaces): ReadonlySet<string> {
  const placed = (skill.places ?? []).map(({ argument }) => argument)
  return new Set([...namesIn(templates(skill), 'arg'), ...placed])
}

/** Secrets that the skill's own definition needs, each once. A hook may need more. */
export function secretNamesOf(skill: SkillTemplates): readonly string[] {
  const named = namesIn(templates(skill), 'secret')
  return [...new Set(skill.auth === undefined ? named : [...named, skill.auth.secret])]
}

/** Every template of a body, in order. */
export function templatesOf(body: BodyTemplate): readonly Template[] {
  switch (body.kind) {
    case 'fixed':
      return []
    case 'text':
      return [body.template]
    case 'list':
      return body.items.flatMap(templatesOf)
    case 'object':
      return body.members.flatMap(([, item]) => templatesOf(item))
    default:
      return body satisfies never
  }
}

/** Names of the places of one kind, with repeats. */
function namesIn(templates: readonly Template[], kind: 'arg' | 'secret'): readonly string[] {
  return templates.flat().flatMap((piece) => (piece.kind === kind ? [piece.name] : []))
}

function templates({ body, headers, query }: SkillTemplates): readonly Template[] {
  const inBody = body === undefined ? [] : templatesOf(body)
  return [...Object.values(headers), ...Object.values(query), ...inBody]
}
