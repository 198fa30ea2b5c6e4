/**
 * Untrusted bytes become a JSON value, or a refusal that names the limit and the remedy. Never
 * throws. Depth is counted before JSON.parse, in one pass that knows strings, so that nesting costs
 * nothing before it is refused, and so are parts where there is a limit of them. A name that is given twice is refused where a person or a
 * client wrote the text. Error texts never repeat a value of the input (V8's own would): it may hold arguments or secrets.
 */
import { ok, type Result, refuse } from '../errors.ts'
import { closingQuote, QUOTE } from './closing-quote.ts'
import { encodingFault } from './encoding-fault.ts'
import { findForbidden, forbidden } from './find-forbidden.ts'
import type { Json } from './json.ts'
import { hasMoreParts, type PartLimits } from './json-parts.ts'
import { JSON_DEPTH_MAX, type JsonLimits } from './limits.ts'
import { readText } from './read-text.ts'
import { repeatedName } from './repeated-name.ts'

const ARRAY_OPENS = 0x5b
const ARRAY_CLOSES = 0x5d
const OBJECT_OPENS = 0x7b
const OBJECT_CLOSES = 0x7d

/**
 * Refuses `too_large` (bytes, depth) and `malformed`. A `malformed` with `faults` is well-formed
 * JSON that holds something forbidden at that pointer (see find-forbidden.ts); without, it is none.
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
