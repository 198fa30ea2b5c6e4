/**
 * Ranks tools by the words of a query: BM25 over weighted fields, in which merely similar words
 * count less (search-hits.ts). Queries are not interpreted; ties are ordered by name. Bound by
 * docs/decisions/0022-search-of-our-own.md.
 */
import { findHits, findSlips, type Hits } from './search-hits.ts'
import type { SearchIndex } from './search-index.ts'
import { tellingWords } from './search-stop-words.ts'
import { wordsOf } from './search-words.ts'
import type { Tool } from './skill.ts'

/** Tools that a caller must not learn of: they are not found, and no word count includes them. */
export type Unseen = {
  /** 1 at the places of these tools in the index. */
  readonly places: Uint8Array
  readonly count: number
  /** Their part of the index's `lengthSum`. */
  readonly lengthSum: number
}

/** One list, and what is in it that this caller cannot call. */
export type SearchedList = {
  readonly index: SearchIndex
  readonly unseen?: Unseen | undefined
  /** Names of tools that a tool of the caller's own replaces. */
  readonly hides?: ReadonlySet<string> | undefined
}

/** Words of a query that are used; further ones add little. */
export const QUERY_WORDS_MAX = 16
/** Words that are checked for typing slips: each is compared with every word of the index. */
export const SLIP_WORDS_MAX = 4

/** BM25: how soon repeats of a word stop adding weight, and how much long texts are discounted. */
const SATURATION = 1.2
const LENGTH_SHARE = 0.75
/** A complete tool name, as a user copies it, ranks first. */
const WHOLE_NAME_BONUS = 1_000

/** The best matches first, up to `limit`; tools without any of the words are left out. */
export function searchTools(
  lists: readonly SearchedList[],
  query: string,
  limit: number,
): readonly Tool[] {
  const words = tellingWords([...new Set(wordsOf(query))]).slice(0, QUERY_WORDS_MAX)
  const searches = lists.map(newSearch)
  const total = lists.reduce(
    (sum, { index, unseen }) => sum + index.tools.length - (unseen?.count ?? 0),
    0,
  )
  const lengthSum = lists.reduce(
    (sum, { index, unseen }) => sum + index.lengthSum - (unseen?.lengthSum ?? 0),
    0,
  )
  const lengthMean = lengthSum / total
  let slipsLeft = SLIP_WORDS_MAX
  for (const word of words) {
    if (!findHits(searches, word) && slipsLeft > 0) {
      slipsLeft -= 1
      for (const search of searches) findSlips(search, word)
    }
    const having = searches.reduce((sum, { hits }) => sum + hits, 0)
    const rarity = Math.log(1 + (total - having + 0.5) / (having + 0.5))
    for (const search of searches) addScores(search, rarity, lengthMean)
  }
  return best(searches, query.trim().toLowerCase(), limit)
}

type Search = Omit<SearchedList, 'unseen'> & Hits & { readonly scores: Float64Array }

function newSearch(list: SearchedList): Search {
  const { length } = list.index.tools
  const scores = new Float64Array(length)
  const weights = new Float32Array(length)
  const unseen = list.unseen?.places
  return { ...list, unseen, scores, weights, places: new Int32Array(length), hits: 0 }
}

/** Adds the hits of one word to the scores, and clears them. */
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

type Score = { readonly tool: Tool; readonly score: number }

function best(searches: readonly Search[], query: string, limit: number): readonly Tool[] {
  const top: Score[] = []
  for (const { hides, index, scores } of searches) {
    for (let place = 0; place < scores.length; place += 1) {
      const found = scores[place] ?? 0
      const tool = index.tools[place]
      if (found === 0 || tool === undefined || hides?.has(tool.name) === true) continue
      const isNamed = tool.name.toLowerCase() === query
      insert(top, { tool, score: isNamed ? found + WHOLE_NAME_BONUS : found }, limit)
    }
  }
  return top.map(({ tool }) => tool)
}

/** Keeps the best few in order: one comparison rejects most of 10,000 candidates. */
function insert(top: Score[], one: Score, limit: number): void {
  const last = top.at(-1)
  if (top.length === limit && last !== undefined && !isBefore(one, last)) return
  let at = top.length
  for (let other = top[at - 1]; other !== undefined && isBefore(one, other); other = top[at - 1]) {
    at -= 1
  }
  top.splice(at, 0, one)
  if (top.length > limit) top.pop()
}

function isBefore(a: Score, b: Score): boolean {
  return a.score === b.score ? a.tool.name < b.tool.name : a.score > b.score
}
