/**
 * The port `Schemas`: a value against a JSON Schema in bounded time, whatever both are (ADR 0029). Counts
 * steps, and sets a time limit where the schema has patterns. Never throws and never fetches; what cannot
 * be checked comes back as a fault.
 */

import { keepYoungest } from '../../core/cache/keep-youngest.ts'
import type { FieldFault } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import type { Schemas } from '../../core/ports.ts'
import { ALTERNATIVES, REFERENCES } from './check-in-place.ts'
import { ITEMS } from './check-items.ts'
import { MEMBERS } from './check-members.ts'
import { TEXT } from './check-text.ts'
import { NUMBERS, VALUES } from './check-values.ts'
import { type Keywords, type Node, nodeOf } from './compiled-schema.ts'
import { findSchemaFaults, patternFaults } from './schema-faults.ts'
import { newRun, patternsMs, pointerTo, type Run, Unchecked } from './schema-run.ts'
import { withinTime } from './time-limit.ts'

/** Compiled schemas kept by their text, the least recently used dropped first. */
export const COMPILED_MAX = 256
/** For all patterns of one check: most take a tenth of a millisecond. */
export const PATTERNS_MS_MAX = 25

const KEYWORDS: Keywords = {
  any: [...REFERENCES, ...VALUES, ...ALTERNATIVES],
  object: MEMBERS,
  array: ITEMS,
  string: TEXT,
  number: NUMBERS,
}

type Compiled = {
  readonly schema: JsonObject
  readonly node: Node
  readonly hasPatterns: boolean
  /** Judged before the schema is first used, for it may be older than the rules; null: none. */
  unsafe?: FieldFault | null
}

/** Milliseconds for the patterns of all checks together. Once they are spent, checks with patterns are refused. */
export type PatternTime = { leftMs: number }

/** `patterns`: for one who checks thousands of schemas; without it, each check has its own time alone. */
export function schemas(patterns: PatternTime = { leftMs: Number.POSITIVE_INFINITY }): Schemas {
  /** Records that stay in memory are found by identity, those that are read anew by their text. */
  const byIdentity = new WeakMap<JsonObject, Compiled>()
  const byText = new Map<string, Compiled>()
  const compiled = (schema: JsonObject): Compiled => {
    const known = byIdentity.get(schema) ?? recall(byText, JSON.stringify(schema))
    byIdentity.set(schema, known)
    return known
  }
  return {
    faults: (schema, value) => guarded(() => valueFaults(compiled(schema), value, patterns)),
    schemaFaults: (schema) => guarded(() => findSchemaFaults(schema)),
    unusable: (schema) => guarded(() => unsafeIn(compiled(schema)))[0],
  }
}

function recall(byText: Map<string, Compiled>, text: string): Compiled {
  const known = byText.get(text) ?? compile(text)
  keepYoungest(byText, text, known, COMPILED_MAX)
  return known
}

/** Compiled from the text, so that later changes of the caller's object do not reach the compiled schema. */
function compile(text: string): Compiled {
  const root: Json = JSON.parse(text)
  const document = {
    root: isJsonObject(root) ? root : {},
    keywords: KEYWORDS,
    nodes: new WeakMap(),
  }
  return {
    schema: document.root,
    node: nodeOf(document.root, document),
    hasPatterns: text.includes('"pattern'),
  }
}

function valueFaults(
  compiled: Compiled,
  value: Json,
  patterns: PatternTime,
): readonly FieldFault[] {
  const [unsafe] = unsafeIn(compiled)
  if (unsafe !== undefined) {
    const message = `cannot be checked: the schema of this skill at ${unsafe.pointer} ${unsafe.message}`
    return [{ pointer: '', message }]
  }
  const run = newRun()
  if (!compiled.hasPatterns) return check(compiled, run, value)
  if (patterns.leftMs <= 0) return [tooSlow(run)]
  const timed = withinTime(
    PATTERNS_MS_MAX,
    () => {
      Object.assign(run, newRun())
      return check(compiled, run, value)
    },
    () => patternsMs(run),
  )
  patterns.leftMs -= patternsMs(run)
  return timed.kind === 'done' ? timed.value : [tooSlow(run)]
}

function check({ node }: Compiled, run: Run, value: Json): readonly FieldFault[] {
  try {
    node.fits(run, value, undefined, undefined)
    return unique(run.faults)
  } catch (cause) {
    if (cause instanceof Unchecked) return [cause.fault]
    throw cause
  }
}

function tooSlow({ pattern }: Run): FieldFault {
  return {
    pointer: pointerTo(pattern),
    message:
      'takes too long to check against the patterns of its schema; send a shorter or simpler text',
  }
}

function unsafeIn(compiled: Compiled): readonly FieldFault[] {
  if (!compiled.hasPatterns) return []
  if (compiled.unsafe === undefined) compiled.unsafe = patternFaults(compiled.schema)[0] ?? null
  return compiled.unsafe === null ? [] : [compiled.unsafe]
}

function unique(faults: readonly FieldFault[]): readonly FieldFault[] {
  return [...new Map(faults.map((fault) => [`${fault.pointer}\n${fault.message}`, fault])).values()]
}

/**
 * A stored schema may be older than the rules of `schemaFaults`: the value in a schema's place may be none, and
 * references may lead in circles.
 */
function guarded(check: () => readonly FieldFault[]): readonly FieldFault[] {
  try {
    return check()
  } catch (cause) {
    const why = cause instanceof Error ? cause.name : 'unknown'
    return [{ pointer: '', message: `cannot be checked against the schema of this skill (${why})` }]
  }
}
