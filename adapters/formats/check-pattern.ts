/** Checks texts against a pattern of a schema, within a known number of steps (ADR 0102). */
import type { Json } from '../../core/json/json.ts'
import { type SchemaDocument, UnusableSchema } from './compiled-schema.ts'
import { findPatternError } from './pattern-error.ts'
import { type Search, translatePattern } from './re2-pattern.ts'
import {
  OutOfSteps,
  PATTERN_STEPS_MAX,
  type SchemaRun,
  spend,
  type ValuePlace,
} from './schema-run.ts'

/** True if the text fits. `at` is its place in the value. */
export type TextPattern = (run: SchemaRun, text: string, at: ValuePlace | undefined) => boolean

/** Throws {@link UnusableSchema} if `pattern` is no pattern. */
export function compileTextPattern(pattern: Json, document: SchemaDocument): TextPattern {
  if (typeof pattern !== 'string' || findPatternError(pattern) !== undefined)
    throw new UnusableSchema()
  const translation = translatePattern(pattern)
  return translation.kind === 'searches'
    ? makeTextPattern(translation.searches, document)
    : UNCHECKED_PATTERN
}

/** Every text fits a pattern that cannot be checked. */
const UNCHECKED_PATTERN: TextPattern = (run) => {
  run.unknowns += 1
  return true
}

/** Steps for running a pattern on a short text. */
const STEPS_PER_PATTERN = 9
/** Characters that a search reads in one step if it has cached its states. */
const PATTERN_CHARS_PER_STEP = 4

function makeTextPattern(searches: readonly Search[], { patterns }: SchemaDocument): TextPattern {
  return (run, text, at) => {
    const spendHere = (steps: number) => spendOnPatterns(run, steps, at)
    return searches.every(({ isWanted, source }) => {
      spend(run, STEPS_PER_PATTERN + text.length / PATTERN_CHARS_PER_STEP)
      // Only the engine caches compiled searches, since it limits their memory.
      return patterns(source)(text, spendHere) === isWanted
    })
  }
}

function spendOnPatterns(run: SchemaRun, steps: number, at: ValuePlace | undefined): void {
  run.patternStepsLeft -= steps
  if (run.patternStepsLeft < 0) throw new OutOfSteps(at, TOO_LONG)
}

const TOO_LONG = `takes over ${PATTERN_STEPS_MAX} steps to check against the patterns of its schema; send a shorter text`
