/**
 * The port `SkillMarkdown`. The first Markdown skill loads the two parsers: most admin functions
 * never read one, and a cold start with the parsers would take 30 ms longer.
 */
import type { SkillMarkdown } from '../../core/ports/registry.ts'

export function makeSkillMarkdown(): SkillMarkdown {
  return {
    read: async (text) => {
      const { readMarkdown } = await import('./markdown.ts')
      return readMarkdown(text)
    },
    frontMatter: async (text) => {
      const { readFrontMatter } = await import('./front-matter.ts')
      return readFrontMatter(text)
    },
  }
}
