/** Lists the arguments and secrets that a skill's templates and credentials name. */
import type { BodyTemplate, Template } from '../skills/definition/template.ts'
import type { Skill } from '../skills/skill.ts'

type SkillTemplates = Pick<Skill, 'auth' | 'body' | 'headers' | 'query'>
type SkillPlaces = SkillTemplates & Pick<Skill, 'places'>

/** Returns arguments with a template or a place of their own. They are sent nowhere else. */
export function listArgNames(skill: SkillPlaces): ReadonlySet<string> {
  const placed = (skill.places ?? []).map(({ argument }) => argument)
  return new Set([...listNames(listTemplates(skill), 'arg'), ...placed])
}

/** Returns the secrets that the skill's own definition needs, each once. A hook may need more. */
export function listSecretNames(skill: SkillTemplates): readonly string[] {
  const named = listNames(listTemplates(skill), 'secret')
  return [...new Set(skill.auth === undefined ? named : [...named, skill.auth.secret])]
}

/** Returns every template of a body, in order. */
export function listBodyTemplates(body: BodyTemplate): readonly Template[] {
  switch (body.kind) {
    case 'fixed':
      return []
    case 'text':
      return [body.template]
    case 'list':
      return body.items.flatMap(listBodyTemplates)
    case 'object':
      return body.members.flatMap(([, item]) => listBodyTemplates(item))
    default:
      return body satisfies never
  }
}

/** Returns the names of one kind of place, with repeats. */
function listNames(listTemplates: readonly Template[], kind: 'arg' | 'secret'): readonly string[] {
  return listTemplates.flat().flatMap((piece) => (piece.kind === kind ? [piece.name] : []))
}

function listTemplates({ body, headers, query }: SkillTemplates): readonly Template[] {
  const inBody = body === undefined ? [] : listBodyTemplates(body)
  return [...Object.values(headers), ...Object.values(query), ...inBody]
}
