/**
 * Answers a call of the built-in tool `<prefix>_read_result`. Loaded with its first call by
 * execute-built-in.ts. Only the caller's own results are found, since the store keeps them under
 * their user. Text is UTF-8, as it was kept.
 */
import {
  KEPT_READ_BYTES_MAX,
  READ_DATA_BYTES_MAX,
  READ_TEXT_BYTES_MAX,
} from '../../archive/kept-result.ts'
import { isJsonObject, type Json } from '../../json/json.ts'
import { readPointer } from '../../json/json-pointer.ts'
import { TEXT_BYTES_MAX } from '../../json/limits.ts'
import { isRawNumber } from '../../json/raw-number.ts'
import type { ToolResult } from '../../mcp/content.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import type { KeptResults } from '../../ports/kept-results.ts'
import { isTextType, toDataBlock } from '../../response/answer-data.ts'
import { makeAnswerText } from '../../response/to-result.ts'
import { type LinesPart, type PointerPart, type RangePart, readAskedPart } from './asked-part.ts'
import type { UserRequest } from './built-in-tool.ts'

type Needs = { readonly keptResults: KeptResults }

/** What a result is, and how to read on. */
type Kept = {
  readonly uri: string
  readonly mimeType: string
  readonly totalBytes: number
  read(from: number, bytesMax: number): Promise<Uint8Array>
}

/** Returns the part, or says what is wrong with the arguments. Throws `Fault` if the store fails. */
export async function readKeptResult(
  { arguments: args, caller }: UserRequest,
  { keptResults }: Needs,
): Promise<ToolResult> {
  const asked = readAskedPart(args)
  if (!asked.ok) return makeTextResult(asked.error, true)
  const { part, resultId, uri } = asked.value
  const { uid } = caller.principal
  const at = (from: number, bytesMax: number) => keptResults.read({ uid, resultId, from, bytesMax })
  const found = await at(0, 1)
  if (found === undefined) return makeTextResult(GONE, true)
  const { mimeType, totalBytes } = found
  const kept: Kept = {
    uri,
    mimeType,
    totalBytes,
    // A result may be over between two reads; then there are no more bytes.
    read: async (from, bytesMax) =>
      from < totalBytes ? ((await at(from, bytesMax))?.bytes ?? NO_BYTES) : NO_BYTES,
  }
  switch (part.kind) {
    case 'range':
      return isTextType(mimeType) ? readTextRange(kept, part) : readDataRange(kept, part)
    case 'lines':
      return readLines(kept, part)
    case 'pointer':
      return readAtPointer(kept, part)
    default:
      return part satisfies never
  }
}

const NO_BYTES = new Uint8Array()
const GONE =
  'uri: there is no such result of this user. Results are kept for one hour; call the tool that made it again.'

async function readTextRange(kept: Kept, { bytes, from }: RangePart): Promise<ToolResult> {
  const asked = Math.min(bytes ?? READ_TEXT_BYTES_MAX, READ_TEXT_BYTES_MAX)
  const { start, text, used } = decodePart(await kept.read(from, asked), from)
  const place = `${describe(kept)} ${writePlace('Bytes', start, start + used, kept)}`
  return used === 0 ? makeTextResult(place, false) : answer(place, text)
}

/** Returns the whole characters of a part: the next part begins with a character that is cut. */
function decodePart(
  bytes: Uint8Array,
  from: number,
): { readonly start: number; readonly text: string; readonly used: number } {
  let skipped = 0
  while (from > 0 && skipped < CHAR_BYTES_MAX - 1 && isInside(bytes[skipped])) skipped += 1
  let end = bytes.length
  const lead = bytes.findLastIndex((byte) => !isInside(byte))
  const isCut = lead >= 0 && bytes.length - lead < CHAR_BYTES_MAX && needs(bytes[lead]) > end - lead
  if (isCut && lead > skipped) end = lead
  const text = UTF8.decode(bytes.subarray(skipped, end))
  return { start: from + skipped, text, used: end - skipped }
}

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })
const CHAR_BYTES_MAX = 4

/** True for a byte that continues a character of UTF-8. */
function isInside(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x80 && byte < 0xc0
}

/** The bytes of the character that begins with this one. */
function needs(byte = 0): number {
  return byte < 0xc0 ? 1 : byte < 0xe0 ? 2 : byte < 0xf0 ? 3 : 4
}

async function readDataRange(kept: Kept, { bytes, from }: RangePart): Promise<ToolResult> {
  const { mimeType, totalBytes, uri } = kept
  const asked = Math.min(bytes ?? READ_DATA_BYTES_MAX, READ_DATA_BYTES_MAX)
  const part = await kept.read(from, asked)
  const place = `${describe(kept)} ${writePlace('Bytes', from, from + part.length, kept)}`
  if (part.length === 0) return makeTextResult(place, false)
  const isWhole = part.length === totalBytes
  const data = { mimeType: isWhole ? mimeType : 'application/octet-stream', bytes: part }
  const block = toDataBlock(data, isWhole ? uri : `${uri}#bytes=${from}-${from + part.length - 1}`)
  return { content: [{ type: 'text', text: place }, block], isError: false }
}

