/**
 * The words that most tools of a caller's lists are about, for a search that finds nothing: tags
 * first, then words of names and titles. Bound by docs/design/skills.md#search.
 */
import { TOPIC_WEIGHT_MIN } from './index-tools.ts'
import { findSeenTool, type SearchedList } from './search-tools.ts'
import { isGeneralVerb, isStopWord } from './search-words.ts'

/** Words of one answer: enough to choose from, and few to read. */
export const TOPICS_MAX = 12
const TOPIC_UNITS_MIN = 3
/** Shorter lists are not judged by how many of their tools share a word. */
const TOOLS_JUDGED_MIN = 4

/** The tools that the caller sees, and up to TOPICS_MAX words, those of most tools first. */
export function listTopics(lists: readonly SearchedList[]): {
  readonly tools: number
  readonly topics: readonly string[]
} {
  const tools = lists.reduce((sum, list) => sum + countSeenTools(list), 0)
  const counts = new Map<string, number>()
  for (const list of lists) {
    for (const [word, weights] of list.index.words) {
      if (!isTopic(word)) continue
      const count = countUses(list, weights)
      if (count > 0) counts.set(word, (counts.get(word) ?? 0) + count)
    }
  }
  // Every name has the prefix, which says nothing of any tool.
  const telling = [...counts].filter(([, count]) => tools < TOOLS_JUDGED_MIN || count <= tools / 2)
  const sorted = telling.sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1))
  return { tools, topics: sorted.slice(0, TOPICS_MAX).map(([word]) => word) }
}

function isTopic(word: string): boolean {
  return (
    word.length >= TOPIC_UNITS_MIN && /^\p{L}/u.test(word) && !isStopWord(word) && !isVerb(word)
  )
}

/** Verbs of operations, which say what is done and not with what. */
const VERBS: ReadonlySet<string> = new Set(
  'create add update edit delete remove set put post patch retrieve fetch query all new'.split(' '),
)

function isVerb(word: string): boolean {
  return VERBS.has(word) || isGeneralVerb(word)
}

function countUses(list: SearchedList, weights: ReadonlyMap<number, number>): number {
  let count = 0
  for (const [place, weight] of weights) {
    if (weight >= TOPIC_WEIGHT_MIN && findSeenTool(list, place) !== undefined) count += 1
  }
  return count
}

function countSeenTools(list: SearchedList): number {
  return list.index.tools.reduce(
    (count, _, place) => count + (findSeenTool(list, place) === undefined ? 0 : 1),
    0,
  )
}
