/**
 * Detects the format of a text (docs/service.md, Skill formats): unified JSON if the trimmed text
 * starts with `{`, otherwise Markdown. The content type is ignored.
 */
export type SkillFormat = 'unified-json' | 'markdown'

export function detectFormat(text: string): SkillFormat {
  return text.trimStart().startsWith('{') ? 'unified-json' : 'markdown'
}
