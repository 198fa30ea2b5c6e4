/**
 * Finds tools by the words of a query: a tool scores for each word that it has or that is like one of its words, more for a rare
 * word and for a word of its name. Queries are not interpreted. Bound by docs/decisions/0022-search-of-our-own.md.
 */

import { isOneEdit } from '../json/typing-slip.ts'
import type { Tool } from '../skills/skill.ts'
import { tellingWords, wordsOf } from './search-words.ts'

/** The words of a tool list. Made once for each version of a list. */
export type SearchIndex = {
  readonly tools: readonly Tool[]
  /** For each word, the tools that have it by their place in `tools`, with the weight of the best field that has it. */
  readonly words: ReadonlyMap<string, ReadonlyMap<number, number>>
}

/** One list, and what is in it that this caller cannot call. */
export type SearchedList = {
  readonly index: SearchIndex
  /** 1 at the places of tools that the caller must not learn of: they are not found, and no word count includes them. */
  readonly unseen?: Uint8Array | undefined
  /** Names of tools that a tool of the caller's own replaces. */
  readonly hides?: ReadonlySet<string> | undefined
}

/** A word in the name says more about a tool than one in a description. Tags are where authors put synonyms. */
const FIELD_WEIGHTS = { name: 4, title: 3, tags: 3, description: 1 } as const
/** UTF-16 units of a description that are indexed: it states its purpose at the beginning. */
const DESCRIPTION_UNITS_MAX = 1_000
/** Words of a query that are used; further ones add little, and each is compared with every word of the list. */
export const QUERY_WORDS_MAX = 16
/** A complete tool name, as a user copies it, ranks first. */
const WHOLE_NAME_BONUS = 1_000

export function indexTools(tools: readonly Tool[]): SearchIndex {
  const words = new Map<string, Map<number, number>>()
  const add = (text: string, place: number, weight: number) => {
    for (const word of wordsOf(text)) {
      const places = words.get(word) ?? new Map<number, number>()
      words.set(word, places.set(place, Math.max(weight, places.get(place) ?? 0)))
    }
  }
  tools.forEach(({ description, emoji, name, tags = [], title }, place) => {
    add(name, place, FIELD_WEIGHTS.name)
    add(`${title ?? ''} ${emoji ?? ''}`, place, FIELD_WEIGHTS.title)
    add(tags.join(' '), place, FIELD_WEIGHTS.tags)
    add(description.slice(0, DESCRIPTION_UNITS_MAX), place, FIELD_WEIGHTS.description)
  })
  return { tools, words }
}

/** The best matches first, equal ones by name, up to `limit`. Tools without any of the words are left out. */
export function searchTools(
  lists: readonly SearchedList[],
  query: string,
  limit: number,
): readonly Tool[] {
  const scores = new Map<Tool, number>()
  const total = lists.reduce((sum, list) => sum + countSeen(list), 0)
  for (const word of tellingWords(query).slice(0, QUERY_WORDS_MAX)) {
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

/** The share of a word's weight that a similar word gets; 0 for a word that is not similar. What depends on `asked` alone is found once. */
type Way = (asked: string) => (word: string) => number

/** Looser ways count only if no list has a closer word, so that a typing slip never hides what was asked for. */
const WAYS: readonly Way[] = [formShare, partShare, slipShare]

/** All lists are searched as one. */
function findHits(lists: readonly SearchedList[], asked: string): ReadonlyMap<Tool, number> {
  const hits = new Map<Tool, number>()
  for (const way of WAYS) {
    const shareOf = way(asked)
    for (const list of lists) addHits(hits, list, shareOf)
    if (hits.size > 0) return hits
  }
  return hits
}

function addHits(
  hits: Map<Tool, number>,
  { hides, index, unseen }: SearchedList,
  shareOf: (word: string) => number,
): void {
  for (const [word, places] of index.words) {
    const share = shareOf(word)
    if (share === 0) continue
    for (const [place, weight] of places) {
      const tool = index.tools[place]
      if (tool === undefined || unseen?.[place] === 1 || hides?.has(tool.name) === true) continue
      hits.set(tool, Math.max(weight * share, hits.get(tool) ?? 0))
    }
  }
}

/** Scripts written without spaces: a part of one sign is a word. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const LETTER = /^\p{L}/u
/** Shorter beginnings and parts are in too many words. */
const PREFIX_UNITS_MIN = 2
const PART_UNITS_MIN = 3
/** Two forms of one word begin alike and differ by short endings: `booking` and `books`, `price` and `pricing`. */
const FORM_UNITS_MIN = 4
const ENDING_UNITS_MAX = 4
/** In a shorter word one letter changes too much: `mail` would find `mall`, `main` and `rail`. */
const SLIP_UNITS_MIN = 5

/** The word itself, a longer word that begins with it, or another form of it. */
function formShare(asked: string): (word: string) => number {
  const isPrefix = isLongEnough(asked, PREFIX_UNITS_MIN)
  const isOfLetters = LETTER.test(asked)
  return (word) => {
    if (word === asked) return 1
    if (isPrefix && word.startsWith(asked)) return 0.6
    return isOfLetters && areForms(asked, word) ? 0.5 : 0
  }
}

/** A word that contains the asked one. */
function partShare(asked: string): (word: string) => number {
  const isPart = isLongEnough(asked, PART_UNITS_MIN)
  return (word) => (isPart && word.includes(asked) ? 0.3 : 0)
}

/** A word with one typing slip. Never another number. */
function slipShare(asked: string): (word: string) => number {
  const mayHaveSlip = asked.length >= SLIP_UNITS_MIN && LETTER.test(asked)
  return (word) => (mayHaveSlip && isOneEdit(asked, word) ? 0.2 : 0)
}

function isLongEnough(asked: string, unitsMin: number): boolean {
  return asked.length >= unitsMin || UNSPACED.test(asked)
}

function areForms(a: string, b: string): boolean {
  let same = 0
  while (same < a.length && a.charCodeAt(same) === b.charCodeAt(same)) same += 1
  if (same >= FORM_UNITS_MIN) return a.length + b.length - 2 * same <= ENDING_UNITS_MAX
  // `cities` and `city`, which begin alike for three letters alone.
  return same === FORM_UNITS_MIN - 1 && (isPluralOf(a, b) || isPluralOf(b, a))
}

function isPluralOf(plural: string, word: string): boolean {
  return plural.endsWith('ies') && word === `${plural.slice(0, -3)}y`
}
