/**
 * Why bytes that should be a text in UTF-8 are none, where they show it: compressed, or in another
 * encoding. Text of programs on Windows is often UTF-16, which may hold a NUL behind each letter.
 */

type Unit = (at: number) => number | undefined

/** A clause such as "is compressed with gzip; …"; undefined: nothing shows. */
export function encodingFault(input: Uint8Array | string): string | undefined {
  const unit: Unit = typeof input === 'string' ? (at) => unitOf(input, at) : (at) => input[at]
  const [first, second] = [unit(0), unit(1)]
  if (first === 0x1f && (second === 0x8b || second === REPLACEMENT)) return GZIP
  const other = utfOf(unit)
  return other === undefined ? undefined : `is encoded in ${other}; encode it as UTF-8`
}

const GZIP = 'is compressed with gzip; send it uncompressed'
/** What a platform makes of bytes that are not UTF-8 when it hands them over as a text. */
const REPLACEMENT = 0xfffd

function unitOf(text: string, at: number): number | undefined {
  const unit = text.charCodeAt(at)
  return Number.isNaN(unit) ? undefined : unit
}

/** By byte order mark, or by the NUL beside the first character, which is ASCII in JSON and YAML. */
function utfOf(unit: Unit): string | undefined {
  const [a, b, c, d] = [unit(0), unit(1), unit(2), unit(3)]
  if (a === 0 && b === 0) return 'UTF-32 (big endian)'
  if (c === 0 && d === 0 && isAny(a, [0xff, REPLACEMENT]) && isAny(b, [0xfe, REPLACEMENT])) {
    return 'UTF-32 (little endian)'
  }
  if (a === 0xff && b === 0xfe) return 'UTF-16 (little endian)'
  if (a === 0xfe && b === 0xff) return 'UTF-16 (big endian)'
  // Both marks become two replacement characters; the NULs behind tell which one it was.
  return a === REPLACEMENT && b === REPLACEMENT ? utf16Of(c, d) : utf16Of(a, b)
}

function utf16Of(first: number | undefined, second: number | undefined): string | undefined {
  if (isAscii(first) && second === 0) return 'UTF-16 (little endian)'
  return first === 0 && isAscii(second) ? 'UTF-16 (big endian)' : undefined
}

function isAny(unit: number | undefined, of: readonly number[]): boolean {
  return unit !== undefined && of.includes(unit)
}

function isAscii(unit: number | undefined): boolean {
  return unit !== undefined && unit > 0 && unit < 0x80
}
