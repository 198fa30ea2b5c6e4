/** Splits texts of tools and of queries into words by the same rules. */

/** UTF-16 units of one word. Longer runs of letters are not useful in a search. */
const WORD_UNITS_MAX = 40

/**
 * Returns the words of a text in lower case. Compatibility forms, accents and both spellings of
 * German umlauts become equal: `Café` is `cafe`; `Größe` and `Groesse` are `grosse`. Each emoji is
 * a word, without its skin tone. `getWeather2` and `get_weather-2` are three words. Text in a
 * script without spaces is one long word, and any part of it can be found.
 */
export function splitWords(text: string): readonly string[] {
  const parted = text.replace(CAMEL, '$1 $2').normalize('NFKD').replace(MARKS, '').toLowerCase()
  const folded = parted
    .replace(LETTERS, (letter) => FOLDED.get(letter) ?? letter)
    .replace(UMLAUTS, '$1')
  return (folded.match(WORD) ?? []).map((word) => word.slice(0, WORD_UNITS_MAX))
}

/**
 * Returns the words of a query without stop words. A query of stop words alone keeps them, unless a
 * phrase of it `isKnown` to mean other words.
 */
export function splitQueryWords(query: string, isKnown = false): readonly string[] {
  const words = [...new Set(splitWords(query))]
  const telling = words.filter((word) => !isStopWord(word))
  return telling.length === 0 && !isKnown ? words : telling
}

/** True for a verb that nearly every tool could have: it ranks tools, but finds little by itself. */
export function isGeneralVerb(word: string): boolean {
  return GENERAL_VERBS.has(word)
}

export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word)
}

const CAMEL = /(\p{Ll})(\p{Lu})/gu
const MARKS = /\p{M}+/gu
const WORD = /\p{L}+|\p{N}+|\p{RI}{2}|\p{Extended_Pictographic}/gu
const UMLAUTS = /([aou])e/g

/** Letters that Unicode does not decompose, with their usual spelling on other keyboards. */
const FOLDED: ReadonlyMap<string, string> = new Map([
  ['ß', 'ss'],
  ['æ', 'ae'],
  ['œ', 'oe'],
  ['ø', 'o'],
  ['ł', 'l'],
  ['đ', 'd'],
])
const LETTERS = /[ßæœøłđ]/g

/** Stop words. Words that may name a tool are not stop words: `open`, `get`, `list`. */
const ENGLISH =
  'a am an and any are as at be by can could do does for from had has have how i if in into is it its me my need ' +
  'of on or our please should so some somebody someone something that the their them there these they this those to up us was we were ' +
  'want what when where which who why will with would you your'

const GERMAN =
  'aber als am auf aus bei bin bitte das dass dem den der des die diese diesen dieser dieses du ein eine ' +
  'einem einen einer eines er es für hat habe ich ihr im ist kann kannst können man möchte brauche mein meine meinem meinen ' +
  'meiner mich mir mit nach oder sein sich sie sind über um und uns unser von vom war was wenn wer wie wir ' +
  'wird wo zu zum zur'

const GENERAL_VERBS: ReadonlySet<string> = new Set(
  splitWords(
    'find search look get show list read see view give tell make use suche finde zeige lies gib',
  ),
)

const STOP_WORDS: ReadonlySet<string> = new Set(splitWords(`${ENGLISH} ${GERMAN}`))
