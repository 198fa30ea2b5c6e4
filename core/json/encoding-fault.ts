/**
 * Why bytes that should be a text in UTF-8 are none, where they show it: compressed, or in another
 * encoding. Text of programs on Windows is often UTF-16, which may hold a NUL beside each letter.
 */

/** What the bytes are instead. `name` is a word of people, such as gzip or UTF-16 (little endian). */
export type ForeignEncoding = { readonly kind: 'compressed' | 'encoded'; readonly name: string }

type Unit = (at: number) => number | undefined

/** A clause such as "is compressed with gzip; …"; undefined: nothing shows. */
export function encodingFault(input: Uint8Array | string): string | undefined {
  const found = foreignEncoding(input)
  if (found === undefined) return undefined
  return found.kind === 'compressed'
    ? `is compressed with ${found.name}; send it uncompressed`
    : `is encoded in ${found.name}; encode it as UTF-8`
}

/**
 * Undefined: nothing shows. A text is what a platform made of the bytes, with a replacement character for each that
 * is not UTF-8.
 */
export function foreignEncoding(input: Uint8Array | string): ForeignEncoding | undefined {
  const unit: Unit = typeof input === 'string' ? (at) => unitOf(input, at) : (at) => input[at]
  const packed = PACKED.find(({ at = 0, start }) =>
    start.every((byte, nth) => isByte(unit(at + nth), byte)),
  )
  if (packed !== undefined) return { kind: 'compressed', name: packed.name }
  const name = utfOf(unit) ?? utf16By(unit)
  return name === undefined ? undefined : { kind: 'encoded', name }
}

/** How compressed files begin; that of bzip2 after its name and level. */
const PACKED: readonly {
  readonly name: string
  readonly start: readonly number[]
  readonly at?: number
}[] = [
  { name: 'gzip', start: [0x1f, 0x8b] },
  { name: 'zip', start: [0x50, 0x4b, 0x03, 0x04] },
  { name: 'zstd', start: [0x28, 0xb5, 0x2f, 0xfd] },
  { name: 'xz', start: [0xfd, 0x37, 0x7a, 0x58, 0x5a] },
  { name: 'bzip2', start: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], at: 4 },
]
/** What a platform makes of bytes that are not UTF-8 when it hands them over as a text. */
const REPLACEMENT = 0xfffd
/** Units looked at for NULs, which a text in UTF-8 does not have, and UTF-16 has beside each letter of ASCII. */
const LOOK_UNITS = 512

const LITTLE_32 = 'UTF-32 (little endian)'
const LITTLE_16 = 'UTF-16 (little endian)'
const BIG_16 = 'UTF-16 (big endian)'

function unitOf(text: string, at: number): number | undefined {
  const unit = text.charCodeAt(at)
  return Number.isNaN(unit) ? undefined : unit
}

function isByte(unit: number | undefined, byte: number): boolean {
  return unit === byte || (unit === REPLACEMENT && byte >= 0x80)
}

/** By byte order mark, or by the NULs beside the first character, which mostly is ASCII. */
function utfOf(unit: Unit): string | undefined {
  const [a, b, c, d] = [unit(0), unit(1), unit(2), unit(3)]
  const isMark = isByte(a, 0xff) && isByte(b, 0xfe)
  if (a === 0 && b === 0) return 'UTF-32 (big endian)'
  if (c === 0 && d === 0 && (isMark || utf16Of(a, b) === LITTLE_16)) return LITTLE_32
  if (a === 0xff && b === 0xfe) return LITTLE_16
  if (a === 0xfe && b === 0xff) return BIG_16
  // Both marks become two replacement characters; the NULs behind tell which one it was.
  return a === REPLACEMENT && b === REPLACEMENT ? utf16Of(c, d) : utf16Of(a, b)
}

function utf16Of(first: number | undefined, second: number | undefined): string | undefined {
  if (isAscii(first) && second === 0) return LITTLE_16
  return first === 0 && isAscii(second) ? BIG_16 : undefined
}

/** By NULs in every second place alone: most letters of JSON, YAML and Markdown are ASCII. */
function utf16By(unit: Unit): string | undefined {
  const nulls = { even: 0, odd: 0 }
  let at = 0
  for (let one = unit(at); at < LOOK_UNITS && one !== undefined; one = unit(at)) {
    if (one === 0) nulls[at % 2 === 0 ? 'even' : 'odd'] += 1
    at += 1
  }
  const most = Math.max(nulls.even, nulls.odd)
  // One NUL alone is a stray one.
  if (most < 2 || most * 4 <= at) return undefined
  if (nulls.even === 0) return LITTLE_16
  return nulls.odd === 0 ? BIG_16 : undefined
}

function isAscii(unit: number | undefined): boolean {
  return unit !== undefined && unit > 0 && unit < 0x80
}
