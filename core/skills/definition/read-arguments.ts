/**
 * Reads `config.arguments` and `config.body_as`: arguments with a place of their own, each with its
 * style (docs/skills.md, Places of arguments). Most skills have neither field.
 */
import { isJsonObject, type Json, type JsonObject } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { PAIR_NAME_CHARS_MAX, PROPERTIES_MAX } from '../limits.ts'
import type { HttpMethod } from '../skill.ts'
import { type ArgumentPlace, BODY_FORMS, type BodyForm, STYLES_IN } from './argument-place.ts'
import { addFieldError, checkText, type Notes, warnUnknown } from './field-notes.ts'
import { checkHeaderName } from './read-pairs.ts'

const POINTER = '/config/arguments'
const FIELDS = ['in', 'name', 'style', 'explode', 'allow_reserved', 'content_type']
const PLACES: readonly ArgumentPlace['in'][] = ['path', 'query', 'header', 'body']
const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,64}\/[a-z0-9!#$&^_.+-]{1,64}(?:; ?[\x20-\x7e]{1,64})?$/i

export type ArgumentsRead = {
  readonly places?: readonly ArgumentPlace[]
  readonly bodyAs?: BodyForm
}

/** Reads both fields; leaves out those that are absent. */
export function readArguments(notes: Notes, raw: JsonObject, method: HttpMethod): ArgumentsRead {
  const places = readPlaces(notes, raw['arguments'])
  const bodyAs = readBodyForm(notes, raw, method)
  const whole = places.filter((place) => place.in === 'body' && place.name === '')
  if (whole.length > 0 && places.filter((place) => place.in === 'body').length > 1) {
    addFieldError(notes, POINTER, 'has a whole body beside other parts of it; keep one')
  }
  if (places.some((place) => place.in === 'body') && bodyAs === undefined) {
    addFieldError(
      notes,
      POINTER,
      `sends an argument in the body; set body_as to one of ${BODY_FORMS.join(', ')}`,
    )
  }
  const isFile = whole.some(({ style }) => style === 'file')
  if (bodyAs === 'binary' && !isFile) {
    addFieldError(notes, POINTER, `${ONE_FILE}, since body_as is binary`)
  }
  return {
    ...(places.length === 0 ? {} : { places }),
    ...(bodyAs === undefined ? {} : { bodyAs }),
  }
}

const ONE_FILE =
  'must make one argument the whole body: {"in": "body", "name": "", "style": "file"}'

function readPlaces(notes: Notes, value: Json | undefined): readonly ArgumentPlace[] {
  if (value === undefined || value === null) return []
  const entries = isJsonObject(value) ? Object.entries(value) : undefined
  if (entries === undefined || entries.length > PROPERTIES_MAX) {
    addFieldError(
      notes,
      POINTER,
      `must be an object of at most ${PROPERTIES_MAX} places by argument`,
    )
    return []
  }
  return entries.flatMap(([argument, place]) => {
    const at = `${POINTER}${toJsonPointer([argument])}`
    if (isJsonObject(place)) return readPlace(notes, at, argument, place)
    addFieldError(notes, at, 'is not an object; send {"in": "query", "style": "form"}')
    return []
  })
}

function readPlace(
  notes: Notes,
  at: string,
  argument: string,
  value: JsonObject,
): readonly ArgumentPlace[] {
  warnUnknown(notes, at, value, FIELDS)
  const where = PLACES.find((known) => known === value['in'])
  if (where === undefined) {
    addFieldError(notes, `${at}/in`, `must be one of ${PLACES.join(', ')}`)
    return []
  }
  const styles = STYLES_IN[where]
  const style = styles.find((known) => known === (value['style'] ?? styles[0]))
  if (style === undefined) {
    addFieldError(notes, `${at}/style`, `must be one of ${styles.join(', ')} in ${where}`)
    return []
  }
  const name = value['name'] ?? argument
  const wrong = typeof name === 'string' ? checkName(where, name) : 'is not a string'
  if (wrong !== undefined || typeof name !== 'string') {
    addFieldError(notes, `${at}/name`, wrong ?? '')
    return []
  }
  const explode = readFlag(notes, `${at}/explode`, value['explode'], style === 'form')
  const reserved = readFlag(notes, `${at}/allow_reserved`, value['allow_reserved'], false)
  const contentType = readMediaType(notes, `${at}/content_type`, value['content_type'])
  return [
    {
      argument,
      in: where,
      name: where === 'header' ? name.toLowerCase() : name,
      style,
      explode,
      reserved,
      ...(contentType === undefined ? {} : { contentType }),
    },
  ]
}

function checkName(where: ArgumentPlace['in'], name: string): string | undefined {
  if (where === 'body' && name === '') return undefined
  if (where === 'header') {
    return name.toLowerCase() === 'content-type'
      ? 'is the header that says how the body is written; fix it in headers'
      : checkHeaderName(name)
  }
  return checkText(name, { charsMax: PAIR_NAME_CHARS_MAX })
}

function readFlag(
  notes: Notes,
  pointer: string,
  value: Json | undefined,
  otherwise: boolean,
): boolean {
  if (value === undefined) return otherwise
  if (typeof value === 'boolean') return value
  addFieldError(notes, pointer, 'must be true or false')
  return otherwise
}

function readMediaType(notes: Notes, pointer: string, value: Json | undefined): string | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && MEDIA_TYPE.test(value)) return value
  addFieldError(notes, pointer, 'must be a media type such as image/png')
  return undefined
}

function readBodyForm(notes: Notes, raw: JsonObject, method: HttpMethod): BodyForm | undefined {
  const value = raw['body_as']
  if (value === undefined || value === null) return undefined
  const form = BODY_FORMS.find((known) => known === value)
  if (form === undefined) {
    addFieldError(notes, '/config/body_as', `must be one of ${BODY_FORMS.join(', ')}`)
    return undefined
  }
  if ((raw['body'] ?? null) !== null) {
    addFieldError(
      notes,
      '/config/body_as',
      'stands beside body, which says the same; keep one of them',
    )
  }
  if ((method === 'GET' || method === 'HEAD') && form !== 'none') {
    addFieldError(
      notes,
      '/config/body_as',
      `does not go with ${method}; use query, or another method`,
    )
  }
  return form
}
