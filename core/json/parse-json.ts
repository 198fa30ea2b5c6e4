/**
 * Parses untrusted bytes as JSON, or returns a refusal that names the limit and the remedy. Never
 * throws. Depth and parts are checked before JSON.parse, so that it never builds a huge value. A
 * repeated name is refused if a person or a client wrote the text. Error texts never repeat a value
 * of the input, as V8's texts do: the value may be an argument or a secret. JSON that is unsafe to
 * pass on is refused, too: names that reach a prototype when a careless copy assigns them (here or
 * in an upstream), U+0000 (ends a string in C; some stores refuse it), and half of a surrogate pair
 * (cannot be written as UTF-8; URL encoding throws on it).
 */
import { type FieldError, ok, type Result, refuse } from '../errors.ts'
import { findClosingQuote, QUOTE } from './closing-quote.ts'
import { explainEncoding } from './encoding-fault.ts'
import { isJsonObject, type Json, type JsonObject } from './json.ts'
import { findJsonFault } from './json-fault.ts'
import { hasMoreParts, type PartLimits } from './json-parts.ts'
import { toJsonPointer } from './json-pointer.ts'
import { JSON_DEPTH_MAX, type JsonLimits } from './limits.ts'
import { readText } from './read-text.ts'
import { findRepeatedName } from './repeated-name.ts'

const ARRAY_OPENS = 0x5b
const ARRAY_CLOSES = 0x5d
const OBJECT_OPENS = 0x7b
const OBJECT_CLOSES = 0x7d

/**
 * Refuses with `too_large` (bytes, depth, parts) or `malformed`. A `malformed` with `faults` is
 * valid JSON with something forbidden at that pointer; a `malformed` without `faults` is not JSON.
 */
export function parseJson(input: Uint8Array | string, limits: JsonLimits = {}): Result<Json> {
  const text = readText(input, limits)
  return text.ok ? parseText(text.value, limits) : text
}

/** {@link parseJson} for a text that `readText` has returned. */
export function parseText(text: string, limits: JsonLimits = {}): Result<Json> {
  const subject = limits.subject ?? 'body'
  const depthMax = limits.depthMax ?? JSON_DEPTH_MAX
  if (opensMoreThan(text, depthMax) && isDeeper(text, depthMax)) {
    return refuse('too_large', `${subject}: is nested deeper than ${depthMax} levels; flatten it`)
  }
  if (limits.parts !== undefined && hasMoreParts(text, limits.parts)) {
    return refuse('too_large', `${subject}: ${tooManyParts(limits.parts)}`)
  }
  const parsed = parseOrExplain(text, subject)
  if (!parsed.ok) return parsed
  const fault = findForbidden(text, parsed.value) ?? findRepeated(text, parsed.value, limits)
  if (fault === undefined) return parsed
  const where = fault.pointer === '' ? subject : `${subject} at ${fault.pointer}`
  return refuse('malformed', `${where}: ${fault.message}`, { faults: [fault] })
}

function findRepeated(text: string, value: Json, { repeatedNames }: JsonLimits) {
  const path = repeatedNames === 'last' ? undefined : findRepeatedName(text, value)
  return path === undefined
    ? undefined
    : toFieldError(path, 'the name is given twice in one object; send it once')
}

function tooManyParts({ namesMax, partsMax }: PartLimits): string {
  return `has over ${partsMax} names and values, or ${namesMax} different names; ask for less`
}

/**
 * Also counts brackets in strings. Most texts have so few that their depth need not be computed.
 */
function opensMoreThan(text: string, depthMax: number): boolean {
  let count = 0
  for (const bracket of OPENING_BRACKETS) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1
      if (count > depthMax) return true
    }
  }
  return false
}

const OPENING_BRACKETS = ['{', '[']

/** Does not check whether brackets match; JSON.parse does. */
function isDeeper(text: string, depthMax: number): boolean {
  let depth = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === QUOTE) {
      at = findClosingQuote(text, at)
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
  } catch {
    // V8's reason repeats the text.
    return refuse('malformed', `${subject}: ${whyNotJson(text)}`)
  }
}

function whyNotJson(text: string): string {
  if (text.trim() === '') return 'is empty; send one JSON value'
  const encoding = explainEncoding(text)
  if (encoding !== undefined) return encoding
  if (text.includes('\u0000')) return 'holds a NUL byte; leave it out'
  const fault = findJsonFault(text)
  const where = fault === undefined ? '' : ` at line ${fault.line}, column ${fault.column}`
  return `is not JSON${where}: ${fault?.message ?? 'send one JSON value'}`
}

/** UTF-16 units of a pointer in an error text, because a sender may choose very long names. */
const POINTER_LENGTH_MAX = 200

const NUL = '\u0000'

type Path = (string | number)[]

/** Returns an error for the first forbidden part of `value`, which was parsed from `text`. */
function findForbidden(text: string, value: Json): FieldError | undefined {
  return mayHoldForbidden(text) ? findIn(value, []) : undefined
}

/**
 * Every forbidden part has one of these in its text, so most bodies need no walk. A raw U+0000 is
 * not JSON, and a raw half of a surrogate pair makes the text itself not well-formed.
 */
function mayHoldForbidden(text: string): boolean {
  return (
    text.includes('\\u') ||
    text.includes('__proto__') ||
    text.includes('constructor') ||
    !text.isWellFormed()
  )
}

/** The depth limit, which was checked before, bounds the recursion. */
function findIn(value: Json, path: Path): FieldError | undefined {
  if (typeof value === 'string') return checkText(value, 'text', path)
  if (isJsonObject(value)) return findInMembers(value, path)
  if (Array.isArray(value)) return findInItems(value, path)
  return undefined
}

function findInItems(items: readonly Json[], path: Path): FieldError | undefined {
  for (const [index, item] of items.entries()) {
    const fault = findIn(item, [...path, index])
    if (fault !== undefined) return fault
  }
  return undefined
}

function findInMembers(members: JsonObject, path: Path): FieldError | undefined {
  for (const [name, value] of Object.entries(members)) {
    const at = [...path, name]
    const fault = checkName(name, value, at) ?? findIn(value, at)
    if (fault !== undefined) return fault
  }
  return undefined
}

function checkName(name: string, value: Json, at: Path): FieldError | undefined {
  if (name === '__proto__') return toFieldError(at, 'the name `__proto__` is refused; rename it')
  if (name === 'constructor' && isJsonObject(value) && Object.hasOwn(value, 'prototype')) {
    return toFieldError(at, '`constructor` with a `prototype` in it is refused; rename it')
  }
  return checkText(name, 'name', at)
}

function checkText(text: string, kind: 'text' | 'name', at: Path): FieldError | undefined {
  if (text.includes(NUL)) return toFieldError(at, `the ${kind} holds U+0000; leave it out`)
  if (!text.isWellFormed()) {
    return toFieldError(at, `the ${kind} holds half of a surrogate pair; send whole characters`)
  }
  return undefined
}

/** Makes a field error at a path with the sender's names: cut, and in whole characters. */
function toFieldError(at: readonly (string | number)[], message: string): FieldError {
  const pointer = toJsonPointer(at).toWellFormed().replaceAll(NUL, '\uFFFD')
  return { pointer: pointer.slice(0, POINTER_LENGTH_MAX), message }
}
