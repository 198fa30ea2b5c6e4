/**
 * Arguments with places of their own, in the query, in headers and in the body (docs/skills.md, Places
 * of arguments). Runs only for skills that have such places.
 */
import { err, type FieldFault, ok, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { jsonPointer } from '../json/json-pointer.ts'
import type { ArgumentPlace, BodyForm } from '../skills/definition/argument-place.ts'
import { type BodyDraft, JSON_TYPE } from './draft-body.ts'
import { HEADER_UNITS_MAX, isHeaderValue, type Pair } from './draft-headers.ts'
import { plain, textOf } from './fill-template.ts'
import { multipartBody, type PlacedValue } from './multipart-body.ts'
import { pairText, styledPairs, styledText } from './style-text.ts'
import type { Unplaced } from './unplaced.ts'

/** Pairs for the query, encoded and joined; '' without any. */
export function placedQuery(places: readonly ArgumentPlace[], args: JsonObject): string {
  return formText(narrowFirst(valuesOf(places, args)))
}

/**
 * UTF-16 units of all pairs, at most. Counted before any is written: a name is repeated for each item,
 * and in `deepObject` each name that the caller chose is repeated for all inside it.
 */
export function placedUnits(places: readonly ArgumentPlace[], args: JsonObject): number {
  return valuesOf(places, args)
    .map(({ place, value }) => unitsOf(value, place.name.length))
    .reduce((sum, units) => sum + units, 0)
}

function unitsOf(value: Json, nameUnits: number): number {
  if (typeof value !== 'object' || value === null) return nameUnits + textOf(value).length
  return Object.entries(value).reduce(
    (sum, [key, inner]) => sum + unitsOf(inner, nameUnits + key.length),
    0,
  )
}

export function placedHeaders(
  places: readonly ArgumentPlace[],
  args: JsonObject,
): Result<readonly Pair[], readonly FieldFault[]> {
  const pairs: Pair[] = []
  const faults: FieldFault[] = []
  for (const { place, value } of valuesOf(places, args)) {
    const text = value === null ? '' : styledText(place, value, (part) => part)
    if (text === '') continue
    if (isHeaderValue(text)) pairs.push([place.name, plain(text)])
    else {
      const message = `goes into the header ${place.name}, which takes ${HEADER_UNITS_MAX} characters of visible ASCII on one line, no space at its ends`
      faults.push({ pointer: jsonPointer([place.argument]), message })
    }
  }
  return faults.length > 0 ? err(faults) : ok(pairs)
}

/** `rest` holds the arguments without a place, which are members of a body of JSON or of a form. */
export function placedBody(
  form: BodyForm,
  places: readonly ArgumentPlace[],
  args: JsonObject,
  rest: Unplaced,
): Result<BodyDraft | undefined, readonly FieldFault[]> {
  if (form === 'none') return ok(undefined)
  const values = valuesOf(places, args)
  const whole = places.find(({ name }) => name === '')
  if (whole !== undefined && form !== 'multipart') {
    const argument = values.find(({ place }) => place === whole)
    return ok(argument === undefined ? undefined : wholeBody(form, argument))
  }
  switch (form) {
    case 'multipart': {
      const made = multipartBody(inPairs(values, rest))
      if (!made.ok) return made
      const { body, contentType } = made.value
      return ok({ contentType, hasSecret: false, text: () => body })
    }
    case 'form':
      return ok(fixedBody(FORM_TYPE, formText(inPairs(values, rest))))
    case 'json':
    case 'text': {
      const members = values.map(({ place, value }) => [place.name, value] as const)
      const all = Object.fromEntries([...members, ...rest.all])
      return ok(fixedBody(JSON_TYPE, JSON.stringify(all)))
    }
    default:
      return form satisfies never
  }
}

const FORM_TYPE = 'application/x-www-form-urlencoded'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** A form whose one argument is all of it is written as exploded members. */
function wholeBody(form: BodyForm, { place, value }: PlacedValue): BodyDraft {
  if (form === 'text') return fixedBody(TEXT_TYPE, textOf(value))
  if (form === 'form') return fixedBody(FORM_TYPE, formText([{ place, value }]))
  return fixedBody(JSON_TYPE, JSON.stringify(value))
}

function formText(values: readonly PlacedValue[]): string {
  return values.flatMap(({ place, value }) => styledPairs(place, value).map(pairText)).join('&')
}

function inPairs(
  values: readonly PlacedValue[],
  { first, last }: Unplaced,
): readonly PlacedValue[] {
  return [...first.map(memberOf), ...narrowFirst(values), ...last.map(memberOf)]
}

/** Values of one pair come before those of many (unplaced.ts). */
function narrowFirst(values: readonly PlacedValue[]): readonly PlacedValue[] {
  const isNarrow = ({ value }: PlacedValue) => typeof value !== 'object'
  return [...values.filter(isNarrow), ...values.filter((one) => !isNarrow(one))]
}

function fixedBody(contentType: string, text: string): BodyDraft {
  return { contentType, hasSecret: false, text: () => text }
}

function memberOf([name, value]: readonly [string, Json]): PlacedValue {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const style = isObject ? 'json' : 'form'
  return {
    place: { argument: name, in: 'body', name, style, explode: true, reserved: false },
    value,
  }
}

/** An argument that was left out has no value; null stays, since a body of JSON has it. */
function valuesOf(places: readonly ArgumentPlace[], args: JsonObject): readonly PlacedValue[] {
  return places.flatMap((place) => {
    const { argument } = place
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined
    return value === undefined ? [] : [{ place, value }]
  })
}
