/**
 * Finds tools by the words of a query. A tool scores for each query word that equals or resembles
 * one of its own words; rare words and words of its name score higher. Queries have no operators.
 * Bound by docs/design/skills.md#search.
 */
import { isOneEdit } from '../json/typing-error.ts'
import type { Tool } from '../skills/skill.ts'
import type { SearchIndex } from './index-tools.ts'
import { isGeneralVerb, splitQueryWords } from './search-words.ts'
import { findIntentWords, findSynonyms, SYNONYM_SHARE } from './synonyms.ts'

/** One list, with the tools in it that this caller cannot call. */
export type SearchedList = {
  readonly index: SearchIndex
  /** 1 at the indexes of tools that the caller may not see. They are not found and not counted. */
  readonly unseen?: Uint8Array | undefined
  /** Names of tools that are replaced by the caller's own tools. */
  readonly hides?: ReadonlySet<string> | undefined
}

/** Words of a query that are used. Each is compared with every word of the list. */
export const QUERY_WORDS_MAX = 16
/** Makes fields differ less for synonyms than for the query's own words. */
const SYNONYM_FIELD_POWER = 0.75
/** Tools with several words of the query are favoured over those with one that is rare. */
const FURTHER_WORD_SHARE = 1.3
/** How much of its score a verb such as `find` gets beside other words. */
const GENERAL_VERB_SHARE = 0.4
/** A query that is a tool's complete name finds that tool first. */
const WHOLE_NAME_BONUS = 1_000

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
  const intents = findIntentWords(query)
  const words = [...new Set([...splitQueryWords(query, intents.length > 0), ...intents])]
  for (const word of words.slice(0, QUERY_WORDS_MAX)) {
    const share = words.length > 1 && isGeneralVerb(word) ? GENERAL_VERB_SHARE : 1
    for (const [tool, score] of scoreWord(lists, word, total)) {
      const before = scores.get(tool)
      scores.set(
        tool,
        (before ?? 0) + score * share * (before === undefined ? 1 : FURTHER_WORD_SHARE),
      )
    }
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

/** The score of each tool for one word of the query, by the word itself or by a synonym. */
function scoreWord(
  lists: readonly SearchedList[],
  asked: string,
  total: number,
): ReadonlyMap<Tool, number> {
  const scores = new Map<Tool, number>()
  const addScores = (hits: ReadonlyMap<Tool, number>, share: number) => {
    const rarity = Math.log(1 + total / (hits.size + 1))
    for (const [tool, weight] of hits) {
      scores.set(tool, Math.max(weight * share * rarity, scores.get(tool) ?? 0))
    }
  }
  addScores(findHits(lists, asked, [compareForm]), 1)
  for (const synonym of isGeneralVerb(asked) ? [] : findSynonyms(asked)) {
    addScores(findSynonymHits(lists, synonym), SYNONYM_SHARE)
  }
  if (scores.size === 0) addScores(findHits(lists, asked, LOOSE_COMPARISONS), 1)
  return scores
}

function countSeen({ index, unseen }: SearchedList): number {
  return index.tools.length - (unseen?.reduce((sum, one) => sum + one, 0) ?? 0)
}

/**
 * Compares a query word with a tool's word. Returns the share of the weight that the tool's word
 * gets; 0 if the words are not similar.
 */
type Comparison = (asked: string) => (word: string) => number

/** Used only if no list has a form of the word or a synonym; the stricter one first. */
const LOOSE_COMPARISONS: readonly Comparison[] = [comparePart, compareTyping]

/** Searches all lists as one. A comparison is used only if those before it match nothing. */
function findHits(
  lists: readonly SearchedList[],
  asked: string,
  comparisons: readonly Comparison[],
): ReadonlyMap<Tool, number> {
  const hits = new Map<Tool, number>()
  for (const comparison of comparisons) {
    const compare = comparison(asked)
    for (const list of lists) addHits(hits, list, compare)
    if (hits.size > 0) return hits
  }
  return hits
}

/** Looks the word up in each list, which costs nothing for a word that no tool has. */
function findSynonymHits(lists: readonly SearchedList[], word: string): ReadonlyMap<Tool, number> {
  const hits = new Map<Tool, number>()
  for (const list of lists) {
    const weights = list.index.words.get(word)
    if (weights !== undefined)
      addWeights(hits, list, weights, (weight) => weight ** SYNONYM_FIELD_POWER)
  }
  return hits
}

function addHits(
  hits: Map<Tool, number>,
  list: SearchedList,
  compare: (word: string) => number,
): void {
  for (const [word, weights] of list.index.words) {
    const share = compare(word)
    if (share > 0) addWeights(hits, list, weights, (weight) => weight * share)
  }
}

function addWeights(
  hits: Map<Tool, number>,
  list: SearchedList,
  weights: ReadonlyMap<number, number>,
  toScore: (weight: number) => number,
): void {
  for (const [at, weight] of weights) {
    const tool = findSeenTool(list, at)
    if (tool !== undefined) hits.set(tool, Math.max(toScore(weight), hits.get(tool) ?? 0))
  }
}

/** The tool at a place of the list's index; undefined if this caller does not see it. */
export function findSeenTool(
  { hides, index, unseen }: SearchedList,
  place: number,
): Tool | undefined {
  const tool = index.tools[place]
  if (tool === undefined || unseen?.[place] === 1 || hides?.has(tool.name) === true)
    return undefined
  return tool
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
