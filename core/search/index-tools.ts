/**
 * The words of a tool list, for the search in it. Function starts load this file, but not the search
 * with its synonyms. Bound by docs/design/skills.md#search.
 */
import type { Tool } from '../skills/skill.ts'
import { splitWords } from './search-words.ts'

/** The words of a tool list. An index is made once for each version of a list. */
export type SearchIndex = {
  readonly tools: readonly Tool[]
  /** By word: indexes in `tools` of the tools that have it, each with its best field's weight. */
  readonly words: ReadonlyMap<string, ReadonlyMap<number, number>>
}

/** A word in a name is more specific than one in a description. Authors put synonyms into tags. */
const FIELD_WEIGHTS = { name: 4, title: 3, tags: 3, description: 1 } as const
/** A word of at least this weight is in a name, a title or a tag. */
export const TOPIC_WEIGHT_MIN = FIELD_WEIGHTS.tags
/** UTF-16 units of a description that are indexed. A description starts with its purpose. */
const DESCRIPTION_UNITS_MAX = 1_000

/** Makes the index of a list. */
export function indexTools(tools: readonly Tool[]): SearchIndex {
  const words = new Map<string, Map<number, number>>()
  const add = (text: string, toolIndex: number, weight: number) => {
    for (const word of splitWords(text)) {
      const weights = words.get(word) ?? new Map<number, number>()
      words.set(word, weights.set(toolIndex, Math.max(weight, weights.get(toolIndex) ?? 0)))
    }
  }
  tools.forEach(({ description, emoji, name, tags = [], title }, toolIndex) => {
    add(name, toolIndex, FIELD_WEIGHTS.name)
    add(`${title ?? ''} ${emoji ?? ''}`, toolIndex, FIELD_WEIGHTS.title)
    add(tags.join(' '), toolIndex, FIELD_WEIGHTS.tags)
    add(description.slice(0, DESCRIPTION_UNITS_MAX), toolIndex, FIELD_WEIGHTS.description)
  })
  return { tools, words }
}
