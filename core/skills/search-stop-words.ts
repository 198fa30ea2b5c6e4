/**
 * Words of a query that say nothing about the tool, English and German, as search-words.ts writes
 * them. Verbs and nouns that may name a tool are not among them: `open`, `get`, `list` stay.
 */
const ENGLISH =
  'a an and any are as at be by can could do does for from had has have how i if in into is it its me my ' +
  'of on or our please should so some that the their them there these they this those to us was we were ' +
  'what when where which who why will with would you your'

const GERMAN =
  'aber als am auf aus bei bin bitte das dass dem den der des die diese diesen dieser dieses du ein eine ' +
  'einem einen einer eines er es fur fuer hat habe ich ihr im ist kann kannst konnen koennen man mein ' +
  'meine meinem meinen meiner mich mir mit nach oder sein sich sie sind uber ueber um und uns unser von ' +
  'vom war was wenn wer wie wir wird wo zu zum zur'

const STOP_WORDS: ReadonlySet<string> = new Set(`${ENGLISH} ${GERMAN}`.split(' '))

/** Drops the stop words, unless the query consists of them. */
export function tellingWords(words: readonly string[]): readonly string[] {
  const telling = words.filter((word) => !STOP_WORDS.has(word))
  return telling.length === 0 ? words : telling
}
