/**
 * The id of a message as JSON text, so that it goes back exactly as it came. 0 is an id, null is
 * not. 1.5 and 1e2 are refused, because clients that compare texts would not recognise them in the
 * reply. Bound by JSON-RPC 2.0 section 4 and MCP 2024-11-05 (string or integer, never null).
 */
import type { Json, JsonObject } from '../json/json.ts'
import { numberText } from '../json/number-text.ts'
import type { IdText } from './message.ts'

/** UTF-16 units of a string id; a UUID has 36. The session stores the id until it is answered. */
export const ID_LENGTH_MAX = 256

/** Characters of a number id as posted: 64-bit integers have 20. */
export const ID_NUMBER_LENGTH_MAX = 64

/** 1.0 is how some languages write the integer 1. */
const INTEGER = /^-?\d+(?:\.0+)?$/

export type ReadId =
  | { readonly kind: 'absent' }
  | { readonly kind: 'id'; readonly id: IdText }
  | { readonly kind: 'bad'; readonly why: string }

/** `message` was parsed from `text`. */
export function readId(message: JsonObject, text: string): ReadId {
  return readIdAt(message['id'], text, ['id'], 'leave it out only where no answer is wanted')
}

/**
 * `value` is the value at `path` (member names, outermost first) in `text`. Progress tokens have
 * the same form. `remedy` completes the fault of a value that is neither string nor number.
 */
export function readIdAt(
  value: Json | undefined,
  text: string,
  path: readonly string[],
  remedy: string,
): ReadId {
  if (value === undefined) return { kind: 'absent' }
  const where = path.join('.')
  if (typeof value === 'string') return readStringId(value, where)
  if (typeof value === 'number') return readNumberId(numberText(text, path, value), where)
  return bad(where, `must be a string or an integer; ${remedy}`)
}

function readStringId(value: string, where: string): ReadId {
  if (value.length > ID_LENGTH_MAX) {
    return bad(where, `is over ${ID_LENGTH_MAX} characters; use a UUID`)
  }
  if (!value.isWellFormed()) {
    return bad(where, 'holds half of a surrogate pair; send whole characters')
  }
  return { kind: 'id', id: JSON.stringify(value) }
}

function readNumberId(posted: string, where: string): ReadId {
  if (posted.length > ID_NUMBER_LENGTH_MAX) {
    return bad(where, `is over ${ID_NUMBER_LENGTH_MAX} characters; use a shorter one or a string`)
  }
  if (!INTEGER.test(posted)) {
    return bad(where, 'is not an integer; write it without fraction or exponent')
  }
  return { kind: 'id', id: posted }
}

function bad(where: string, problem: string): ReadId {
  return { kind: 'bad', why: `${where}: ${problem}` }
}
