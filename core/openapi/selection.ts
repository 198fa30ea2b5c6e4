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
 * Reads the text once, and at each character the places in the pattern at which the rest may go on: the work is at
 * most the product of both lengths. A sender's pattern is never compiled to a regular expression. `takeSteps` is told
 * of that work, and may throw.
 */
export function globMatches(
  glob: string,
  text: string,
  takeSteps: (steps: number) => void = () => undefined,
): boolean {
  const parts = glob.match(/\*+|[^*]/gu) ?? []
  const places: Places = { parts, enteredAt: new Int32Array(parts.length + 1).fill(-1) }
  let open = enter(places, [], 0, 0)
  let characters = 0
  for (const character of text) {
    characters += 1
    takeSteps(open.length)
    open = passed(places, open, { character, now: characters })
    if (open.length === 0) return false
  }
  return open.includes(parts.length)
}

/** `enteredAt`: for each place in the pattern, behind which character it was entered last. */
type Places = { readonly parts: readonly string[]; readonly enteredAt: Int32Array }

/** The places behind one more character. */
function passed(
  places: Places,
  open: readonly number[],
  { character, now }: { readonly character: string; readonly now: number },
): number[] {
  const next: number[] = []
  for (const at of open) {
    const part = places.parts[at]
    const isPassing = part !== '*' || character !== '/'
    if (!isStar(part)) {
      if (part === character) enter(places, next, at + 1, now)
    } else if (isPassing) enter(places, next, at, now)
  }
  return next
}

/** A star may stand for nothing, so the place behind it is entered with it. */
function enter({ enteredAt, parts }: Places, open: number[], from: number, now: number): number[] {
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
