/**
 * Which operations become skills. A rule matches an operation that fits each of its lists; an operation
 * is selected when a rule of `include` matches it (or there is none) and no rule of `exclude` does.
 * Deprecated and internal operations are left out, unless `deprecated` takes the former in.
 */
import type { Operation } from './operation.ts'
import { newBudget, spend, type WorkBudget } from './work-budget.ts'

export type SelectionRule = {
  readonly tags?: readonly string[]
  /** `*` is any text without `/`, `**` any text. */
  readonly paths?: readonly string[]
  readonly methods?: readonly string[]
  readonly operationIds?: readonly string[]
}

export type Selection = {
  readonly include?: readonly SelectionRule[]
  readonly exclude?: readonly SelectionRule[]
  /** Takes more operations than {@link SELECTED_MAX}. */
  readonly all?: boolean
  readonly deprecated?: boolean
}

/** Undefined: selected. Throws OverBudget. */
export function whyLeftOut(
  operation: Operation,
  selection: Selection,
  budget: WorkBudget = newBudget(),
): string | undefined {
  const { deprecated, exclude = [], include = [] } = selection
  const isMatching = (rule: SelectionRule) => matches(rule, operation, budget)
  const isIncluded = include.length === 0 || include.some(isMatching)
  if (!isIncluded || exclude.some(isMatching)) return NOT_SELECTED
  const { raw } = operation
  if (raw['x-internal'] === true || operation.pathItem['x-internal'] === true) {
    return 'It is marked x-internal.'
  }
  if (raw['deprecated'] === true && deprecated !== true) {
    return 'It is deprecated; set selection.deprecated to import it.'
  }
  return undefined
}

export const NOT_SELECTED = 'It is not selected.'

function matches(rule: SelectionRule, operation: Operation, budget: WorkBudget): boolean {
  const { method, operationId, path, tags } = operation
  const takeSteps = (steps: number) => spend(budget, 'selection', steps)
  const fits = (glob: string, text: string) => {
    takeSteps(1)
    return globMatches(glob, text, takeSteps)
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
      rule.operationIds.some((glob) => operationId !== undefined && fits(glob, operationId)))
  )
}

/**
 * Reads the text once. `positions` are the places in the pattern at which the rest of the text may go on, so that
 * the work is at most their number for each character: a sender's pattern is never compiled to a regular expression.
 * `spend` is told of that work, and may throw.
 */
export function globMatches(
  glob: string,
  text: string,
  spend: (steps: number) => void = () => undefined,
): boolean {
  const parts = glob.match(/\*+|[^*]/gu) ?? []
  let positions = new Set<number>()
  enter(positions, parts, 0)
  for (const character of text) {
    const next = new Set<number>()
    for (const at of positions) {
      const part = parts[at]
      if (isStar(part)) {
        if (part !== '*' || character !== '/') enter(next, parts, at)
      } else if (part === character) enter(next, parts, at + 1)
    }
    spend(positions.size)
    if (next.size === 0) return false
    positions = next
  }
  return positions.has(parts.length)
}

/** A star may stand for nothing, so the place behind it is entered with it. */
function enter(positions: Set<number>, parts: readonly string[], at: number): void {
  for (let next = at; !positions.has(next); next += 1) {
    positions.add(next)
    if (!isStar(parts[next])) return
  }
}

function isStar(part: string | undefined): boolean {
  return part?.startsWith('*') === true
}
