/** Checks texts against a pattern of a schema, within a known number of steps (ADR 0102). */
import type { Json } from '../../core/json/json.ts'
import { type Document, UnusableSchema } from './compiled-schema.ts'
import { patternFault } from './pattern-error.ts'
import { type Search, translatePattern } from './re2-pattern.ts'
import { PATTERN_STEPS_MAX, type Place, type Run, spend, Unchecked } from './schema-run.ts'

/** True if the text fits. `at` is its place in the value. */
export type TextPattern = (run: Run, text: string, at: Place | undefined) => boolean

/** Throws {@link UnusableSchema} if `pattern` is no pattern. */
export function textPattern(pattern: Json, document: Document): TextPattern {
  if (typeof pattern !== 'string' || patternFault(pattern) !== undefined) throw new UnusableSchema()
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

function makeTextPattern(searches: readonly Search[], { patterns }: Document): TextPattern {
  return (run, text, at) => {
    const spendHere = (steps: number) => spendOnPatterns(run, steps, at)
    return searches.every(({ isWanted, source }) => {
      spend(run, STEPS_PER_PATTERN + text.length / PATTERN_CHARS_PER_STEP)
      // Only the engine caches compiled searches, since it limits their memory.
      return patterns(source)(text, spendHere) === isWanted
    })
  }
}

function spendOnPatterns(run: Run, steps: number, at: Place | undefined): void {
  run.patternStepsLeft -= steps
  if (run.patternStepsLeft < 0) throw new Unchecked(at, TOO_LONG)
}

const TOO_LONG = `takes over ${PATTERN_STEPS_MAX} steps to check against the patterns of its schema; send a shorter text`
