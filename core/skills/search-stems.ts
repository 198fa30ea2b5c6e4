/**
 * Words to stems, so that `invoices` finds `invoice` and `Rechnungen` finds `Rechnung`. Cuts a few English
 * and German endings, carefully: a stem is no word, and only good for comparing with another one.
 * docs/decisions/0022-search-of-our-own.md.
 */

/** `days`, `maps`: three letters are left. `status`, `address`, `Preis` are no plurals; `APIs` is, `news` not. */
const PLURAL = /(?<=.{2}[^isu]|^.{2}i)(?<!^new)s$/
/** `translation` and `translate`, `relation` and `relate`, but `station` and `action` stay whole. */
const MAKING = /(?<=.{5})(?:ations?|ate|ion)$/
/** `booking`, `planned`: what is left has a vowel, so `string` and `speed` stay whole. */
const DOING = /(?<=[aeiouy].*)(?<=.{3})(?:ing|(?<!e)ed)$/
/** `converter` and `Bilder`: four letters are left. */
const ER = /(?<=.{4})ern?$/
/** `Karten`, `Artikeln`, `Karte`, `price`. */
const ENDING = /(?<=.{3})(?:en|(?<=[lr])n|e)$/
const DOUBLED = /(?<=.{2})([a-z])\1$/

/** The first of these that fits is cut, one only. */
const ENDINGS = [MAKING, DOING, ER, ENDING] as const

/** `city` and `cities` are `citi`, `shipping` and `ship` are `ship`, `Größe` and `Groesse` are `gros`. */
export function stemOf(word: string): string {
  const one = word.replace(PLURAL, '')
  const ending = ENDINGS.find((suffix) => suffix.test(one))
  const cut = ending === undefined ? one : one.replace(ending, '')
  return spellingOf(cut.replace(/(?<=.{2})y$/, 'i').replace(DOUBLED, '$1'))
}

/** One for both spellings of a German vowel: `groesse` is `grosse`, as `Größe` is once its dots are off. */
export function spellingOf(word: string): string {
  return word.replace(/([aou])e/g, '$1')
}
