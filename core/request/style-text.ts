/**
 * Writes one argument in the styles of OpenAPI 3.1 (Style Values): pairs for a query or a form, one
 * text for a path or a header. Every value is percent-encoded on its own, so that it cannot end its
 * place; the style sets the delimiters. An array or object inside another is written as JSON,
 * except in `deepObject`, which nests as PHP and qs do.
 */
import { isJsonObject, type Json, type JsonObject } from '../json/json.ts'
import type { ArgumentPlace } from '../skills/definition/argument-place.ts'
import { toPlainText } from './fill-template.ts'

export type Encode = (text: string) => string

/** Unreserved characters (RFC 3986, 2.3). */
const UNRESERVED = /^[A-Za-z0-9._~-]*$/

/** Percent-encodes all but unreserved characters. */
export function percentEncode(text: string): string {
  // Most names and values need no encoding; encoding them all would take most of a request's time.
  if (UNRESERVED.test(text)) return text
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/**
 * Percent-encodes a value but keeps reserved characters that cannot end the value. `;` is encoded,
 * because older servers read it as `&`.
 */
export function percentEncodeUnreserved(text: string): string {
  return percentEncode(text).replace(/%(?:3A|2F|3F|40|21|24|27|28|29|2A|2C)/g, (code) =>
    decodeURIComponent(code),
  )
}

/** Delimiters between items that are not exploded. OpenAPI requires an encoded `|`. */
const DELIMITERS: { readonly [style: string]: string } = {
  spaceDelimited: '%20',
  pipeDelimited: '%7C',
}

type Style = Pick<ArgumentPlace, 'name' | 'style' | 'explode' | 'reserved'>

/** `name` is not encoded yet, `value` is. */
export type StyledPair = {
  readonly name: string
  readonly value: string
  /** The member of an object that is part of the name; undefined for the place's own name. */
  readonly member?: string
}

export function writePair({ name, value }: StyledPair): string {
  return `${percentEncode(name)}=${value}`
}

/** Returns the pairs for a query or a form; none for null. */
export function writeStyledPairs(place: Style, value: Json): readonly StyledPair[] {
  const { name, style } = place
  const write = place.reserved ? percentEncodeUnreserved : percentEncode
  if (value === null) return []
  if (style === 'json') return [{ name, value: write(JSON.stringify(value)) }]
  if (style === 'deepObject') return writeDeepPairs({ name }, value, write)
  if (typeof value !== 'object') return [{ name, value: write(toPlainText(value)) }]
  return writeListPairs(place, value, write)
}

/** Returns a pair for each part of an array or object, or one pair with all parts. */
function writeListPairs(
  { explode, name, style }: Style,
  value: readonly Json[] | JsonObject,
  write: Encode,
): readonly StyledPair[] {
  const delimiter = DELIMITERS[style] ?? ','
  if (isJsonObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== null)
    if (explode) {
      return members.map(([key, member]) => ({
        name: key,
        value: write(toPlainText(member)),
        member: key,
      }))
    }
    if (members.length === 0) return []
    return [{ name, value: joinItems(members.flat(), write, delimiter) }]
  }
  const items = value.filter((item: Json) => item !== null)
  if (explode) return items.map((item: Json) => ({ name, value: write(toPlainText(item)) }))
  return items.length === 0 ? [] : [{ name, value: joinItems(items, write, delimiter) }]
}

/** Returns the text for a place in a path or a header; '' for an empty value. */
export function writeStyledText(place: Style, value: Json, write: Encode): string {
  const { explode, name, style } = place
  if (style === 'json') return write(JSON.stringify(value))
  const parts = listParts(value, explode, write)
  switch (style) {
    case 'label':
      return parts.length === 0 ? '' : `.${parts.join(explode ? '.' : ',')}`
    case 'matrix':
      return writeMatrix(percentEncode(name), value, { explode, parts })
    default:
      return parts.join(',')
  }
}

/** Returns items, or members as `key,value`; exploded members as `key=value`. */
function listParts(value: Json, explode: boolean, write: Encode): readonly string[] {
  if (value === null) return []
  if (isJsonObject(value)) {
    const members = Object.entries(value).filter(([, member]) => member !== null)
    return members.map(
      ([key, member]) => `${write(key)}${explode ? '=' : ','}${write(toPlainText(member))}`,
    )
  }
  const items: readonly Json[] = Array.isArray(value) ? value : [value]
  return items.filter((item) => item !== null).map((item) => write(toPlainText(item)))
}

function writeMatrix(
  name: string,
  value: Json,
  { explode, parts }: { readonly explode: boolean; readonly parts: readonly string[] },
): string {
  if (parts.length === 0) return ''
  if (!explode) return `;${name}=${parts.join(',')}`
  const isNamed = isJsonObject(value)
  return parts.map((part) => (isNamed ? `;${part}` : `;${name}=${part}`)).join('')
}

type DeepName = Pick<StyledPair, 'name' | 'member'>

/**
 * Writes `name[member][0]=value`. OpenAPI does not define nesting; PHP, Rails and qs read this
 * form.
 */
function writeDeepPairs(
  { member, name }: DeepName,
  value: Json,
  write: Encode,
): readonly StyledPair[] {
  if (value === null) return []
  if (typeof value !== 'object') {
    const pair = { name, value: write(toPlainText(value)) }
    return [member === undefined ? pair : { ...pair, member }]
  }
  const members: readonly [string, Json][] = Array.isArray(value)
    ? value.map((item: Json, index): [string, Json] => [String(index), item])
    : Object.entries(value)
  return members.flatMap(([key, inner]) =>
    writeDeepPairs({ name: `${name}[${key}]`, member: member ?? key }, inner, write),
  )
}

function joinItems(items: readonly Json[], write: Encode, delimiter: string): string {
  return items.map((item) => write(toPlainText(item))).join(delimiter)
}
