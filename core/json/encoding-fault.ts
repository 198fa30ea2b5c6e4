/**
 * Explains why bytes are not text in UTF-8, if their start shows the reason: they are compressed,
 * or have another encoding. Programs on Windows often write UTF-16, in which each ASCII letter has
 * a NUL beside it.
 */

/** The real form of the bytes. `name` is a usual name, such as gzip or UTF-16 (little endian). */
export type ForeignEncoding = { readonly kind: 'compressed' | 'encoded'; readonly name: string }

type Unit = (at: number) => number | undefined

/** Returns a clause such as "is compressed with gzip; …"; undefined if no form is recognised. */
export function explainEncoding(input: Uint8Array | string): string | undefined {
  const found = detectEncoding(input)
  if (found === undefined) return undefined
  return found.kind === 'compressed'
    ? `is compressed with ${found.name}; send it uncompressed`
    : `is encoded in ${found.name}; encode it as UTF-8`
}

/**
 * Recognises another form than UTF-8; undefined if there is none. A string is the result of a
 * platform's decoding, with a replacement character for each byte that is not UTF-8.
 */
export function detectEncoding(input: Uint8Array | string): ForeignEncoding | undefined {
  const unit: Unit = typeof input === 'string' ? (at) => unitOf(input, at) : (at) => input[at]
  const compression = COMPRESSIONS.find(({ at = 0, start }) =>
    start.every((byte, nth) => isByte(unit(at + nth), byte)),
  )
  if (compression !== undefined) return { kind: 'compressed', name: compression.name }
  const name = detectByStart(unit) ?? detectByNuls(unit)
  return name === undefined ? undefined : { kind: 'encoded', name }
}

/** First bytes of compressed files. Those of bzip2 follow its name and level. */
const COMPRESSIONS: readonly {
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
/** The character that a platform's decoder writes for bytes that are not UTF-8. */
const REPLACEMENT = 0xfffd
/** Units that are searched for NULs. UTF-16 has one beside each ASCII letter, UTF-8 has none. */
const NUL_SEARCH_UNITS = 512

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

/** Detects UTF-16 and UTF-32 by a byte order mark, or by NULs beside an ASCII first character. */
function detectByStart(unit: Unit): string | undefined {
  const [a, b, c, d] = [unit(0), unit(1), unit(2), unit(3)]
  const isMark = isByte(a, 0xff) && isByte(b, 0xfe)
  if (a === 0 && b === 0) return 'UTF-32 (big endian)'
  if (c === 0 && d === 0 && (isMark || utf16ByPair(a, b) === LITTLE_16)) return LITTLE_32
  if (a === 0xff && b === 0xfe) return LITTLE_16
  if (a === 0xfe && b === 0xff) return BIG_16
  // Either mark becomes two replacement characters; the NULs after them show which one it was.
  return a === REPLACEMENT && b === REPLACEMENT ? utf16ByPair(c, d) : utf16ByPair(a, b)
}

function utf16ByPair(first: number | undefined, second: number | undefined): string | undefined {
  if (isAscii(first) && second === 0) return LITTLE_16
  return first === 0 && isAscii(second) ? BIG_16 : undefined
}

/** Detects UTF-16 by NULs at odd or at even indexes only: most text of JSON or YAML is ASCII. */
function detectByNuls(unit: Unit): string | undefined {
  const nulls = { even: 0, odd: 0 }
  let at = 0
  for (let one = unit(at); at < NUL_SEARCH_UNITS && one !== undefined; one = unit(at)) {
    if (one === 0) nulls[at % 2 === 0 ? 'even' : 'odd'] += 1
    at += 1
  }
  const most = Math.max(nulls.even, nulls.odd)
  // A single NUL is not enough evidence.
  if (most < 2 || most * 4 <= at) return undefined
  if (nulls.even === 0) return LITTLE_16
  return nulls.odd === 0 ? BIG_16 : undefined
}

function isAscii(unit: number | undefined): boolean {
  return unit !== undefined && unit > 0 && unit < 0x80
}
