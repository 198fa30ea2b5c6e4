/**
 * Detects the input format of a text (docs/service.md, Skill formats): unified JSON when the
 * trimmed text begins with `{`, otherwise Markdown. The content type is ignored.
 */
export type SkillFormat = 'unified-json' | 'markdown'

export function detectFormat(text: string): SkillFormat {
  return text.trimStart().startsWith('{') ? 'unified-json' : 'markdown'
}
