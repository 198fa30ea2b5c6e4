/** JSON Pointers (RFC 6901): each names one place in a document. `''` names the whole document. */
import { isJsonObject, type Json } from './json.ts'
import { isRawNumber } from './raw-number.ts'

/** `['a/b', 0, 'c']` → `/a~1b/0/c`. */
export function toJsonPointer(parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${escapePart(String(part))}`).join('')
}

const INDEX = /^(?:0|[1-9]\d{0,15})$/

/** Returns the value at a pointer; undefined without one, and for `-` (after the last item). */
export function readPointer(value: Json, pointer: string): Json | undefined {
  let at: Json | undefined = value
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    at = readMember(at, name)
  }
  return at
}

function readMember(at: Json | undefined, name: string): Json | undefined {
  if (isRawNumber(at)) return undefined
  if (isJsonObject(at)) return Object.hasOwn(at, name) ? at[name] : undefined
  return Array.isArray(at) && INDEX.test(name) ? at[Number(name)] : undefined
}

function escapePart(part: string): string {
  return part.replaceAll('~', '~0').replaceAll('/', '~1')
}
