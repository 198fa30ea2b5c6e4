/**
 * Whether a regular expression of a schema may be run on arguments. A time limit stops an expression that
 * backtracks without end (time-limit.ts, ADR 0028). So this file refuses only the others: a text that is no
 * expression, and an expression that runs long without backtracking.
 */
import type { Json } from '../../core/json/json.ts'
import { type PatternReach, reachOf } from './pattern-reach.ts'

/** UTF-16 units. */
export const PATTERN_CHARS_MAX = 512
/** Characters that repeated lookarounds read at one place of a text: 1 MiB is then read in some 25 ms. */
export const REPEATED_LOOKS_MAX = 32
/** Parts of a pattern, each count written out as often as it has to match. */
export const PATTERN_PARTS_MAX = 2_000
/** UTF-16 units of a text for a pattern whose groups nest: it may take 0.2 µs for each, without a pause. */
export const NESTED_TEXT_UNITS_MAX = 32_768

/** Undefined when the pattern can be used. */
export function patternFault(value: Json): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  if (value.length > PATTERN_CHARS_MAX) {
    return `has ${value.length} characters; shorten it to ${PATTERN_CHARS_MAX}`
  }
  if (!isExpression(value)) return 'is not a regular expression (ECMA-262 with the u flag)'
  return reachFault(reachOf(value))
}

function reachFault({ repeatedLooks, setsFlags, written }: PatternReach): string | undefined {
  if (setsFlags) return 'sets flags inside ("(?i:"), which is not supported; write both cases out'
  if (repeatedLooks > REPEATED_LOOKS_MAX) {
    return (
      `repeats a lookahead or lookbehind over more than ${REPEATED_LOOKS_MAX} characters, which cannot ` +
      'be stopped in time; take it out of the repetition, or let it look at less'
    )
  }
  if (written > PATTERN_PARTS_MAX) {
    return (
      `is over ${PATTERN_PARTS_MAX} parts when its counts are written out; ` +
      'use maxLength and minLength for lengths'
    )
  }
  return undefined
}

/** A pattern as it is run, and the longest text that it is run on, in UTF-16 units. */
export type UsablePattern = { readonly expression: RegExp; readonly unitsMax: number }

/** Of a pattern without {@link patternFault}. */
export function usablePattern(pattern: string): UsablePattern {
  const isNested = reachOf(pattern).depth > 1
  return {
    expression: new RegExp(asRun(pattern), 'u'),
    unitsMax: isNested ? NESTED_TEXT_UNITS_MAX : Number.POSITIVE_INFINITY,
  }
}

/**
 * V8 takes two seconds to compile a search for eight `\P{L}` in a row, which skips characters where no match
 * can begin. It compiles no such search for a pattern that begins with `^`. The result matches the same texts.
 */
function asRun(pattern: string): string {
  const isAnchored = pattern.startsWith('^') && !pattern.includes('|')
  return isAnchored || !/\\p/i.test(pattern) ? pattern : `^[^]*?(?:${pattern})`
}

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== ''
  } catch (cause) {
    if (cause instanceof SyntaxError) return false
    throw cause
  }
}
