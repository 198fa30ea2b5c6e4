/**
 * The port `SkillMarkdown`. The two parsers are loaded with the first Markdown that comes: most admin
 * functions never see one, and a cold start with them would take 30 ms longer.
 */
import type { SkillMarkdown } from '../../core/ports/registry.ts'

export function skillMarkdown(): SkillMarkdown {
  return {
    read: async (text) => {
      const { readMarkdown } = await import('./markdown.ts')
      return readMarkdown(text)
    },
  }
}
