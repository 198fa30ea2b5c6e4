/**
 * Items as the rows have them: JSON in which texts, truth values, null and lists are themselves, and every other value
 * is a map with one member, named by its type: `{"N":"99.5"}`, `{"B":"…"}` (base64) and `{"M":{…}}`.
 */
import { Fault } from '../../../core/errors.ts'
import { define, isList, NumberValue, type Value, type ValueMap } from './value.ts'

export function writeItem(item: ValueMap): string {
  let text = '{'
  for (const [name, value] of Object.entries(item)) {
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:${textOf(value)}`
  }
  return `${text}}`
}

function textOf(value: Value): string {
  if (typeof value === 'string') return JSON.stringify(value)
  if (value === null || typeof value === 'boolean') return String(value)
  if (value instanceof NumberValue) return `{"N":"${value.value}"}`
  if (value instanceof Uint8Array) return `{"B":"${base64(value)}"}`
  if (isList(value)) return `[${value.map(textOf).join(',')}]`
  // The last kind: the guards of this file's types leave maps alone.
  return `{"M":${writeItem(value as ValueMap)}}`
}

function base64({ buffer, byteLength, byteOffset }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

/** Throws `Fault('internal')` for a text that this file did not write. */
export function readItem(text: string): ValueMap {
  return mapFrom(JSON.parse(text))
}

function mapFrom(parsed: unknown): ValueMap {
  if (typeof parsed !== 'object' || parsed === null) throw unreadable()
  const map: { [name: string]: Value } = {}
  for (const [name, value] of Object.entries(parsed)) define(map, name, valueFrom(value))
  return map
}

function valueFrom(parsed: unknown): Value {
  if (typeof parsed === 'string' || typeof parsed === 'boolean' || parsed === null) return parsed
  if (Array.isArray(parsed)) return parsed.map(valueFrom)
  if (typeof parsed !== 'object') throw unreadable()
  for (const [type, value] of Object.entries(parsed)) {
    if (type === 'M') return mapFrom(value)
    if (type === 'N') return NumberValue.from(value)
    if (type === 'B') return bytesFrom(String(value))
  }
  throw unreadable()
}

function bytesFrom(text: string): Uint8Array {
  const { buffer, byteLength, byteOffset } = Buffer.from(text, 'base64')
  return new Uint8Array(buffer, byteOffset, byteLength)
}

function unreadable(): Fault {
  return new Fault('internal', 'store: a row holds no item of this gateway')
}
