/**
 * Which of the two input formats a text is (spec, Skill input formats): trimmed, it begins with `{`
 * → unified JSON; anything else → legacy Markdown, which this build refuses.
 */
import { ok, type Result, refuse } from '../errors.ts'

export type SkillFormat = 'unified-json'

export function detectFormat(text: string): Result<SkillFormat> {
  if (text.trimStart().startsWith('{')) return ok('unified-json')
  return refuse(
    'invalid_skill',
    'The body does not begin with "{": legacy Markdown is not accepted by this build yet; ' +
      'send the skill as unified JSON (see examples/skills/skill.schema.json).',
  )
}
