/**
 * Writes arguments that have places of their own, in the query, in headers and in the body
 * (docs/skills.md, Places of arguments). Runs only for skills with such places.
 */
import { err, type FieldError, ok, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { toJsonPointer } from '../json/json-pointer.ts'
import type { ArgumentPlace, BodyForm } from '../skills/definition/argument-place.ts'
import { type BodyDraft, JSON_TYPE } from './draft-body.ts'
import { HEADER_UNITS_MAX, isHeaderValue, type Pair } from './draft-headers.ts'
import { readFileArgument } from './file-argument.ts'
import { toFilledText, toPlainText } from './fill-template.ts'
import { type PlacedValue, writeMultipartBody } from './multipart-body.ts'
import { writePair, writeStyledPairs, writeStyledText } from './style-text.ts'
import type { Unplaced } from './unplaced.ts'

/** Returns the encoded pairs for the query, joined; '' without pairs. */
export function writePlacedQuery(places: readonly ArgumentPlace[], args: JsonObject): string {
  return writeForm(narrowFirst(pickValues(places, args)))
}

/**
 * Returns an upper limit of the UTF-16 units of all pairs, before any pair is written. A name is
 * repeated for each item, and `deepObject` repeats each name of the caller for everything inside.
 */
export function countPlacedUnits(places: readonly ArgumentPlace[], args: JsonObject): number {
  return pickValues(places, args)
    .map(({ place, value }) => countUnits(value, place.name.length))
    .reduce((sum, units) => sum + units, 0)
}

function countUnits(value: Json, nameUnits: number): number {
  if (typeof value !== 'object' || value === null) return nameUnits + toPlainText(value).length
  return Object.entries(value).reduce(
    (sum, [key, inner]) => sum + countUnits(inner, nameUnits + key.length),
    0,
  )
}

/** Returns the headers, or a field error for each argument that no header can carry. */
export function draftPlacedHeaders(
  places: readonly ArgumentPlace[],
  args: JsonObject,
): Result<readonly Pair[], readonly FieldError[]> {
  const pairs: Pair[] = []
  const faults: FieldError[] = []
  for (const { place, value } of pickValues(places, args)) {
    const text = value === null ? '' : writeStyledText(place, value, (part) => part)
    if (text === '') continue
    if (isHeaderValue(text)) pairs.push([place.name, toFilledText(text)])
    else {
      const message = `goes into the header ${place.name}, which takes ${HEADER_UNITS_MAX} characters of visible ASCII on one line, no space at its ends`
      faults.push({ pointer: toJsonPointer([place.argument]), message })
    }
  }
  return faults.length > 0 ? err(faults) : ok(pairs)
}

/** Drafts the body. `rest` has arguments without a place: members of a JSON or form body. */
export function draftPlacedBody(
  form: BodyForm,
  places: readonly ArgumentPlace[],
  args: JsonObject,
  rest: Unplaced,
): Result<BodyDraft | undefined, readonly FieldError[]> {
  if (form === 'none') return ok(undefined)
  const values = pickValues(places, args)
  if (form === 'binary') return draftFileBody(values)
  const whole = places.find(({ name }) => name === '')
  if (whole !== undefined && form !== 'multipart') {
    const argument = values.find(({ place }) => place === whole)
    return ok(argument === undefined ? undefined : draftWholeBody(form, argument))
  }
  switch (form) {
    case 'multipart': {
      const made = writeMultipartBody(orderPairs(values, rest))
      if (!made.ok) return made
      const { body, contentType } = made.value
      return ok({ contentType, hasSecret: false, text: () => body })
    }
    case 'form':
      return ok(toBodyDraft(FORM_TYPE, writeForm(orderPairs(values, rest))))
    case 'json':
    case 'text': {
      const members = values.map(({ place, value }) => [place.name, value] as const)
      const all = Object.fromEntries([...members, ...rest.all])
      return ok(toBodyDraft(JSON_TYPE, JSON.stringify(all)))
    }
    default:
      return form satisfies never
  }
}

const FORM_TYPE = 'application/x-www-form-urlencoded'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** The one argument is a file, whose bytes are the body. Its name is not sent. */
function draftFileBody([file]: readonly PlacedValue[]): Result<
  BodyDraft | undefined,
  readonly FieldError[]
> {
  if (file === undefined || file.value === null) return ok(undefined)
  const read = readFileArgument(file.place, file.value)
  if (!read.ok) return err([read.error])
  const { bytes, contentType } = read.value
  return ok({ contentType, hasSecret: false, text: () => bytes })
}

/** Makes a body of one argument. In a form, the argument's members become the pairs. */
function draftWholeBody(form: BodyForm, { place, value }: PlacedValue): BodyDraft {
  if (form === 'text') return toBodyDraft(TEXT_TYPE, toPlainText(value))
  if (form === 'form') return toBodyDraft(FORM_TYPE, writeForm([{ place, value }]))
  return toBodyDraft(JSON_TYPE, JSON.stringify(value))
}

function writeForm(values: readonly PlacedValue[]): string {
  return values
    .flatMap(({ place, value }) => writeStyledPairs(place, value).map(writePair))
    .join('&')
}

function orderPairs(
  values: readonly PlacedValue[],
  { first, last }: Unplaced,
): readonly PlacedValue[] {
  return [...first.map(toPlacedValue), ...narrowFirst(values), ...last.map(toPlacedValue)]
}

/** Values with one pair come before values with many pairs (unplaced.ts gives the reason). */
function narrowFirst(values: readonly PlacedValue[]): readonly PlacedValue[] {
  const isNarrow = ({ value }: PlacedValue) => typeof value !== 'object'
  return [...values.filter(isNarrow), ...values.filter((one) => !isNarrow(one))]
}

function toBodyDraft(contentType: string, text: string): BodyDraft {
  return { contentType, hasSecret: false, text: () => text }
}

function toPlacedValue([name, value]: readonly [string, Json]): PlacedValue {
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const style = isObject ? 'json' : 'form'
  return {
    place: { argument: name, in: 'body', name, style, explode: true, reserved: false },
    value,
  }
}

/** Pairs each place with its argument's value. Keeps null, because a JSON body has null. */
function pickValues(places: readonly ArgumentPlace[], args: JsonObject): readonly PlacedValue[] {
  return places.flatMap((place) => {
    const { argument } = place
    const value = Object.hasOwn(args, argument) ? args[argument] : undefined
    return value === undefined ? [] : [{ place, value }]
  })
}
