/**
 * Ranks tools by the words of a question: BM25 over weighted fields, with words that only begin like
 * the one asked for, or hold it, counting less. Nothing is interpreted; ties go by name.
 * docs/decisions/0022-search-of-our-own.md.
 */
import type { SearchIndex } from './search-index.ts'
import { wordsOf } from './search-words.ts'
import type { Tool } from './skill.ts'

/** One list, and the names in it that are not the caller's to call. */
export type SearchedList = {
  readonly index: SearchIndex
  readonly hides?: ReadonlySet<string> | undefined
}

/** Words of a question that are looked at; more say no more. */
export const QUERY_WORDS_MAX = 16

/** How soon more of the same word says no more, and how much a long text is held against it (BM25). */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75
const PREFIX_SHARE = 0.6
const PART_SHARE = 0.3
/** One letter begins too many words to mean any of them. */
const PREFIX_UNITS_MIN = 2
/** Shorter parts are in too many words to mean anything; a sign of a script without spaces is a word. */
const PART_UNITS_MIN = 3
/** The name itself, as a user copies it, comes first. */
const WHOLE_NAME_BONUS = 1_000

/** The best first, up to `limit`; tools without any of the words are left out. */
export function searchTools(
  lists: readonly SearchedList[],
  query: string,
  limit: number,
): readonly Tool[] {
  const words = [...new Set(wordsOf(query))].slice(0, QUERY_WORDS_MAX)
  const searches = lists.map(newSearch)
  const total = lists.reduce((sum, { index }) => sum + index.tools.length, 0)
  const lengthMean = lists.reduce((sum, { index }) => sum + index.lengthSum, 0) / total
  for (const word of words) {
    for (const search of searches) findHits(search, word)
    const having = searches.reduce((sum, { hits }) => sum + hits, 0)
    const rarity = Math.log(1 + (total - having + 0.5) / (having + 0.5))
    for (const search of searches) addScores(search, rarity, lengthMean)
  }
  return best(searches, query.trim().toLowerCase(), limit)
}

/** By place in the list. The arrays are as long as it is: nothing is made per hit. */
type Search = SearchedList & {
  readonly scores: Float64Array
  /** What the current word weighs; 0 where it is not. */
  readonly weights: Float32Array
  /** The places where it is: the first `hits` of them. */
  readonly places: Int32Array
  hits: number
}

function newSearch(list: SearchedList): Search {
  const { length } = list.index.tools
  const scores = new Float64Array(length)
  const weights = new Float32Array(length)
  return { ...list, scores, weights, places: new Int32Array(length), hits: 0 }
}

/** Takes the hits of one word, and leaves none. */
function addScores(search: Search, rarity: number, lengthMean: number): void {
  const { index, places, scores, weights } = search
  for (let at = 0; at < search.hits; at += 1) {
    const place = places[at] ?? 0
    const weight = weights[place] ?? 0
    const length = (index.lengths[place] ?? 0) / lengthMean
    const norm = SATURATION * (1 - LENGTH_SHARE + LENGTH_SHARE * length)
    scores[place] = (scores[place] ?? 0) + (rarity * weight * (SATURATION + 1)) / (weight + norm)
    weights[place] = 0
  }
  search.hits = 0
}

/** The word itself and words that begin so; where there are none, words that hold it. */
function findHits(search: Search, word: string): void {
  const isSign = UNSPACED.test(word)
  findAlike(search, word, isSign || word.length >= PREFIX_UNITS_MIN)
  if (search.hits === 0 && (isSign || word.length >= PART_UNITS_MIN)) findParts(search, word)
}

function findAlike(search: Search, word: string, alsoLonger: boolean): void {
  const { words } = search.index
  for (let at = firstFrom(words, word); at < words.length; at += 1) {
    const like = words[at] ?? ''
    if (like !== word && !(alsoLonger && like.startsWith(word))) return
    note(search, like, like === word ? 1 : PREFIX_SHARE)
  }
}

function findParts(search: Search, word: string): void {
  for (const like of search.index.words) {
    if (like.includes(word)) note(search, like, PART_SHARE)
  }
}

/** Scripts that are written without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u

/** Of several words that are like the one asked for, the one that weighs most counts. */
function note(search: Search, word: string, share: number): void {
  const { index, places, weights } = search
  const postings = index.postings.get(word)
  if (postings === undefined) return
  for (let at = 0; at < postings.places.length; at += 1) {
    const place = postings.places[at] ?? 0
    const weight = (postings.weights[at] ?? 0) * share
    const before = weights[place] ?? 0
    if (before === 0) {
      places[search.hits] = place
      search.hits += 1
    }
    if (weight > before) weights[place] = weight
  }
}

function firstFrom(words: readonly string[], word: string): number {
  let low = 0
  let high = words.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((words[middle] ?? '') < word) low = middle + 1
    else high = middle
  }
  return low
}

type Scored = { readonly tool: Tool; readonly score: number }

function best(searches: readonly Search[], asked: string, limit: number): readonly Tool[] {
  const top: Scored[] = []
  for (const { hides, index, scores } of searches) {
    for (let place = 0; place < scores.length; place += 1) {
      const found = scores[place] ?? 0
      const tool = index.tools[place]
      if (found === 0 || tool === undefined || hides?.has(tool.name) === true) continue
      const isNamed = tool.name.toLowerCase() === asked
      insert(top, { tool, score: isNamed ? found + WHOLE_NAME_BONUS : found }, limit)
    }
  }
  return top.map(({ tool }) => tool)
}

/** Keeps the best few in order: most of 10,000 candidates are turned away by one comparison. */
function insert(top: Scored[], one: Scored, limit: number): void {
  const last = top.at(-1)
  if (top.length === limit && last !== undefined && !isBefore(one, last)) return
  let at = top.length
  for (let other = top[at - 1]; other !== undefined && isBefore(one, other); other = top[at - 1]) {
    at -= 1
  }
  top.splice(at, 0, one)
  if (top.length > limit) top.pop()
}

function isBefore(a: Scored, b: Scored): boolean {
  return a.score === b.score ? a.tool.name < b.tool.name : a.score > b.score
}
