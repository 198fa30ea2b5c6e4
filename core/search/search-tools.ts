/**
 * Finds tools by the words of a query. A tool scores for each query word that equals or resembles
 * one of its own words; rare words and words of its name score higher. Queries have no operators.
 * Bound by docs/design/skills.md#search.
 */
import { isOneEdit } from '../json/typing-error.ts'
import type { Tool } from '../skills/skill.ts'
import { splitQueryWords, splitWords } from './search-words.ts'

/** The words of a tool list. An index is made once for each version of a list. */
export type SearchIndex = {
  readonly tools: readonly Tool[]
  /** By word: indexes in `tools` of the tools that have it, each with its best field's weight. */
  readonly words: ReadonlyMap<string, ReadonlyMap<number, number>>
}

/** One list, with the tools in it that this caller cannot call. */
export type SearchedList = {
  readonly index: SearchIndex
  /** 1 at the indexes of tools that the caller may not see. They are not found and not counted. */
  readonly unseen?: Uint8Array | undefined
  /** Names of tools that are replaced by the caller's own tools. */
  readonly hides?: ReadonlySet<string> | undefined
}

/** A word in a name is more specific than one in a description. Authors put synonyms into tags. */
const FIELD_WEIGHTS = { name: 4, title: 3, tags: 3, description: 1 } as const
/** UTF-16 units of a description that are indexed. A description starts with its purpose. */
const DESCRIPTION_UNITS_MAX = 1_000
/** Words of a query that are used. Each is compared with every word of the list. */
export const QUERY_WORDS_MAX = 16
/** A query that is a tool's complete name finds that tool first. */
const WHOLE_NAME_BONUS = 1_000

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

/**
 * Returns up to `limit` tools, best first, equal scores by name. Leaves out tools without a match.
 */
export function searchTools(
  lists: readonly SearchedList[],
  query: string,
  limit: number,
): readonly Tool[] {
  const scores = new Map<Tool, number>()
  const total = lists.reduce((sum, list) => sum + countSeen(list), 0)
  for (const word of splitQueryWords(query).slice(0, QUERY_WORDS_MAX)) {
    const hits = findHits(lists, word)
    const rarity = Math.log(1 + total / (hits.size + 1))
    for (const [tool, weight] of hits) scores.set(tool, (scores.get(tool) ?? 0) + weight * rarity)
  }
  const named = query.trim().toLowerCase()
  const ranked = [...scores].map(([tool, score]) => ({
    tool,
    score: tool.name.toLowerCase() === named ? score + WHOLE_NAME_BONUS : score,
  }))
  return ranked
    .sort((a, b) => b.score - a.score || (a.tool.name < b.tool.name ? -1 : 1))
    .slice(0, limit)
    .map(({ tool }) => tool)
}

function countSeen({ index, unseen }: SearchedList): number {
  return index.tools.length - (unseen?.reduce((sum, one) => sum + one, 0) ?? 0)
}

/**
 * Compares a query word with a tool's word. Returns the share of the weight that the tool's word
 * gets; 0 if the words are not similar.
 */
type Comparison = (asked: string) => (word: string) => number

/** Strictest first. A looser comparison is used only if no list has a stricter match. */
const COMPARISONS: readonly Comparison[] = [compareForm, comparePart, compareTyping]

/** Searches all lists as one. */
function findHits(lists: readonly SearchedList[], asked: string): ReadonlyMap<Tool, number> {
  const hits = new Map<Tool, number>()
  for (const comparison of COMPARISONS) {
    const compare = comparison(asked)
    for (const list of lists) addHits(hits, list, compare)
    if (hits.size > 0) return hits
  }
  return hits
}

function addHits(
  hits: Map<Tool, number>,
  { hides, index, unseen }: SearchedList,
  compare: (word: string) => number,
): void {
  for (const [word, weights] of index.words) {
    const share = compare(word)
    if (share === 0) continue
    for (const [at, weight] of weights) {
      const tool = index.tools[at]
      if (tool === undefined || unseen?.[at] === 1 || hides?.has(tool.name) === true) continue
      hits.set(tool, Math.max(weight * share, hits.get(tool) ?? 0))
    }
  }
}

/** Scripts without spaces, in which a single character may be a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const LETTER = /^\p{L}/u
/** Too many words have shorter prefixes and parts. */
const PREFIX_UNITS_MIN = 2
const PART_UNITS_MIN = 3
/** Two forms of a word start alike and have short endings: `booking` and `books`. */
const FORM_UNITS_MIN = 4
const ENDING_UNITS_MAX = 4
/** In a shorter word, one letter changes too much: `mail` would find `mall`, `main` and `rail`. */
const TYPING_ERROR_UNITS_MIN = 5

/** Matches the word itself, a longer word that starts with it, or another form of it. */
function compareForm(asked: string): (word: string) => number {
  const isPrefix = isLongEnough(asked, PREFIX_UNITS_MIN)
  const isOfLetters = LETTER.test(asked)
  return (word) => {
    if (word === asked) return 1
    if (isPrefix && word.startsWith(asked)) return 0.6
    return isOfLetters && areForms(asked, word) ? 0.5 : 0
  }
}

/** Matches a word that contains the query's word. */
function comparePart(asked: string): (word: string) => number {
  const isPart = isLongEnough(asked, PART_UNITS_MIN)
  return (word) => (isPart && word.includes(asked) ? 0.3 : 0)
}

/** Matches a word with one typing error, but never another number. */
function compareTyping(asked: string): (word: string) => number {
  const mayHaveError = asked.length >= TYPING_ERROR_UNITS_MIN && LETTER.test(asked)
  return (word) => (mayHaveError && isOneEdit(asked, word) ? 0.2 : 0)
}

function isLongEnough(asked: string, unitsMin: number): boolean {
  return asked.length >= unitsMin || UNSPACED.test(asked)
}

function areForms(a: string, b: string): boolean {
  let same = 0
  while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same += 1
  if (same >= FORM_UNITS_MIN) return a.length + b.length - 2 * same <= ENDING_UNITS_MAX
  // `cities` and `city` have only three letters in common at the start.
  return same === FORM_UNITS_MIN - 1 && (isPluralOf(a, b) || isPluralOf(b, a))
}

function isPluralOf(plural: string, word: string): boolean {
  return plural.endsWith('ies') && word === `${plural.slice(0, -3)}y`
}
