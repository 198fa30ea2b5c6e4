/**
 * Items as JSON text, for rows of SQLite. Texts, booleans, null and lists are written as JSON;
 * every other value is an object with one member, named by its type: `{"N":"99.5"}`, `{"B":"…"}`
 * (base64) and `{"M":{…}}`.
 */
import { Fault } from '../../../core/errors.ts'
import { defineMember, isList, NumberValue, type Value, type ValueMap } from './value.ts'

export function writeItem(item: ValueMap): string {
  let text = '{'
  for (const [name, value] of Object.entries(item)) {
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${writeValue(value)}`
  }
  return `${text}}`
}

function writeValue(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (value instanceof NumberValue) return `{"N":"${value.value}"}`
  if (value instanceof Uint8Array) return `{"B":"${base64(value)}"}`
  if (isList(value)) return `[${value.map(writeValue).join(',')}]`
  // Only maps are left, which the type guards above cannot tell the compiler.
  return `{"M":${writeItem(value as ValueMap)}}`
}

function base64({ buffer, byteLength, byteOffset }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

/** Reads a text of `writeItem`. Throws `Fault('internal')` for any other JSON. */
export function readItem(text: string): ValueMap {
  return readMap(JSON.parse(text))
}

function readMap(parsed: unknown): ValueMap {
  if (typeof parsed !== 'object' || parsed === null) throw unreadable()
  const map: { [name: string]: Value } = {}
  for (const [name, value] of Object.entries(parsed)) defineMember(map, name, readValue(value))
  return map
}

function readValue(parsed: unknown): Value {
  if (typeof parsed === 'string' || typeof parsed === 'boolean' || parsed === null) return parsed
  if (Array.isArray(parsed)) return parsed.map(readValue)
  if (typeof parsed !== 'object') throw unreadable()
  for (const [type, value] of Object.entries(parsed)) {
    if (type === 'M') return readMap(value)
    if (type === 'N') return NumberValue.from(value)
    if (type === 'B') return readBytes(String(value))
  }
  throw unreadable()
}

function readBytes(text: string): Uint8Array {
  const { buffer, byteLength, byteOffset } = Buffer.from(text, 'base64')
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function unreadable(): Fault {
  return new Fault('internal', 'store: a row holds no item of this gateway')
}
