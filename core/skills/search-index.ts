/**
 * A search index of a tool list: the words of each tool, and their weights. Built once per version
 * of a list; search-tools.ts ranks by it. Bound by docs/decisions/0022-search-of-our-own.md.
 */
import { stemOf } from './search-stems.ts'
import { wordsOf } from './search-words.ts'
import type { Tool } from './skill.ts'

/** The tools that contain a word, by place in the list, and the word's weight in each. */
export type Postings = { readonly places: Int32Array; readonly weights: Float32Array }

export type SearchIndex = {
  readonly tools: readonly Tool[]
  readonly postings: ReadonlyMap<string, Postings>
  /** All words in order, to find those with a common beginning. */
  readonly words: readonly string[]
  /** All words again, separated by line ends: finding a part takes a fifth of the time. */
  readonly wordLines: string
  /** The words that share a stem. */
  readonly stems: ReadonlyMap<string, readonly string[]>
  /** Weighted length of each tool's text. */
  readonly lengths: Float32Array
  readonly lengthSum: number
}

/** A word in the name says more about a tool than one in a long description. */
const WEIGHTS = { name: 4, title: 3, tags: 2, description: 1 } as const

/** UTF-16 units of a description that are indexed: it states its purpose at the beginning. */
const DESCRIPTION_UNITS_MAX = 1_000

type IndexDraft = { readonly places: number[]; readonly weights: number[] }

export function indexTools(tools: readonly Tool[]): SearchIndex {
  const postings = new Map<string, IndexDraft>()
  const lengths = new Float32Array(tools.length)
  let lengthSum = 0
  tools.forEach((tool, place) => {
    let length = 0
    for (const [word, weight] of weighedWords(tool)) {
      length += weight
      let found = postings.get(word)
      if (found === undefined) {
        found = { places: [], weights: [] }
        postings.set(word, found)
      }
      found.places.push(place)
      found.weights.push(weight)
    }
    lengths[place] = length
    lengthSum += length
  })
  const words = [...postings.keys()].sort()
  return {
    tools,
    postings: packed(postings),
    words,
    wordLines: `\n${words.join('\n')}\n`,
    stems: stemsOf(words),
    lengths,
    lengthSum,
  }
}

/** Typed arrays take a fifth of the memory and are read several times as fast. */
function packed(postings: ReadonlyMap<string, IndexDraft>): ReadonlyMap<string, Postings> {
  const all = new Map<string, Postings>()
  for (const [word, { places, weights }] of postings) {
    all.set(word, { places: Int32Array.from(places), weights: Float32Array.from(weights) })
  }
  return all
}

function stemsOf(words: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const stems = new Map<string, string[]>()
  for (const word of words) {
    const stem = stemOf(word)
    const alike = stems.get(stem)
    if (alike === undefined) stems.set(stem, [word])
    else alike.push(word)
  }
  return stems
}

function weighedWords(tool: Tool): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  const add = (text: string, weight: number) => {
    for (const word of wordsOf(text)) weights.set(word, (weights.get(word) ?? 0) + weight)
  }
  add(tool.name, WEIGHTS.name)
  if (tool.title !== undefined) add(tool.title, WEIGHTS.title)
  if (tool.emoji !== undefined) add(tool.emoji, WEIGHTS.title)
  for (const tag of tool.tags ?? []) add(tag, WEIGHTS.tags)
  add(tool.description.slice(0, DESCRIPTION_UNITS_MAX), WEIGHTS.description)
  return weights
}
