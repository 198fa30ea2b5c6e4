/** Which arguments and secrets a skill's templates and credentials name. */
import type { Skill } from '../skills/skill.ts'
import { namesIn, type Template, templatesOf } from '../skills/template.ts'

type Templated = Pick<Skill, 'auth' | 'body' | 'headers' | 'query'>

/** Arguments that a template takes: they are sent nowhere else. */
export function argNamesOf(skill: Templated): ReadonlySet<string> {
  return new Set(namesIn(templates(skill), 'arg'))
}

/** Secrets that the skill's own definition needs, each once; a hook may want more. */
export function secretNamesOf(skill: Templated): readonly string[] {
  const named = namesIn(templates(skill), 'secret')
  return skill.auth === undefined ? named : [...new Set([...named, skill.auth.secret])]
}

function templates({ body, headers, query }: Templated): readonly Template[] {
  const inBody = body === undefined ? [] : templatesOf(body)
  return [...Object.values(headers), ...Object.values(query), ...inBody]
}
