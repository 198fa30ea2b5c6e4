/**
 * Writes a multipart/form-data body (RFC 7578) as bytes. The boundary is chosen after the parts are
 * made, and no part contains it, so that no argument can end its part. Names are escaped as in
 * browsers.
 */
import { err, type FieldError, ok, type Result } from '../errors.ts'
import type { Json } from '../json/json.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'
import { readFileArgument } from './file-argument.ts'
import { toPlainText } from './fill-template.ts'

export type MultipartBody = { readonly contentType: string; readonly body: Uint8Array }

type Part = { readonly head: string; readonly bytes: Uint8Array }
export type PlacedValue = { readonly place: ArgumentPlace; readonly value: Json }

const UTF8 = new TextEncoder()

/** Makes a part of each value and of each item of an array. Null is left out. */
export function writeMultipartBody(
  values: readonly PlacedValue[],
): Result<MultipartBody, readonly FieldError[]> {
  const read = values.flatMap(({ place, value }) =>
    (Array.isArray(value) ? value : [value])
      .filter((item: Json) => item !== null)
      .map((item: Json) => readPart(place, item)),
  )
  const faults = read.flatMap((part) => (part.ok ? [] : [part.error]))
  if (faults.length > 0) return err(faults)
  const parts = read.flatMap((part) => (part.ok ? [part.value] : []))
  const boundary = chooseBoundary(parts)
  return ok({
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: joinParts(parts, boundary),
  })
}

function readPart(place: ArgumentPlace, value: Json): Result<Part, FieldError> {
  if (place.style === 'file') return readFilePart(place, value)
  const isJson = place.style === 'json' || (typeof value === 'object' && value !== null)
  const type = place.contentType ?? (isJson ? 'application/json' : undefined)
  const text = isJson ? JSON.stringify(value) : toPlainText(value)
  const head = `${writeDisposition(place.name)}${type === undefined ? '' : `content-type: ${type}\r\n`}`
  return ok({ head, bytes: UTF8.encode(text) })
}

function readFilePart(place: ArgumentPlace, value: Json): Result<Part, FieldError> {
  const file = readFileArgument(place, value)
  if (!file.ok) return file
  const { bytes, contentType, filename } = file.value
  const head = `${writeDisposition(place.name, filename)}content-type: ${contentType}\r\n`
  return ok({ head, bytes })
}

function writeDisposition(name: string, filename?: string): string {
  const file = filename === undefined ? '' : `; filename="${escapeName(filename)}"`
  return `content-disposition: form-data; name="${escapeName(name)}"${file}\r\n`
}

/** Escapes the three characters that WHATWG HTML names for multipart/form-data. */
function escapeName(text: string): string {
  return text.toWellFormed().replace(/["\r\n]/g, (char) => encodeURIComponent(char))
}

/** Makes a boundary with the first number that follows `BOUNDARY` in no part, in one pass. */
function chooseBoundary(parts: readonly Part[]): string {
  const taken = new Set(parts.flatMap(({ bytes }) => findNumbers(bytes)))
  let count = 0
  while (taken.has(String(count))) count += 1
  return `${BOUNDARY}${count}.`
}

const BOUNDARY = 'skillgate-'
const DIGITS_MAX = 12

/** Finds the numbers after each `BOUNDARY`. No boundary has more digits than DIGITS_MAX. */
function findNumbers(bytes: Uint8Array): readonly string[] {
  const mark = UTF8.encode(BOUNDARY)
  const found: string[] = []
  const first = mark[0] ?? 0
  for (let at = bytes.indexOf(first); at >= 0; at = bytes.indexOf(first, at + 1)) {
    if (!mark.every((byte, index) => bytes[at + index] === byte)) continue
    const after = bytes.subarray(at + mark.length, at + mark.length + DIGITS_MAX)
    found.push(/^\d*/.exec(String.fromCharCode(...after))?.[0] ?? '')
  }
  return found
}

function joinParts(parts: readonly Part[], boundary: string): Uint8Array {
  const pieces = [
    ...parts.flatMap(({ bytes, head }) => [
      UTF8.encode(`--${boundary}\r\n${head}\r\n`),
      bytes,
      UTF8.encode('\r\n'),
    ]),
    UTF8.encode(`--${boundary}--\r\n`),
  ]
  const all = new Uint8Array(pieces.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const piece of pieces) {
    all.set(piece, at)
    at += piece.length
  }
  return all
}
