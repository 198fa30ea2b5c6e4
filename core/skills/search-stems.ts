/**
 * Reduces words to stems, so that `invoices` finds `invoice` and `Rechnungen` finds `Rechnung`.
 * Cuts a few English and German endings with care; stems serve only to be compared with each other.
 * Bound by docs/decisions/0022-search-of-our-own.md.
 */

/**
 * `days`, `maps`: at least three letters remain. `status`, `address`, `Preis`, `news` are not
 * plurals; `APIs` is.
 */
const PLURAL = /(?<=.{2}[^isu]|^.{2}i)(?<!^new)s$/
/**
 * `translation` and `translate`, `relation` and `relate`, but `station` and `action` stay whole.
 */
const MAKING = /(?<=.{5})(?:ations?|ate|ion)$/
/** `booking`, `planned`: a vowel must remain, so `string` and `speed` are not cut. */
const DOING = /(?<=[aeiouy].*)(?<=.{3})(?:ing|(?<!e)ed)$/
/** `converter` and `Bilder`: at least four letters remain. */
const ER = /(?<=.{4})ern?$/
/** `Karten`, `Artikeln`, `Karte`, `price`. */
const ENDING = /(?<=.{3})(?:en|(?<=[lr])n|e)$/
const DOUBLED = /(?<=.{2})([a-z])\1$/

/** Only the first of these that matches is cut. */
const ENDINGS = [MAKING, DOING, ER, ENDING] as const

/**
 * `city` and `cities` are `citi`, `shipping` and `ship` are `ship`, `Größe` and `Groesse` are
 * `gros`.
 */
export function stemOf(word: string): string {
  const singular = word.replace(PLURAL, '')
  const ending = ENDINGS.find((suffix) => suffix.test(singular))
  const cut = ending === undefined ? singular : singular.replace(ending, '')
  return spellingOf(cut.replace(/(?<=.{2})y$/, 'i').replace(DOUBLED, '$1'))
}

/** One spelling for both forms of a German umlaut: `groesse` becomes `grosse`, as `Größe` does. */
export function spellingOf(word: string): string {
  return word.replace(/([aou])e/g, '$1')
}
