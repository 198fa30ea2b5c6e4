/** Text to words, the same for what is searched and for what is asked. Endings are search-stems.ts's. */

/** Of one word: longer runs of letters are no words that anybody asks for. */
const WORD_UNITS_MAX = 40

/**
 * Lower case, compatibility forms folded, accents kept apart from nothing: `Café` and `cafe` are one, and
 * so are `Straße` and `strasse`. Each emoji is a word, whatever its colour.
 * `getWeather2` and `get_weather-2` are three words. Scripts without spaces come as one long word,
 * which is found by any part of it.
 */
export function wordsOf(text: string): readonly string[] {
  // Nearly all texts, at a third of the price.
  if (ASCII.test(text)) return (text.match(ASCII_WORD) ?? []).map(cutLower)
  const parted = text.replace(CAMEL, '$1 $2').normalize('NFKD').replace(MARKS, '').toLowerCase()
  const folded = parted.replace(LETTERS, (letter) => FOLDED.get(letter) ?? letter)
  const words = folded.match(WORD) ?? []
  return words.map((word) => word.slice(0, WORD_UNITS_MAX))
}

function cutLower(word: string): string {
  return word.slice(0, WORD_UNITS_MAX).toLowerCase()
}

/** Printable, and what parts lines. */
const ASCII = /^[\t\n\r\x20-\x7e]*$/
const ASCII_WORD = /[A-Z]*[a-z]+|[A-Z]+|[0-9]+/g

const CAMEL = /(\p{Ll})(\p{Lu})/gu
const MARKS = /\p{M}+/gu
const WORD = /\p{L}+|\p{N}+|\p{RI}{2}|\p{Extended_Pictographic}/gu

/** Letters that are not one with a mark, and are written otherwise by those who lack the key. */
const FOLDED: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
])
const LETTERS = /[ßæœøłđ]/g
