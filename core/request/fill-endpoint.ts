/**
 * Fills arguments into the `{name}` places of an endpoint. An argument cannot leave its path
 * segment or query value, because it is percent-encoded. Values that encoding does not make safe
 * (`.`, `..`, an empty segment) are refused.
 */
import { err, type FieldError, ok, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'
import { percentEncode, writeStyledText } from './style-text.ts'

export type FilledEndpoint = {
  /** The URL without its query: `https://host/path`. */
  readonly base: string
  /** The endpoint's own query, filled; '' without a query. */
  readonly query: string
  /** Arguments with a place in the endpoint. They are sent nowhere else. */
  readonly used: ReadonlySet<string>
}

/** Styles of places by argument. A place without a style accepts a scalar. */
type Places = ReadonlyMap<string, ArgumentPlace>

type Piece = { readonly text: string; readonly faults: readonly FieldError[] }

/** The parts of an endpoint, which are the same for every call. */
export type EndpointParts = {
  readonly origin: string
  readonly segments: readonly Segment[]
  /** The endpoint's own query, with its places. */
  readonly query: string
  /** Arguments with a place in the endpoint. */
  readonly used: ReadonlySet<string>
  /** The result of filling; undefined if arguments fill a part of the endpoint. */
  readonly fixed: FilledEndpoint | undefined
}

type Segment = { readonly text: string; readonly places: readonly string[] }

const PLACE = /\{([^{}/?#]+)\}/g
const PARTS = /^(https?:\/\/[^/?#]*)([^?#]*)(?:\?([^#]*))?/i
/** Forms that URL parsers read as `.` and `..`, plain or encoded (WHATWG URL 4.1). */
const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i

/** Splits an endpoint. It has been checked, so it starts with a scheme and a host. */
export function splitEndpoint(endpoint: string): EndpointParts {
  const [, origin = '', path = '', query = ''] = PARTS.exec(endpoint) ?? []
  const used = new Set(listPlaces(endpoint))
  const segments = path.split('/').map((text) => ({ text, places: listPlaces(text) }))
  const isFixed = !endpoint.includes('{')
  const fixed = isFixed ? { base: origin + path, query, used } : undefined
  return { origin, segments, query, used, fixed }
}

/** Returns the filled endpoint, or field errors with pointers into the arguments. */
export function fillEndpoint(
  { fixed, origin, query, segments, used }: EndpointParts,
  args: JsonObject,
  places?: Places,
): Result<FilledEndpoint, readonly FieldError[]> {
  if (fixed !== undefined) return ok(fixed)
  const filled = segments.map((segment) => fillSegment(segment, args, places))
  const filledQuery = fill(query, args)
  const faults = [...filled, filledQuery].flatMap((piece) => piece.faults)
  if (faults.length > 0) return err(faults)
  const base = origin + filled.map((piece) => piece.text).join('/')
  return ok({ base, query: filledQuery.text, used })
}

function fillSegment({ places, text }: Segment, args: JsonObject, styles?: Places): Piece {
  if (places.length === 0) return { text, faults: [] }
  const filled = fill(text, args, styles)
  const unsafe = filled.text === '' || DOT_SEGMENT.test(filled.text)
  if (filled.faults.length > 0 || !unsafe) return filled
  const message = 'must not be empty, "." or "..": it is a part of the path'
  return { text: '', faults: places.map((name) => toFieldError(name, message)) }
}

function fill(template: string, args: JsonObject, places?: Places): Piece {
  const faults: FieldError[] = []
  const text = template.replace(PLACE, (_, name: string) => {
    const value = Object.hasOwn(args, name) ? args[name] : undefined
    const place = places?.get(name)
    if (place !== undefined && value !== undefined && value !== null) {
      return writeStyledText(place, value, percentEncode)
    }
    const filler = toScalarText(value)
    if (filler === undefined) {
      faults.push(toFieldError(name, 'is needed for the URL; send a string, a number or a boolean'))
    }
    return encodeURIComponent((filler ?? '').toWellFormed())
  })
  return { text, faults }
}

function toScalarText(value: Json | undefined): string | undefined {
  return value === undefined || typeof value === 'object' ? undefined : String(value)
}

function listPlaces(template: string): readonly string[] {
  return [...template.matchAll(PLACE)].map(([, name = '']) => name)
}

function toFieldError(name: string, message: string): FieldError {
  return { pointer: toJsonPointer([name]), message }
}
