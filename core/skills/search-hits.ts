/**
 * Finds the tools that a word of a query means, with a weight: first the word itself and words that
 * begin with it or share its stem; if no list has any, similar words; and typing slips last. Bound
 * by docs/decisions/0022-search-of-our-own.md.
 */
import { isOneEdit } from './search-edit.ts'
import type { SearchIndex } from './search-index.ts'
import { spellingOf, stemOf } from './search-stems.ts'

/** Weight of a word that is not exactly the one asked for; another spelling counts almost fully. */
const SPELLING_SHARE = 0.9
const PREFIX_SHARE = 0.6
const STEM_SHARE = 0.5
const BEGINNING_SHARE = 0.4
const PART_SHARE = 0.3
const EDIT_SHARE = 0.2

/** A single letter begins too many words to identify any of them. */
const PREFIX_UNITS_MIN = 2
/** Shorter parts are in too many words; in scripts without spaces a single character is a word. */
const PART_UNITS_MIN = 3
/** Length of a common beginning from which two words count as forms of one. */
const BEGINNING_UNITS_MIN = 4
const BEGINNING_OF_LONGER_MIN = 0.7
/** In a shorter word one letter changes too much: `mail` would find `mall`, `main` and `rail`. */
export const EDIT_UNITS_MIN = 5

/** Indexed by place in the list. The arrays are as long as the list, so hits allocate nothing. */
export type Hits = {
  readonly index: SearchIndex
  /** 1 at places that count as if they were not there; undefined: none. */
  readonly unseen: Uint8Array | undefined
  /** Weight of the current word in each tool; 0 where it does not occur. */
  readonly weights: Float32Array
  /** The places where it occurs: the first `hits` items. */
  readonly places: Int32Array
  hits: number
}

/** From the closest match to the loosest; each is tried only if the earlier ones found nothing. */
const WAYS = [findAlike, findBeginnings, findParts] as const

/**
 * Treats all lists alike, so that they rank as one. False when none has the word or a similar one.
 */
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

/**
 * Matches the word or its stem, so that `invioces` finds `invoice`. Never matches other numbers.
 */
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

/** Scripts written without spaces. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u
const LETTER = /^\p{L}/u

/** Of several similar words in a tool, the one with the largest weight counts. */
function note(list: Hits, word: string, share: number): void {
  const { index, places, unseen, weights } = list
  const postings = index.postings.get(word)
  if (postings === undefined) return
  for (let at = 0; at < postings.places.length; at += 1) {
    const place = postings.places[at] ?? 0
    if (unseen?.[place] === 1) continue
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
