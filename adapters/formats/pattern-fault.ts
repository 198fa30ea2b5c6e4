/**
 * Whether a regular expression of a schema may be run on arguments. A backtracking engine has no time
 * limit, so a pattern needs a bound before it is run (pattern-cost.ts): one for each character of any
 * text, or, where the time grows faster than the text, one for texts that are short enough. ADR 0021.
 */
import type { Json } from '../../core/json/json.ts'
import { costOfPattern, TOO_MANY } from './pattern-cost.ts'
import { parsePattern, repeatsIn } from './pattern-syntax.ts'

/** UTF-16 units. */
export const PATTERN_CHARS_MAX = 512
/** A body of 1 MiB is then done in some tenths of a second. */
export const STEPS_PER_CHAR_MAX = 64
/** Besides: a body may be a hundred thousand empty texts. */
export const STEPS_AT_ONCE_MAX = 256
/** For one text where the time grows faster than the text: some 10 ms. */
export const SLOW_STEPS_MAX = 1_000_000
/** A pattern that cannot keep that bound even on so short a text is refused. */
export const SHORT_TEXT_CHARS = 64

export type PatternUse =
  | { readonly kind: 'any-text' }
  /** On texts of up to `charsMax`; one of n characters takes `steps[n]` at most. */
  | { readonly kind: 'short-text'; readonly charsMax: number; readonly steps: readonly number[] }
  | { readonly kind: 'refused'; readonly message: string }

/** Judged patterns, the least recently used dropped first: the same few come with many skills. */
const judged = new Map<string, PatternUse>()
export const JUDGED_MAX = 500

/** Undefined when the pattern can be used. */
export function patternFault(value: Json): string | undefined {
  if (typeof value !== 'string') return 'must be a string'
  const use = patternUse(value)
  if (use.kind !== 'refused') return undefined
  const repeat = isAmbiguous(use) ? ambiguousRepeat(value) : undefined
  return repeat === undefined
    ? use.message
    : `can take forever: ${repeat} can match one text in many ways; let no alternatives and no nested or ` +
        'neighbouring repetitions in it match the same characters'
}

/** Repetitions that are tried one by one, each at the cost of a pattern; and what is shown of one. */
const REPEATS_TRIED_MAX = 8
const REPEAT_CHARS_MAX = 80

/** The innermost that cannot be run even by itself; undefined when it takes several to make it slow. */
function ambiguousRepeat(pattern: string): string | undefined {
  const root = parsePattern(pattern)
  if (!root.ok) return undefined
  for (const { source } of [...repeatsIn(root.value)].slice(0, REPEATS_TRIED_MAX)) {
    if (!isAmbiguous(judge(`^(?:${source})$`))) continue
    return source.length > REPEAT_CHARS_MAX ? `${source.slice(0, REPEAT_CHARS_MAX)}…` : source
  }
  return undefined
}

function isAmbiguous(use: PatternUse): boolean {
  return use.kind === 'refused' && (use.message === FOREVER || use.message === TOO_MANY)
}

const FOREVER =
  'can take forever: one text can match it in too many ways; begin it with ^, and let no two ' +
  'nested or neighbouring repetitions match the same characters'

export function patternUse(pattern: string): PatternUse {
  const use = judged.get(pattern) ?? judge(pattern)
  judged.delete(pattern)
  judged.set(pattern, use)
  const [oldest] = judged.keys()
  if (judged.size > JUDGED_MAX && oldest !== undefined) judged.delete(oldest)
  return use
}

function judge(pattern: string): PatternUse {
  if (pattern.length > PATTERN_CHARS_MAX) {
    return refused(`has ${pattern.length} characters; shorten it to ${PATTERN_CHARS_MAX}`)
  }
  if (!isExpression(pattern))
    return refused('is not a regular expression (ECMA-262 with the u flag)')
  const cost = costOfPattern(pattern)
  if (!cost.ok) return refused(cost.error)
  const { atOnce, perChar, upTo } = cost.value
  const isSteady = perChar !== undefined && perChar <= STEPS_PER_CHAR_MAX
  if (isSteady && atOnce <= STEPS_AT_ONCE_MAX) return { kind: 'any-text' }
  const charsMax = upTo.findLastIndex((steps) => steps <= SLOW_STEPS_MAX)
  if (charsMax >= SHORT_TEXT_CHARS) return { kind: 'short-text', charsMax, steps: upTo }
  return refused(FOREVER)
}

function refused(message: string): PatternUse {
  return { kind: 'refused', message }
}

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u').source !== ''
  } catch (cause) {
    if (cause instanceof SyntaxError) return false
    throw cause
  }
}
