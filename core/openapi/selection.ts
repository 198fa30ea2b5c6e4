/**
 * Selects the operations that become skills. A rule matches an operation that fits each of its
 * lists. An operation is selected if a rule of `include` matches it (or there is none), and no rule
 * of `exclude` does. Internal operations are left out, and deprecated ones, too, without
 * `deprecated`.
 */
import type { LeftOut } from './left-out.ts'
import type { Operation } from './operation.ts'
import { makeBudget, spend, type WorkBudget } from './work-budget.ts'

export type SelectionRule = {
  readonly tags?: readonly string[]
  /** `*` matches any text without `/`, `**` any text. */
  readonly paths?: readonly string[]
  readonly methods?: readonly string[]
  /** Ids, or the operations' names in plans, such as `GET /pets`, with the same stars. */
  readonly operationIds?: readonly string[]
}

export type Selection = {
  readonly include?: readonly SelectionRule[]
  readonly exclude?: readonly SelectionRule[]
  /** Allows more operations than {@link SELECTED_MAX}. */
  readonly all?: boolean
  readonly deprecated?: boolean
}

/** Returns why an operation is left out; undefined if it is imported. Throws OverBudget. */
export function explainLeftOut(
  operation: Operation,
  selection: Selection,
  budget: WorkBudget = makeBudget(),
): LeftOut | 'not_selected' | undefined {
  const { deprecated, exclude = [], include = [] } = selection
  const isMatching = (rule: SelectionRule) => matchesRule(rule, operation, budget)
  const isIncluded = include.length === 0 || include.some(isMatching)
  if (!isIncluded || exclude.some(isMatching)) return 'not_selected'
  const { raw } = operation
  if (raw['x-internal'] === true || operation.pathItem['x-internal'] === true) {
    return { code: 'internal', reason: 'It is marked x-internal.' }
  }
  if (raw['deprecated'] === true && deprecated !== true) {
    return { code: 'deprecated', reason: 'It is deprecated.' }
  }
  return undefined
}

function matchesRule(rule: SelectionRule, operation: Operation, budget: WorkBudget): boolean {
  const { key, method, operationId, path, tags } = operation
  const takeSteps = (steps: number) => spend(budget, 'selection', steps)
  const fits = (glob: string, text: string) => {
    takeSteps(1)
    return matchesGlob(glob, text, takeSteps)
  }
  const isTagged = (tag: string) => {
    takeSteps(tags.length)
    return tags.includes(tag)
  }
  return (
    (rule.tags === undefined || rule.tags.some(isTagged)) &&
    (rule.paths === undefined || rule.paths.some((glob) => fits(glob, path))) &&
    (rule.methods === undefined || rule.methods.some((one) => one.toUpperCase() === method)) &&
    (rule.operationIds === undefined ||
      rule.operationIds.some(
        (glob) => (operationId !== undefined && fits(glob, operationId)) || fits(glob, key),
      ))
  )
}

/**
 * Matches a pattern with `*` and `**`. Reads the text once and keeps all possible positions in the
 * pattern, so that the work is at most the product of both lengths. A sender's pattern is never
 * compiled to a regular expression. Calls `takeSteps` for the work, which may throw.
 */
export function matchesGlob(
  glob: string,
  text: string,
  takeSteps: (steps: number) => void = () => undefined,
): boolean {
  const parts = glob.match(/\*+|[^*]/gu) ?? []
  const places: PatternState = { parts, enteredAt: new Int32Array(parts.length + 1).fill(-1) }
  let open = enterPosition(places, [], 0, 0)
  let characters = 0
  for (const character of text) {
    characters += 1
    takeSteps(open.length)
    open = advance(places, open, { character, now: characters })
    if (open.length === 0) return false
  }
  return open.includes(parts.length)
}

/**
 * `enteredAt` has, for each position in the pattern, the last character after which it was entered.
 */
type PatternState = { readonly parts: readonly string[]; readonly enteredAt: Int32Array }

/** Returns the positions after one more character. */
function advance(
  places: PatternState,
  open: readonly number[],
  { character, now }: { readonly character: string; readonly now: number },
): number[] {
  const next: number[] = []
  for (const at of open) {
    const part = places.parts[at]
    const isPassing = part !== '*' || character !== '/'
    if (!isStar(part)) {
      if (part === character) enterPosition(places, next, at + 1, now)
    } else if (isPassing) enterPosition(places, next, at, now)
  }
  return next
}

/** A star may match nothing, so the position after it is entered, too. */
function enterPosition(
  { enteredAt, parts }: PatternState,
  open: number[],
  from: number,
  now: number,
): number[] {
  for (let at = from; enteredAt[at] !== now; at += 1) {
    enteredAt[at] = now
    open.push(at)
    if (!isStar(parts[at])) break
  }
  return open
}

function isStar(part: string | undefined): boolean {
  return part?.startsWith('*') === true
}
