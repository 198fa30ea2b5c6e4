/**
 * What running a pattern on a text costs at most, in steps of a backtracking engine (V8's has no limit of
 * its own). An attempt that succeeds is one walk; attempts that fail are made at each place of the text.
 * The bound is never too low; a pattern without one is not run (ADR 0021).
 */
import { err, ok, type Result } from '../../core/errors.ts'
import { PROPERTIES_MAX, propertiesIn } from './pattern-letters.ts'
import { type PatternPaths, pathsOf } from './pattern-paths.ts'
import { POSITIONS_MAX } from './pattern-positions.ts'
import { countSteps, type LookSteps, SLOW_TEXT_CHARS_MAX, type Steps } from './pattern-steps.ts'
import { type PatternNode, parsePattern } from './pattern-syntax.ts'

export type PatternCost = {
  /** Steps for a text of no characters. */
  readonly atOnce: number
  /** Steps for each character of a text of any length; undefined: they grow faster than the text. */
  readonly perChar: number | undefined
  /** Steps for texts of 0, 1, … SLOW_TEXT_CHARS_MAX characters. */
  readonly upTo: readonly number[]
}

export const TOO_MANY = 'is too long or too ambiguous to be judged; simplify it'

/** What is said of longer counts; POSITIONS_MAX leaves room for what stands beside one. */
const COUNT_MAX = 2_000
const TOO_LONG =
  `repeats so often that it is over ${COUNT_MAX} characters when written out; ` +
  `use maxLength and minLength for lengths over ${COUNT_MAX}`

/** Of what `new RegExp(pattern, 'u')` takes; else why nobody can say. */
export function costOfPattern(pattern: string): Result<PatternCost, string> {
  const root = parsePattern(pattern)
  if (!root.ok) return root
  if (charsWritten(root.value) > POSITIONS_MAX) return err(TOO_LONG)
  const once = attemptCost(root.value)
  if (!once.ok) return once
  const again = searchCost(root.value)
  if (!again.ok) return again
  const [one, two] = [once.value, again.value]
  const linear = one.perChar !== undefined && two.perChar !== undefined
  return ok({
    atOnce: one.atOnce + two.atOnce,
    perChar: linear ? Number(one.perChar) + Number(two.perChar) : undefined,
    upTo: one.upTo.map((steps, chars) => steps + (two.upTo[chars] ?? 0)),
  })
}

function attemptCost(root: PatternNode): Result<PatternCost, string> {
  const paths = pathsOf(root, { again: false })
  const looks = paths === undefined ? undefined : looksOf(paths)
  const steps = paths && looks && count(paths, 'once', looks)
  if (steps === undefined || looks === undefined) return err(TOO_MANY)
  const perChar = [steps.perChar, ...Array.from(looks.values(), (look) => look.perChar)]
  const linear = !steps.looksAgain && perChar.every((one) => one !== undefined)
  const sum = perChar.reduce((all: number, one) => all + (one ?? 0), 0)
  return ok({ ...steps, perChar: linear ? sum : undefined })
}

function searchCost(root: PatternNode): Result<PatternCost, string> {
  const paths = pathsOf(root, { again: true })
  // What can end at once is found at the first place.
  if (paths?.ends.has(0) === true) return ok({ atOnce: 0, perChar: 0, upTo: [] })
  const looks = paths === undefined ? undefined : looksOf(paths)
  const steps = paths && looks && count(paths, 'everywhere', looks)
  if (steps === undefined) return err(TOO_MANY)
  return ok({ ...steps, perChar: steps.looksAgain ? undefined : steps.perChar })
}

type Look = LookSteps & { readonly perChar: number | undefined }

function looksOf(paths: PatternPaths): ReadonlyMap<number, Look> | undefined {
  const looks = new Map<number, Look>()
  for (const [position, body] of paths.looks) {
    const cost = attemptCost(body)
    if (!cost.ok) return undefined
    looks.set(position, lookOf(body, cost.value))
  }
  return looks
}

/** Without a loop a look ends after as many characters as it has letters, on any text. */
function lookOf(body: PatternNode, { perChar, upTo }: PatternCost): Look {
  const chars = charsMax(body)
  const steps = upTo[chars]
  if (perChar !== undefined && steps !== undefined) return { fixed: steps, slow: 0, perChar: 0 }
  return { fixed: 0, slow: upTo[SLOW_TEXT_CHARS_MAX] ?? 0, perChar }
}

/** The characters of a pattern with its counts written out, a loop as one round: each is a position. */
function charsWritten(node: PatternNode): number {
  switch (node.kind) {
    case 'letter':
      return 1
    case 'sequence':
    case 'choice':
      return node.parts.reduce((sum, part) => sum + charsWritten(part), 0)
    case 'repeat':
      return (
        charsWritten(node.body) * (Number.isFinite(node.max) ? node.max : Math.max(node.min, 1))
      )
    default:
      // Looks are judged by themselves.
      return 0
  }
}

/** The most characters that a node reads, or looks at. */
function charsMax(node: PatternNode): number {
  switch (node.kind) {
    case 'letter':
      return 1
    case 'start':
    case 'assertion':
      return 0
    case 'look':
      return charsMax(node.body)
    case 'sequence':
      return node.parts.reduce((sum, part) => sum + charsMax(part), 0)
    case 'choice':
      return Math.max(...node.parts.map(charsMax))
    case 'repeat':
      return node.max === 0 ? 0 : node.max * charsMax(node.body)
    default:
      return node satisfies never
  }
}

function count(
  paths: PatternPaths,
  attempts: 'once' | 'everywhere',
  looks: ReadonlyMap<number, Look>,
): Steps | undefined {
  if (propertiesIn(paths.letters).size > PROPERTIES_MAX) return undefined
  const lookSteps = (position: number) => looks.get(position) ?? { fixed: 0, slow: 0 }
  return countSteps(paths, { attempts, lookSteps })
}
