/**
 * Untrusted bytes become a JSON value, or a refusal that names the limit and the remedy. Never
 * throws. Depth is counted before JSON.parse, in one pass that knows strings, so that nesting costs
 * nothing before it is refused, and so are parts where there is a limit of them. A name that is given twice is refused where a person or a
 * client wrote the text. Error texts never repeat a value of the input (V8's own would): it may hold arguments or secrets.
 * JSON that is unsafe to pass on is refused, too: names that reach a prototype when a careless copy assigns them (here or in
 * an upstream), U+0000 (ends a string in C code; some stores refuse it), and half of a surrogate pair (cannot be written as
 * UTF-8; URL encoding throws on it).
 */
import { type FieldFault, ok, type Result, refuse } from '../errors.ts'
import { closingQuote, QUOTE } from './closing-quote.ts'
import { encodingFault } from './encoding-fault.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { hasMoreParts, type PartLimits } from './json-parts.ts'
import { jsonPointer } from './json-pointer.ts'
import { JSON_DEPTH_MAX, type JsonLimits } from './limits.ts'
import { readText } from './read-text.ts'
import { repeatedName } from './repeated-name.ts'

const ARRAY_OPENS = 0x5b
const ARRAY_CLOSES = 0x5d
const OBJECT_OPENS = 0x7b
const OBJECT_CLOSES = 0x7d

/**
 * Refuses `too_large` (bytes, depth) and `malformed`. A `malformed` with `faults` is well-formed
 * JSON that holds something forbidden at that pointer; without, it is none.
 */
export function parseJson(input: Uint8Array | string, limits: JsonLimits = {}): Result<Json> {
  const text = readText(input, limits)
  return text.ok ? parseText(text.value, limits) : text
}

/** As {@link parseJson}, for a text that `readText` has passed. */
export function parseText(text: string, limits: JsonLimits = {}): Result<Json> {
  const subject = limits.subject ?? 'body'
  const depthMax = limits.depthMax ?? JSON_DEPTH_MAX
  if (opensMoreThan(text, depthMax) && isDeeper(text, depthMax)) {
    return refuse('too_large', `${subject}: is nested deeper than ${depthMax} levels; flatten it`)
  }
  if (limits.parts !== undefined && hasMoreParts(text, limits.parts)) {
    return refuse('too_large', `${subject}: ${tooMany(limits.parts)}`)
  }
  const parsed = parseOrExplain(text, subject)
  if (!parsed.ok) return parsed
  const fault = findForbidden(text, parsed.value) ?? nameFault(text, parsed.value, limits)
  if (fault === undefined) return parsed
  const where = fault.pointer === '' ? subject : `${subject} at ${fault.pointer}`
  return refuse('malformed', `${where}: ${fault.message}`, { faults: [fault] })
}

function nameFault(text: string, value: Json, { repeatedNames }: JsonLimits) {
  const path = repeatedNames === 'last' ? undefined : repeatedName(text, value)
  return path === undefined
    ? undefined
    : forbidden(path, 'the name is given twice in one object; send it once')
}

function tooMany({ namesMax, partsMax }: PartLimits): string {
  return `has over ${partsMax} names and values, or ${namesMax} different names; ask for less`
}

/** Counts brackets in strings, too. Most texts have so few that their depth need not be computed. */
function opensMoreThan(text: string, depthMax: number): boolean {
  let count = 0
  for (const bracket of OPENING) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1
      if (count > depthMax) return true
    }
  }
  return false
}

const OPENING = ['{', '[']

/** Does not judge whether brackets match; JSON.parse will. */
function isDeeper(text: string, depthMax: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      at = closingQuote(text, at)
    } else if (unit === OBJECT_OPENS || unit === ARRAY_OPENS) {
      depth += 1
      if (depth > depthMax) return true
    } else if (unit === OBJECT_CLOSES || unit === ARRAY_CLOSES) {
      depth -= 1
    }
  }
  return false
}

function parseOrExplain(text: string, subject: string): Result<Json> {
  try {
    return ok(JSON.parse(text))
  } catch (cause) {
    return refuse('malformed', `${subject}: ${whyNotJson(text, cause)}`)
  }
}

function whyNotJson(text: string, cause: unknown): string {
  if (text.trim() === '') return 'is empty; send one JSON value'
  const encoding = encodingFault(text)
  if (encoding !== undefined) return encoding
  if (text.includes('\u0000')) return 'holds a NUL byte; leave it out'
  const position = /at position (\d+)/.exec(String(cause))?.[1]
  const where = position === undefined ? '' : ` (at character ${position})`
  return `is not JSON${where}; send one JSON value`
}

/** UTF-16 units. Senders choose names, so a pointer in an error text is cut. */
const POINTER_LENGTH_MAX = 200

const NUL = '\u0000'

type Path = (string | number)[]

/**
 * The first forbidden part of `value`, which was parsed from `text`; undefined when there is none.
 */
function findForbidden(text: string, value: Json): FieldFault | undefined {
  return mayHoldForbidden(text) ? findIn(value, []) : undefined
}

/**
 * Every forbidden part is written with one of these (a raw U+0000 is not JSON, and a raw lone
 * surrogate is possible only in a text), so most bodies need not be walked.
 */
function mayHoldForbidden(text: string): boolean {
  return (
    text.includes('\\u') ||
    text.includes('__proto__') ||
    text.includes('constructor') ||
    !text.isWellFormed()
  )
}

/** Recursion is bounded by the depth limit, which was checked before. */
function findIn(value: Json, path: Path): FieldFault | undefined {
  if (typeof value === 'string') return faultOfText(value, 'text', path)
  if (isJsonObject(value)) return findInMembers(value, path)
  if (Array.isArray(value)) return findInItems(value, path)
  return undefined
}

function findInItems(items: readonly Json[], path: Path): FieldFault | undefined {
  for (const [index, item] of items.entries()) {
    const fault = findIn(item, [...path, index])
    if (fault !== undefined) return fault
  }
  return undefined
}

function findInMembers(members: JsonObject, path: Path): FieldFault | undefined {
  for (const [name, value] of Object.entries(members)) {
    const at = [...path, name]
    const fault = faultOfName(name, value, at) ?? findIn(value, at)
    if (fault !== undefined) return fault
  }
  return undefined
}

function faultOfName(name: string, value: Json, at: Path): FieldFault | undefined {
  if (name === '__proto__') return forbidden(at, 'the name `__proto__` is refused; rename it')
  if (name === 'constructor' && isJsonObject(value) && Object.hasOwn(value, 'prototype')) {
    return forbidden(at, '`constructor` with a `prototype` in it is refused; rename it')
  }
  return faultOfText(name, 'name', at)
}

function faultOfText(text: string, kind: 'text' | 'name', at: Path): FieldFault | undefined {
  if (text.includes(NUL)) return forbidden(at, `the ${kind} holds U+0000; leave it out`)
  if (!text.isWellFormed()) {
    return forbidden(at, `the ${kind} holds half of a surrogate pair; send whole characters`)
  }
  return undefined
}

/** A fault at a path that a sender chose: its pointer is cut, and written in whole characters. */
function forbidden(at: readonly (string | number)[], message: string): FieldFault {
  const pointer = jsonPointer(at).toWellFormed().replaceAll(NUL, '\uFFFD')
  return { pointer: pointer.slice(0, POINTER_LENGTH_MAX), message }
}