async function readLines(kept: Kept, { count, from }: LinesPart): Promise<ToolResult> {
  if (!isTextType(kept.mimeType)) return makeTextResult(writeNoText('lines', kept), true)
  const start = await skipLines(kept, from - 1)
  const bytes = await kept.read(start, READ_TEXT_BYTES_MAX)
  if (bytes.length === 0) return makeTextResult(`${describe(kept)} It has no line ${from}.`, false)
  const { end, found } = findLineEnd(bytes, count)
  const isCut = found < count && start + bytes.length < kept.totalBytes
  const { text } = decodePart(bytes.subarray(0, end), 0)
  const isOpen = bytes[end - 1] !== LINE_FEED
  const last = from + found - (isOpen ? 0 : 1)
  const cut = isCut && isOpen ? ` Line ${last} is cut: ${ONE_READ}.` : ''
  const more = isCut && !isOpen ? ` Read on from line ${last + 1}: ${ONE_READ}.` : ''
  return answer(`${describe(kept)} Lines ${from} to ${last}.${cut}${more}`, text)
}

const ONE_READ = `one read answers ${READ_TEXT_BYTES_MAX} bytes at most`
const LINE_FEED = 0x0a

/**
 * Returns the byte after so many lines; the end of a result that has fewer. Reads it in pieces, so
 * that no more than a piece is in memory.
 */
async function skipLines(kept: Kept, lines: number): Promise<number> {
  let left = lines
  for (let at = 0; left > 0; ) {
    const piece = await kept.read(at, KEPT_READ_BYTES_MAX)
    if (piece.length === 0) return kept.totalBytes
    const { end, found } = findLineEnd(piece, left)
    left -= found
    at += end
    if (left === 0) return at
  }
  return 0
}

/** Returns where the line of that number ends, or the end of the bytes with the lines they have. */
function findLineEnd(bytes: Uint8Array, lines: number): { end: number; found: number } {
  let end = 0
  for (let found = 0; found < lines; found += 1) {
    const feed = bytes.indexOf(LINE_FEED, end)
    if (feed < 0) return { end: bytes.length, found }
    end = feed + 1
  }
  return { end, found: lines }
}

async function readAtPointer(kept: Kept, { pointer }: PointerPart): Promise<ToolResult> {
  const { totalBytes } = kept
  if (!isTextType(kept.mimeType)) return makeTextResult(writeNoText('pointer', kept), true)
  if (totalBytes > TEXT_BYTES_MAX) {
    const limit = `pointer: reads results of ${TEXT_BYTES_MAX} bytes at most, and this one has ${totalBytes}.`
    return makeTextResult(`${limit} Use range or lines.`, true)
  }
  const json = makeAnswerText(new TextDecoder().decode(await kept.read(0, TEXT_BYTES_MAX))).parsed()
  if (!json.ok) {
    return makeTextResult('pointer: the result is not JSON. Use range or lines.', true)
  }
  const value = readPointer(json.value, pointer)
  if (value === undefined) {
    return makeTextResult(`pointer: the result has nothing at ${pointer.slice(0, 200)}.`, true)
  }
  const text = JSON.stringify(value)
  const bytes = ENCODER.encode(text)
  const about = `${describe(kept)} At ${JSON.stringify(pointer.slice(0, 200))}: ${describeValue(value)}.`
  if (bytes.length <= READ_TEXT_BYTES_MAX) return answer(about, text)
  const cut = `Its JSON has ${bytes.length} bytes and is cut after ${READ_TEXT_BYTES_MAX}; a longer pointer names a part of it.`
  return answer(`${about} ${cut}`, decodePart(bytes.subarray(0, READ_TEXT_BYTES_MAX), 0).text)
}

const ENCODER = new TextEncoder()
/** Names of members that are shown of a value. */
const MEMBERS_SHOWN_MAX = 20

function describeValue(value: Json): string {
  if (Array.isArray(value)) return `an array of ${value.length} items`
  if (isJsonObject(value) && !isRawNumber(value)) {
    const names = Object.keys(value)
    const shown = names.slice(0, MEMBERS_SHOWN_MAX).map((name) => JSON.stringify(name.slice(0, 64)))
    return `an object with ${names.length} members (${shown.join(', ')}${names.length > shown.length ? ', …' : ''})`
  }
  return 'a value'
}

function describe({ mimeType, totalBytes }: Kept): string {
  return `The result has ${totalBytes} bytes of ${mimeType}.`
}

function writePlace(what: string, from: number, end: number, { totalBytes }: Kept): string {
  if (end === from) return `Nothing follows byte ${from}.`
  const next = end < totalBytes ? ` Read on with {"range":{"from":${end}}}.` : ' This is its end.'
  return `${what} ${from} to ${end - 1}.${next}`
}

function writeNoText(name: string, { mimeType }: Kept): string {
  return `${name}: the result is ${mimeType}, not text. Use range.`
}

function answer(about: string, text: string): ToolResult {
  return {
    content: [
      { type: 'text', text: about },
      { type: 'text', text },
    ],
    isError: false,
  }
}
