/**
 * Typed reading of a row: a column is what we wrote, or something else changed the file, and that is a
 * fault. Whole numbers arrive as JavaScript numbers; `node:sqlite` refuses those past 2^53 itself.
 */
import { Fault } from '../../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'

export type Row = { readonly [column: string]: unknown }

export function textAt(row: Row, column: string): string {
  const value = row[column]
  return typeof value === 'string' ? value : misfit(column, 'text')
}

export function optionalTextAt(row: Row, column: string): string | undefined {
  return row[column] === null ? undefined : textAt(row, column)
}

/** One of a closed list of words. */
export function wordAt<T extends string>(row: Row, column: string, words: readonly T[]): T {
  const value = row[column]
  return words.find((word) => word === value) ?? misfit(column, words.join(' or '))
}

export function intAt(row: Row, column: string): number {
  const value = row[column]
  return typeof value === 'number' ? value : misfit(column, 'a whole number')
}

export function optionalIntAt(row: Row, column: string): number | undefined {
  return row[column] === null ? undefined : intAt(row, column)
}

export function flagAt(row: Row, column: string): boolean {
  return intAt(row, column) !== 0
}

export function bytesAt(row: Row, column: string): Uint8Array {
  const value = row[column]
  return value instanceof Uint8Array ? value : misfit(column, 'bytes')
}

export function optionalBytesAt(row: Row, column: string): Uint8Array | undefined {
  return row[column] === null ? undefined : bytesAt(row, column)
}

export function jsonObjectFrom(text: string, column: string): JsonObject {
  const value: Json = JSON.parse(text)
  return isJsonObject(value) ? value : misfit(column, 'a JSON object')
}

/** A JSON list of texts. */
export function textsAt(row: Row, column: string): readonly string[] {
  const value: Json = JSON.parse(textAt(row, column))
  if (!Array.isArray(value)) return misfit(column, 'a JSON list')
  return value.map((one: Json) => (typeof one === 'string' ? one : misfit(column, 'a text')))
}

function misfit(column: string, wanted: string): never {
  throw new Fault('internal', `store: column ${column} is not ${wanted}`)
}
