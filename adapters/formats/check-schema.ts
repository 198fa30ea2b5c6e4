/**
 * The port `Schemas`: checks a value against a JSON Schema in a bounded number of steps, for any
 * value and schema (ADR 0029, ADR 0102). It never throws and never fetches. If a check is
 * impossible, the result is a field error that says so.
 */
import { keepYoungest } from '../../core/cache/keep-youngest.ts'
import type { FieldError } from '../../core/errors.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import type { Schemas } from '../../core/ports/registry.ts'
import { ALTERNATIVE_KEYWORDS, REFERENCE_KEYWORDS } from './check-in-place.ts'
import { ARRAY_KEYWORDS } from './check-items.ts'
import { OBJECT_KEYWORDS } from './check-members.ts'
import { NUMBER_KEYWORDS, TEXT_KEYWORDS, VALUE_KEYWORDS } from './check-values.ts'
import { findNode, type Keywords, type PatternEngine, type SchemaNode } from './compiled-schema.ts'
import { findSchemaErrors, findSchemaNotices } from './schema-errors.ts'
import { newRun, OutOfSteps } from './schema-run.ts'

/** Compiled schemas that are cached by their text; the least recently used is dropped first. */
export const COMPILED_MAX = 256

const KEYWORDS: Keywords = {
  any: [...REFERENCE_KEYWORDS, ...VALUE_KEYWORDS, ...ALTERNATIVE_KEYWORDS],
  object: OBJECT_KEYWORDS,
  array: ARRAY_KEYWORDS,
  string: TEXT_KEYWORDS,
  number: NUMBER_KEYWORDS,
}

type Compiled = { readonly node: SchemaNode; readonly hasPatterns: boolean }

/**
 * `open` loads an engine that is loaded late: it is called before the first check of a schema with
 * patterns.
 */
export function makeSchemas(patterns: PatternEngine, open?: () => Promise<unknown>): Schemas {
  /** Finds schemas of records that stay in memory by identity, and others by their text. */
  const byIdentity = new WeakMap<JsonObject, Compiled>()
  const byText = new Map<string, Compiled>()
  const findCompiled = (schema: JsonObject): Compiled => {
    const known = byIdentity.get(schema) ?? findByText(byText, JSON.stringify(schema), patterns)
    byIdentity.set(schema, known)
    return known
  }
  return {
    faults: (schema, value) => catchErrors(() => check(findCompiled(schema), value)),
    schemaFaults: (schema) => catchErrors(() => findSchemaErrors(schema)),
    notices: findSchemaNotices,
    open: async (schema) => {
      if (open !== undefined && findCompiled(schema).hasPatterns) await open()
    },
  }
}

function findByText(
  byText: Map<string, Compiled>,
  text: string,
  patterns: PatternEngine,
): Compiled {
  const known = byText.get(text) ?? compile(text, patterns)
  keepYoungest(byText, text, known, COMPILED_MAX)
  return known
}

/** Compiles the text, so that later changes of the caller's object have no effect. */
function compile(text: string, patterns: PatternEngine): Compiled {
  const root: Json = JSON.parse(text)
  const document = {
    root: isJsonObject(root) ? root : {},
    patterns,
    keywords: KEYWORDS,
    nodes: new WeakMap(),
  }
  return { node: findNode(document.root, document), hasPatterns: text.includes('"pattern') }
}

function check({ node }: Compiled, value: Json): readonly FieldError[] {
  const run = newRun()
  try {
    node.fits(run, value, undefined, undefined)
    return dropDuplicates(run.faults)
  } catch (cause) {
    if (cause instanceof OutOfSteps) return [cause.fault]
    throw cause
  }
}

function dropDuplicates(faults: readonly FieldError[]): readonly FieldError[] {
  return [...new Map(faults.map((fault) => [`${fault.pointer}\n${fault.message}`, fault])).values()]
}

/**
 * Catches errors of a stored schema that is older than the rules of `schemaFaults`: a value in
 * place of a schema may be no schema, and references may be circular.
 */
function catchErrors(check: () => readonly FieldError[]): readonly FieldError[] {
  try {
    return check()
  } catch (cause) {
    const why = cause instanceof Error ? cause.name : 'unknown'
    return [{ pointer: '', message: `cannot be checked against the schema of this skill (${why})` }]
  }
}
