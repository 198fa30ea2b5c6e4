/**
 * What may be computed for one document: its overlay, its selection, and the tools that are made of it. Counts
 * steps, so that a document is refused on every machine or on none; the thread of a plan also limits time and
 * memory (ADR 0092). A part that is too much throws {@link OverBudget}; {@link withinBudget} makes a refusal of it.
 */
import { err, type Refusal, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { DOCUMENT_STEPS_MAX } from './limits.ts'

/** What the steps are spent on; each has a remedy of its own. */
export type BudgetedPart = 'overlay' | 'selection' | 'document'

const REMEDIES: { readonly [part in BudgetedPart]: string } = {
  overlay: 'Send fewer actions, or targets that name places directly instead of ".." and "*".',
  selection: 'Send fewer or shorter patterns of paths and operationIds.',
  document: 'Select fewer operations, or send the document in parts.',
}

export class OverBudget extends Error {
  override readonly name = 'OverBudget'
  readonly refusal: Refusal

  constructor(part: BudgetedPart) {
    super(part)
    const detail = `${part}: takes over ${DOCUMENT_STEPS_MAX} steps of computing. ${REMEDIES[part]}`
    this.refusal = { code: 'too_large', detail }
  }
}

export type WorkBudget = { stepsLeft: number }

export function newBudget(): WorkBudget {
  return { stepsLeft: DOCUMENT_STEPS_MAX }
}

/** A step is a value that is visited, copied or compared. Throws {@link OverBudget}. */
export function spend(budget: WorkBudget, part: BudgetedPart, steps: number): void {
  budget.stepsLeft -= steps
  if (budget.stepsLeft < 0) throw new OverBudget(part)
}

/** Throws what is no matter of a budget. */
export function withinBudget<T>(work: () => Result<T>): Result<T> {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof OverBudget) return err(cause.refusal)
    throw cause
  }
}

/** Kept by document, since everything that reads a document is given it. */
const budgets = new WeakMap<JsonObject, WorkBudget>()

/** Steps of {@link spendOn} with this document are taken from the budget. */
export function setBudget(document: JsonObject, budget: WorkBudget): void {
  budgets.set(document, budget)
}

/** Spends nothing for a document without a budget. Throws {@link OverBudget}. */
export function spendOn(document: JsonObject, steps: number): void {
  const budget = budgets.get(document)
  if (budget !== undefined) spend(budget, 'document', steps)
}

/** Characters of a text that are read in one step. */
const CHARS_PER_STEP = 64

export function textSteps(text: string): number {
  return 1 + text.length / CHARS_PER_STEP
}

/** Steps of reading a value once, with its texts; each value is measured once. Recursion is bounded by DOCUMENT_DEPTH_MAX. */
export function stepsOf(value: Json | undefined): number {
  if (typeof value === 'string') return textSteps(value)
  if (typeof value !== 'object' || value === null) return 1
  const found = sizes.get(value)
  if (found !== undefined) return found
  const inside: readonly Json[] = Array.isArray(value) ? value : Object.values(value)
  const size = inside.reduce<number>((sum, inner) => sum + stepsOf(inner), 1)
  sizes.set(value, size)
  return size
}

const sizes = new WeakMap<object, number>()

/** Steps of reading the members of an object, and nothing below them. */
export function memberStepsOf(value: JsonObject): number {
  const found = memberSizes.get(value)
  if (found !== undefined) return found
  const size = Object.values(value).reduce<number>(
    (sum, inner) => sum + (typeof inner === 'string' ? textSteps(inner) : 1),
    1,
  )
  memberSizes.set(value, size)
  return size
}

const memberSizes = new WeakMap<object, number>()

/** Characters of JSON that are written in one step. */
const WRITTEN_PER_STEP = 8

/** A list that operations share is read several times for each of them, and its names are told in notes. */
export const STEPS_PER_SHARED = 4

/** The value as JSON, to be compared with others. Spends its length. */
export function spentText(document: JsonObject, value: Json): string {
  const text = JSON.stringify(value)
  spendOn(document, 1 + text.length / WRITTEN_PER_STEP)
  return text
}
