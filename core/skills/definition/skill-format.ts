/**
 * Detects the format of a text (docs/service.md, Skill formats): unified JSON if the trimmed text
 * starts with `{`, otherwise Markdown. The content type is ignored. A text that starts with a
 * comment is JSON with comments; whoever reads a sent text blanks them first (`blankComments`).
 */
export type SkillFormat = 'unified-json' | 'markdown'

export function detectFormat(text: string): SkillFormat {
  return text.trimStart().startsWith('{') ? 'unified-json' : 'markdown'
}
