/**
 * Reads `config.headers` and `config.query`: templates of pairs that every call sends. Refuses
 * headers of the connection, and headers that make statements about the gateway's host.
 */
import { isJsonObject, type Json } from '../../json/json.ts'
import { toJsonPointer } from '../../json/json-pointer.ts'
import { HEADERS_MAX, PAIR_NAME_CHARS_MAX, PAIR_VALUE_CHARS_MAX, QUERY_MAX } from '../limits.ts'
import { addFieldError, checkText, type Notes } from './field-notes.ts'
import { type ParsedTemplate, parseTemplate, type Template } from './template.ts'

export type Pairs = { readonly [name: string]: Template }

const POINTER = '/config/headers'
const TWICE = 'is given twice (case does not count); keep one'
/** Hop-by-hop headers (RFC 9110 section 7.6.1), framing, and statements about the host. */
const FORBIDDEN = new Set(
  (
    'connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer ' +
    'transfer-encoding upgrade expect host cookie content-length'
  ).split(' '),
)
const TOKEN = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i
/** Visible ASCII with spaces and tabs inside. CR and LF would start a second header. */
const HEADER_VALUE = /^[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?$/

/**
 * Returns the headers by lower-case name. Only a skill whose requests are signed for AWS may set
 * headers of AWS, such as `x-amz-target`.
 */
export function readHeaders(notes: Notes, value: Json | undefined, isSigned: boolean): Pairs {
  const pairs = readPairs(notes, isSigned ? SIGNED_HEADERS : HEADERS, value)
  const lowered = new Map<string, Template>()
  for (const [name, template] of Object.entries(pairs)) {
    const key = name.toLowerCase()
    const wrong = lowered.has(key) ? TWICE : checkTemplate(key, template)
    if (wrong !== undefined) addFieldError(notes, `${POINTER}${toJsonPointer([name])}`, wrong)
    lowered.set(key, template)
  }
  return Object.fromEntries(lowered)
}

/** The content type decides how the body is encoded, so no caller and no secret may set it. */
function checkTemplate(name: string, template: Template): string | undefined {
  const isFixed = template.every(({ kind }) => kind === 'text')
  return name === 'content-type' && !isFixed
    ? 'must be fixed; write it without placeholders'
    : undefined
}

export function readQuery(notes: Notes, value: Json | undefined): Pairs {
  return readPairs(notes, QUERY, value)
}

type PairsField = {
  readonly pointer: string
  readonly countMax: number
  /** Explains what is wrong with a pair; undefined for a valid pair. */
  check(name: string, text: string): string | undefined
}

const HEADERS: PairsField = {
  pointer: POINTER,
  countMax: HEADERS_MAX,
  check: (name, text) => checkHeaderName(name) ?? checkHeaderValue(text),
}
const SIGNED_HEADERS: PairsField = {
  ...HEADERS,
  check: (name, text) => checkAnyHeaderName(name) ?? checkHeaderValue(text),
}
const QUERY: PairsField = {
  pointer: '/config/query',
  countMax: QUERY_MAX,
  check: () => undefined,
}

function readPairs(
  notes: Notes,
  { check, countMax, pointer }: PairsField,
  value: Json | undefined,
): Pairs {
  if (value === undefined || value === null) return {}
  const entries = isJsonObject(value) ? Object.entries(value) : undefined
  if (entries === undefined || entries.length > countMax) {
    addFieldError(notes, pointer, `must be an object of at most ${countMax} strings by name`)
    return {}
  }
  const usable: [string, Template][] = []
  for (const [name, text] of entries) {
    const parsed = readPair(name, text, check)
    if ('template' in parsed) usable.push([name, parsed.template])
    else addFieldError(notes, `${pointer}${toJsonPointer([name])}`, parsed.wrong)
  }
  return Object.fromEntries(usable)
}

function readPair(name: string, text: Json, check: PairsField['check']): ParsedTemplate {
  const wrong = checkPair(name, text) ?? check(name, String(text))
  return wrong === undefined ? parseTemplate(String(text)) : { wrong }
}

function checkPair(name: string, text: Json): string | undefined {
  if (typeof text !== 'string') return 'is not a string; write numbers in quotes'
  if (checkText(name, { charsMax: PAIR_NAME_CHARS_MAX }) !== undefined) {
    return `needs a name of 1 to ${PAIR_NAME_CHARS_MAX} printable characters`
  }
  if (name.includes('{{')) return 'has a placeholder in a name; put it into the value'
  return text === '' ? undefined : checkText(text, { charsMax: PAIR_VALUE_CHARS_MAX })
}

function checkHeaderValue(text: string): string | undefined {
  return HEADER_VALUE.test(text) ? undefined : 'has a value that is not visible ASCII; encode it'
}

export function checkHeaderName(name: string): string | undefined {
  const wrong = checkAnyHeaderName(name)
  return wrong === undefined && name.toLowerCase().startsWith('x-amz-')
    ? 'is a header of AWS, which only a skill with auth of type sigv4 may set; remove it'
    : wrong
}

function checkAnyHeaderName(name: string): string | undefined {
  const lower = name.toLowerCase()
  if (!TOKEN.test(lower)) return 'is not a header name; use letters, digits and -'
  return FORBIDDEN.has(lower) ? 'is a header that a skill may not set; remove it' : undefined
}
