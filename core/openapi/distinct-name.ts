/**
 * Names that a document's own become: letters, digits and `_`, cut to a limit and still distinct. A name that was cut
 * ends in a hash of the whole, so that it does not depend on its neighbours.
 */

/**
 * The name, or the name with a number that no other has. Ends after as many tries as there are taken names: each try
 * is another text, so one of them is free.
 */
export function distinctName(
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

/** A name over the limit ends in a hash of `original`, in place of what is cut. */
export function cutName(
  name: string,
  original: string,
  { charsMax, hash }: { readonly charsMax: number; readonly hash: (text: string) => string },
): string {
  if (name.length <= charsMax) return name
  const end = `_${lettersOf(hash(original)).slice(0, HASH_CHARS)}`
  return `${name.slice(0, charsMax - end.length).replace(/[_.-]+$/, '')}${end}`
}

const HASH_CHARS = 6

/** A digest without `-` and `_`. */
export function lettersOf(digest: string): string {
  return digest.replace(/[^A-Za-z0-9]/g, '')
}

/**
 * Latin letters without their marks, Greek and Cyrillic ones in Latin, and each letter of another script as its code
 * point (`取` is `u53d6`): the same text always becomes the same name.
 */
export function asciiName(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the range is ASCII.
  if (/^[\x00-\x7f]*$/.test(text)) return text
  const letters = [...text.normalize('NFKD').replace(/\p{M}/gu, '')].map(asciiLetter)
  return letters.join('').replace(/_+/g, '_').replace(/^_|_$/g, '')
}

function asciiLetter(letter: string): string {
  if (letter <= '\x7f') return letter
  const small = letter.toLowerCase()
  const known = LETTERS.get(small)
  if (known !== undefined) {
    return small === letter ? known : `${known.charAt(0).toUpperCase()}${known.slice(1)}`
  }
  if (/[\p{P}\p{Z}\p{C}]/u.test(letter)) return '_'
  return `_u${letter.codePointAt(0)?.toString(16)}_`
}

/** Letters that NFKD leaves whole; a space parts a letter from what is written for it. */
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
