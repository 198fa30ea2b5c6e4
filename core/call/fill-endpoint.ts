/**
 * Puts arguments into the `{name}` places of an endpoint. An argument cannot leave its path segment
 * or query value: it is percent-encoded, and values that encoding cannot contain (`.`, `..`, an
 * empty segment) are refused.
 */
import { err, type FieldFault, ok, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { jsonPointer } from '../json/json-pointer.ts'
import type { ArgumentPlace } from '../skills/argument-place.ts'
import { percentEncoded, styledText } from './style-text.ts'

export type FilledEndpoint = {
  /** Without query: `https://host/path`. */
  readonly base: string
  /** The endpoint's own query, filled; '' when it has none. */
  readonly query: string
  /** Arguments that a place has taken; they are sent nowhere else. */
  readonly used: ReadonlySet<string>
}

/** Styles of places, by argument; a place without one takes a scalar. */
type Places = ReadonlyMap<string, ArgumentPlace>

type Piece = { readonly text: string; readonly faults: readonly FieldFault[] }

const PLACE = /\{([^{}/?#]+)\}/g
const PARTS = /^(https?:\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?/i
/** The forms that URL parsers read as `.` and `..`, plain or encoded (WHATWG URL 4.1). */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i

const NONE_USED: ReadonlySet<string> = new Set()

/** Refused arguments are returned as faults with pointers into the arguments. */
export function fillEndpoint(
  endpoint: string,
  args: JsonObject,
  places?: Places,
): Result<FilledEndpoint, readonly FieldFault[]> {
  const [, origin = '', path = '', query = ''] = PARTS.exec(endpoint) ?? []
  if (!endpoint.includes('{')) return ok({ base: origin + path, query, used: NONE_USED })
  const segments = path.split('/').map((segment) => fillSegment(segment, args, places))
  const filledQuery = fill(query, args)
  const faults = [...segments, filledQuery].flatMap((piece) => piece.faults)
  if (faults.length > 0) return err(faults)
  return ok({
    base: origin + segments.map((piece) => piece.text).join('/'),
    query: filledQuery.text,
    used: new Set(placesOf(endpoint)),
  })
}

function fillSegment(segment: string, args: JsonObject, styles?: Places): Piece {
  const places = placesOf(segment)
  const filled = fill(segment, args, styles)
  const unsafe = filled.text === '' || DOT_SEGMENT.test(filled.text)
  if (places.length === 0 || filled.faults.length > 0 || !unsafe) return filled
  const message = 'must not be empty, "." or "..": it is a part of the path'
  return { text: '', faults: places.map((name) => at(name, message)) }
}

function fill(template: string, args: JsonObject, places?: Places): Piece {
  const faults: FieldFault[] = []
  const text = template.replace(PLACE, (_, name: string) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    const place = places?.get(name)
    if (place !== undefined && value !== undefined && value !== null) {
      return styledText(place, value, percentEncoded)
    }
    const filler = fillerText(value)
    if (filler === undefined) {
      faults.push(at(name, 'is needed for the URL; send a string, a number or a boolean'))
    }
    return encodeURIComponent((filler ?? '').toWellFormed())
  })
  return { text, faults }
}

function fillerText(value: Json | undefined): string | undefined {
  return value === undefined || typeof value === 'object' ? undefined : String(value)
}

function placesOf(template: string): readonly string[] {
  return [...template.matchAll(PLACE)].map(([, name = '']) => name)
}

function at(name: string, message: string): FieldFault {
  return { pointer: jsonPointer([name]), message }
}
