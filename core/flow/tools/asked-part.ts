/** Reads the arguments of `<prefix>_read_result`: which part of which kept result. */
import { readResultUri } from '../../archive/kept-result.ts'
import { err, ok, type Result } from '../../errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'

/** `bytes` is undefined for as many as one read answers. */
export type RangePart = {
  readonly kind: 'range'
  readonly from: number
  readonly bytes: number | undefined
}
/** Lines are counted from 1. */
export type LinesPart = { readonly kind: 'lines'; readonly from: number; readonly count: number }
export type PointerPart = { readonly kind: 'pointer'; readonly pointer: string }

export type AskedPart = {
  readonly resultId: string
  readonly uri: string
  readonly part: RangePart | LinesPart | PointerPart
}

/** An error names the argument and what it must be. */
export function readAskedPart(args: JsonObject): Result<AskedPart, string> {
  const { lines, pointer, range, uri, ...others } = args
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) {
    return err(`${unknown.slice(0, 64)}: is not an argument of this tool.`)
  }
  const resultId = typeof uri === 'string' ? readResultUri(uri) : undefined
  if (typeof uri !== 'string' || resultId === undefined) {
    return err('uri: must be a text skillgate://results/… that an earlier result named.')
  }
  const named = [range, lines, pointer].filter((one) => one !== undefined)
  if (named.length > 1) return err('range, lines, pointer: name one of them only.')
  const part = readPart(args)
  return part.ok ? ok({ resultId, uri, part: part.value }) : part
}

function readPart({ lines, pointer, range }: JsonObject): Result<AskedPart['part'], string> {
  if (pointer !== undefined) return readPointerPart(pointer)
  if (lines !== undefined) return readLinesPart(lines)
  return range === undefined ? ok({ kind: 'range', from: 0, bytes: undefined }) : readRange(range)
}

function readPointerPart(pointer: Json): Result<PointerPart, string> {
  const isPointer = typeof pointer === 'string' && (pointer === '' || pointer.startsWith('/'))
  if (isPointer) return ok({ kind: 'pointer', pointer })
  return err('pointer: must be a JSON Pointer such as /items/0, or "" for all.')
}

/** Lines without a count: a page of a file. */
const LINES_DEFAULT = 100

function readLinesPart(lines: Json): Result<LinesPart, string> {
  const { from, count = LINES_DEFAULT } = isJsonObject(lines) ? lines : {}
  if (isCount(from, 1) && isCount(count, 1)) return ok({ kind: 'lines', from, count })
  return err('lines: must be {"from", "count"}, whole numbers from 1.')
}

function readRange(range: Json): Result<RangePart, string> {
  const { from, bytes } = isJsonObject(range) ? range : {}
  if (isCount(from, 0) && (bytes === undefined || isCount(bytes, 1))) {
    return ok({ kind: 'range', from, bytes })
  }
  return err('range: must be {"from", "bytes"}, whole numbers from 0 and from 1.')
}

function isCount(value: Json | undefined, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least
}
