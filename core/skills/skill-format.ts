/**
 * Which of the two input formats a text is (docs/service.md, Skill formats): trimmed, it begins
 * with `{` → unified JSON; anything else → Markdown, whatever the content type says.
 */
export type SkillFormat = 'unified-json' | 'markdown'

export function detectFormat(text: string): SkillFormat {
  return text.trimStart().startsWith('{') ? 'unified-json' : 'markdown'
}
