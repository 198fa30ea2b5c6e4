/**
 * The port `Schemas`: a value against a JSON Schema in a bounded number of steps, whatever both are (ADR 0029, ADR 0102).
 * Never throws and never fetches; what cannot be checked comes back as a fault.
 */

import { keepYoungest } from '../../core/cache/keep-youngest.ts'
import type { FieldFault } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import type { Schemas } from '../../core/ports/registry.ts'
import { ALTERNATIVES, REFERENCES } from './check-in-place.ts'
import { ITEMS } from './check-items.ts'
import { MEMBERS } from './check-members.ts'
import { TEXT } from './check-text.ts'
import { NUMBERS, VALUES } from './check-values.ts'
import { type Keywords, type Node, nodeOf, type PatternEngine } from './compiled-schema.ts'
import { findSchemaFaults, findSchemaNotices } from './schema-faults.ts'
import { newRun, Unchecked } from './schema-run.ts'

/** Compiled schemas kept by their text, the least recently used dropped first. */
export const COMPILED_MAX = 256

const KEYWORDS: Keywords = {
  any: [...REFERENCES, ...VALUES, ...ALTERNATIVES],
  object: MEMBERS,
  array: ITEMS,
  string: TEXT,
  number: NUMBERS,
}

type Compiled = { readonly node: Node; readonly hasPatterns: boolean }

/** `open` loads the engine, where it is loaded late. It is asked once per schema that has patterns, before `patterns`. */
export function checkSchemas(patterns: PatternEngine, open?: () => Promise<unknown>): Schemas {
  /** Records that stay in memory are found by identity, those that are read anew by their text. */
  const byIdentity = new WeakMap<JsonObject, Compiled>()
  const byText = new Map<string, Compiled>()
  const compiled = (schema: JsonObject): Compiled => {
    const known = byIdentity.get(schema) ?? recall(byText, JSON.stringify(schema), patterns)
    byIdentity.set(schema, known)
    return known
  }
  return {
    faults: (schema, value) => guarded(() => check(compiled(schema), value)),
    schemaFaults: (schema) => guarded(() => findSchemaFaults(schema)),
    notices: findSchemaNotices,
    open: async (schema) => {
      if (open !== undefined && compiled(schema).hasPatterns) await open()
    },
  }
}

function recall(byText: Map<string, Compiled>, text: string, patterns: PatternEngine): Compiled {
  const known = byText.get(text) ?? compile(text, patterns)
  keepYoungest(byText, text, known, COMPILED_MAX)
  return known
}

/** Compiled from the text, so that later changes of the caller's object do not reach the compiled schema. */
function compile(text: string, patterns: PatternEngine): Compiled {
  const root: Json = JSON.parse(text)
  const document = {
    root: isJsonObject(root) ? root : {},
    patterns,
    keywords: KEYWORDS,
    nodes: new WeakMap(),
  }
  return { node: nodeOf(document.root, document), hasPatterns: text.includes('"pattern') }
}

function check({ node }: Compiled, value: Json): readonly FieldFault[] {
  const run = newRun()
  try {
    node.fits(run, value, undefined, undefined)
    return unique(run.faults)
  } catch (cause) {
    if (cause instanceof Unchecked) return [cause.fault]
    throw cause
  }
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
