/**
 * Makes names of a document's own names: letters, digits and `_`, cut to a limit and distinct. A
 * cut name ends in a hash of the complete name, so that it does not depend on other names.
 */

/**
 * Returns the name, or the name with a number if it is taken. There are at most as many tries as
 * taken names, and each try is a different text, so one of them is free.
 */
export function makeDistinctName(
  wanted: string,
  taken: { has(name: string): boolean; readonly size: number },
  charsMax: number,
): string {
  let name = wanted.slice(0, charsMax)
  for (let count = 2; taken.has(name) && count <= taken.size + 2; count += 1) {
    const end = `_${count}`
    name = `${wanted.slice(0, charsMax - end.length)}${end}`
  }
  return name
}

/** Cuts a name over the limit, and ends it in a hash of `original`. */
export function cutName(
  name: string,
  original: string,
  { charsMax, hash }: { readonly charsMax: number; readonly hash: (text: string) => string },
): string {
  if (name.length <= charsMax) return name
  const end = `_${toLetters(hash(original)).slice(0, HASH_CHARS)}`
  return `${name.slice(0, charsMax - end.length).replace(/[_.-]+$/, '')}${end}`
}

const HASH_CHARS = 6

/** Removes `-` and `_` from a digest. */
export function toLetters(digest: string): string {
  return digest.replace(/[^A-Za-z0-9]/g, '')
}

/**
 * Writes Latin letters without marks, Greek and Cyrillic letters in Latin, and other letters as
 * code points (`取` becomes `u53d6`). The same text always becomes the same name.
 */
export function toAsciiName(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII.
  if (/^[\x00-\x7f]*$/.test(text)) return text
  const letters = [...text.normalize('NFKD').replace(/\p{M}/gu, '')].map(toAsciiLetter)
  return letters.join('').replace(/_+/g, '_').replace(/^_|_$/g, '')
}

function toAsciiLetter(letter: string): string {
  if (letter <= '\x7f') return letter
  const small = letter.toLowerCase()
  const known = LETTERS.get(small)
  if (known !== undefined) {
    return small === letter ? known : `${known.charAt(0).toUpperCase()}${known.slice(1)}`
  }
  if (/[\p{P}\p{Z}\p{C}]/u.test(letter)) return '_'
  return `_u${letter.codePointAt(0)?.toString(16)}_`
}

/** Letters that NFKD does not decompose, each with its spelling in ASCII. */
const LETTERS: ReadonlyMap<string, string> = new Map(
  (
    'ß:ss æ:ae œ:oe ø:o đ:d ð:d þ:th ł:l ħ:h ı:i ŋ:n ŧ:t ĸ:k ſ:s ə:e ' +
    'α:a β:v γ:g δ:d ε:e ζ:z η:i θ:th ι:i κ:k λ:l μ:m ν:n ξ:x ο:o π:p ρ:r σ:s ς:s τ:t υ:y φ:f χ:ch ψ:ps ω:o ' +
    'а:a б:b в:v г:g д:d е:e ж:zh з:z и:i к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh ц:ts ч:ch ш:sh щ:shch ' +
    'ы:y э:e ю:yu я:ya і:i є:ye ґ:g ђ:dj ј:j љ:lj њ:nj ћ:c џ:dz ъ: ь:'
  )
    .split(' ')
    .map((pair) => {
      const [letter = '', latin = ''] = pair.split(':')
      return [letter, latin] as const
    }),
)
