/**
 * Which tools a word of a question means, and how much: the word itself, then words that begin so or have
 * its stem; only where there are none of these in any list, words that look like it, and slips last.
 * docs/decisions/0022-search-of-our-own.md.
 */
import { isOneEdit } from './search-edit.ts'
import type { SearchIndex } from './search-index.ts'
import { spellingOf, stemOf } from './search-stems.ts'

/** What a word counts that is not the one asked for. Another spelling of it nearly is. */
const SPELLING_SHARE = 0.9
const PREFIX_SHARE = 0.6
const STEM_SHARE = 0.5
const BEGINNING_SHARE = 0.4
const PART_SHARE = 0.3
const EDIT_SHARE = 0.2

/** One letter begins too many words to mean any of them. */
const PREFIX_UNITS_MIN = 2
/** Shorter parts are in too many words to mean anything; a sign of a script without spaces is a word. */
const PART_UNITS_MIN = 3
/** How much two words begin alike, so that they are taken for forms of one. */
const BEGINNING_UNITS_MIN = 4
const BEGINNING_OF_LONGER_MIN = 0.7
/** One letter is too much of a shorter word: `mail` would find `mall`, `main` and `rail`. */
export const EDIT_UNITS_MIN = 5

/** By place in the list. The arrays are as long as it is: nothing is made per hit. */
export type Hits = {
  readonly index: SearchIndex
  /** What the current word weighs; 0 where it is not. */
  readonly weights: Float32Array
  /** The places where it is: the first `hits` of them. */
  readonly places: Int32Array
  hits: number
}

/** From the nearest to the farthest; the next is tried where the ones before found nothing anywhere. */
const WAYS = [findAlike, findBeginnings, findParts] as const

/** All lists are asked alike, so that two rank as one would. False when none has the word or one like it. */
export function findHits(lists: readonly Hits[], word: string): boolean {
  for (const find of WAYS) {
    for (const list of lists) find(list, word)
    if (lists.some(({ hits }) => hits > 0)) return true
  }
  return false
}

function findAlike(list: Hits, word: string): void {
  note(list, word, 1)
  if (word.length >= PREFIX_UNITS_MIN || UNSPACED.test(word)) findLonger(list, word, PREFIX_SHARE)
  const spelling = spellingOf(word)
  for (const like of list.index.stems.get(stemOf(word)) ?? []) {
    note(list, like, spellingOf(like) === spelling ? SPELLING_SHARE : STEM_SHARE)
  }
}

function findLonger(list: Hits, word: string, share: number): void {
  for (const like of beginningWith(list.index.words, word)) {
    if (like !== word) note(list, like, share)
  }
}

function findBeginnings(list: Hits, word: string): void {
  if (word.length < BEGINNING_UNITS_MIN) return
  const spelling = spellingOf(word)
  if (spelling !== word && spelling.length >= BEGINNING_UNITS_MIN) {
    findLonger(list, spelling, BEGINNING_SHARE)
  }
  for (const like of beginningWith(list.index.words, word.slice(0, BEGINNING_UNITS_MIN))) {
    const least = Math.max(word.length, like.length) * BEGINNING_OF_LONGER_MIN
    if (like.startsWith(word.slice(0, Math.ceil(least)))) note(list, like, BEGINNING_SHARE)
  }
}

function findParts(list: Hits, word: string): void {
  if (word.length < PART_UNITS_MIN && !UNSPACED.test(word)) return
  const { wordLines } = list.index
  let end = 0
  for (let at = wordLines.indexOf(word); at >= 0; at = wordLines.indexOf(word, end)) {
    end = wordLines.indexOf('\n', at)
    note(list, wordLines.slice(wordLines.lastIndexOf('\n', at) + 1, end), PART_SHARE)
  }
}

/** Of the word or of its stem, so that `invioces` finds `invoice`. A wrong number is another number. */
export function findSlips(list: Hits, word: string): void {
  if (word.length < EDIT_UNITS_MIN || !LETTER.test(word)) return
  for (const like of list.index.words) {
    if (isOneEdit(word, like)) note(list, like, EDIT_SHARE)
  }
  const stem = stemOf(word)
  if (stem.length < EDIT_UNITS_MIN) return
  for (const [like, words] of list.index.stems) {
    if (!isOneEdit(stem, like)) continue
    for (const one of words) note(list, one, EDIT_SHARE)
  }
}

/** Scripts that are written without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const LETTER = /^\p{L}/u

/** Of several words that are like the one asked for, the one that weighs most counts. */
function note(list: Hits, word: string, share: number): void {
  const { index, places, weights } = list
  const postings = index.postings.get(word)
  if (postings === undefined) return
  for (let at = 0; at < postings.places.length; at += 1) {
    const place = postings.places[at] ?? 0
    const weight = (postings.weights[at] ?? 0) * share
    const before = weights[place] ?? 0
    if (before === 0) {
      places[list.hits] = place
      list.hits += 1
    }
    if (weight > before) weights[place] = weight
  }
}

function* beginningWith(words: readonly string[], start: string): Iterable<string> {
  for (let at = firstFrom(words, start); at < words.length; at += 1) {
    const word = words[at] ?? ''
    if (!word.startsWith(start)) return
    yield word
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
