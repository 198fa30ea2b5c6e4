/**
 * Text that a person names: a file, or stdin. The text is what the bytes say, or a refusal that names what they
 * are instead: nothing is replaced, so that no skill, document or secret is another one than in its file. A byte
 * order mark of UTF-8 is left out.
 */
import { readFileSync } from 'node:fs'
import { usageFault } from '../command/exit-code.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true })

/** How packed files begin, byte by byte; that of bzip2 after its name and level. */
const PACKED: readonly { readonly name: string; readonly start: string; readonly at?: number }[] = [
  { name: 'gzip', start: '\u001f\u008b' },
  { name: 'zip', start: 'PK\u0003\u0004' },
  { name: 'zstd', start: '\u0028\u00b5\u002f\u00fd' },
  { name: 'xz', start: '\u00fd7zXZ' },
  { name: 'bzip2', start: '1AY&SY', at: 4 },
]
const START_BYTES = 16
/** Bytes looked at for zeros, which UTF-8 does not have in a text, and UTF-16 has beside each letter of ASCII. */
const LOOK_BYTES = 512

/** Throws `usageFault` when the file cannot be read or is no text. */
export function readText(path: string): string {
  let bytes: Uint8Array
  try {
    bytes = readFileSync(path)
  } catch (cause) {
    throw usageFault(`${path} cannot be read${codeOf(cause)}.`, 'Name a file that you can read.')
  }
  return decodedText(bytes, path)
}

/** `from` names the source, as a subject of a sentence. */
export function decodedText(bytes: Uint8Array, from: string): string {
  const start = Buffer.from(bytes.subarray(0, START_BYTES)).toString('latin1')
  const packed = PACKED.find((one) => start.startsWith(one.start, one.at))
  if (packed !== undefined) {
    throw usageFault(`${from} is compressed (${packed.name}).`, 'Unpack it first.')
  }
  const encoding = wideEncoding(bytes)
  if (encoding !== undefined) {
    throw usageFault(`${from} is encoded as ${encoding}.`, 'Save it as UTF-8.')
  }
  try {
    return UTF8.decode(bytes)
  } catch {
    // A fatal decoder has one error and no position, so the cause adds nothing.
    throw usageFault(`${from} is not valid UTF-8.`, 'Save it as UTF-8.')
  }
}

function wideEncoding(bytes: Uint8Array): string | undefined {
  if (startsWith(bytes, [0xff, 0xfe, 0, 0]) || startsWith(bytes, [0, 0, 0xfe, 0xff]))
    return 'UTF-32'
  if (startsWith(bytes, [0xff, 0xfe]) || startsWith(bytes, [0xfe, 0xff])) return 'UTF-16'
  const look = bytes.subarray(0, LOOK_BYTES)
  const zeros = [0, 0]
  for (const [at, byte] of look.entries()) if (byte === 0) zeros[at % 2] = (zeros[at % 2] ?? 0) + 1
  // Most letters of JSON, YAML and Markdown are ASCII, so in UTF-16 a half of each pair is zero.
  return Math.max(...zeros) * 4 > look.length && Math.min(...zeros) === 0 ? 'UTF-16' : undefined
}

function startsWith(bytes: Uint8Array, starts: readonly number[]): boolean {
  return starts.every((byte, at) => bytes[at] === byte)
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? ` (${cause.code})` : ''
}
