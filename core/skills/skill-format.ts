/**
 * Which of the two input formats a text is (docs/service.md, Skill formats): trimmed, it begins
 * with `{` → unified JSON; anything else → legacy Markdown, whatever the content type says.
 */
export type SkillFormat = 'unified-json' | 'legacy-markdown'

export function detectFormat(text: string): SkillFormat {
  return text.trimStart().startsWith('{') ? 'unified-json' : 'legacy-markdown'
}
