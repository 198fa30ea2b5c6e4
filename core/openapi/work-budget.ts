/**
 * The work budget of one document, for its overlay, its selection, and its tools. The budget counts
 * steps instead of time, so that a document is refused on every machine or on none. The thread of a
 * plan also limits time and memory (ADR 0092). Work over the budget throws {@link OverBudget},
 * which {@link withinBudget} converts to a refusal.
 */
import { err, type Refusal, type Result } from '../errors.ts'
import type { Json, JsonObject } from '../json/json.ts'
import { DOCUMENT_STEPS_MAX } from './limits.ts'

/** The parts of the work. Each has a remedy of its own. */
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
    const message = `takes over ${DOCUMENT_STEPS_MAX} steps of computing`
    this.refusal = { code: 'too_large', detail, faults: [{ pointer: `/${part}`, message }] }
  }
}

export type WorkBudget = { stepsLeft: number }

export function makeBudget(): WorkBudget {
  return { stepsLeft: DOCUMENT_STEPS_MAX }
}

/**
 * Takes steps; one step is a value that is visited, copied or compared. Throws {@link OverBudget}.
 */
export function spend(budget: WorkBudget, part: BudgetedPart, steps: number): void {
  budget.stepsLeft -= steps
  if (budget.stepsLeft < 0) throw new OverBudget(part)
}

/** Runs `work` and refuses it if it is over budget. Other errors are thrown. */
export function withinBudget<T>(work: () => Result<T>): Result<T> {
  try {
    return work()
  } catch (cause) {
    if (cause instanceof OverBudget) return err(cause.refusal)
    throw cause
  }
}

/** Budgets by document, because all code that reads a document has it as an argument. */
const budgets = new WeakMap<JsonObject, WorkBudget>()

/** Sets the budget for steps of {@link spendDocumentSteps} with this document. */
export function setBudget(document: JsonObject, budget: WorkBudget): void {
  budgets.set(document, budget)
}

/** Takes steps of the document's budget, if it has one. Throws {@link OverBudget}. */
export function spendDocumentSteps(document: JsonObject, steps: number): void {
  const budget = budgets.get(document)
  if (budget !== undefined) spend(budget, 'document', steps)
}

/** Characters of a text that are read in one step. */
const CHARS_PER_STEP = 64

export function countTextSteps(text: string): number {
  return 1 + text.length / CHARS_PER_STEP
}

/**
 * Returns the steps of reading a value with its texts. Each value is measured only once.
 * DOCUMENT_DEPTH_MAX bounds the recursion.
 */
export function countSteps(value: Json | undefined): number {
  if (typeof value === 'string') return countTextSteps(value)
  if (typeof value !== 'object' || value === null) return 1
  const found = sizes.get(value)
  if (found !== undefined) return found
  const inside: readonly Json[] = Array.isArray(value) ? value : Object.values(value)
  const size = inside.reduce<number>((sum, inner) => sum + countSteps(inner), 1)
  sizes.set(value, size)
  return size
}

const sizes = new WeakMap<object, number>()

/** Returns the steps of reading the members of an object, without anything below them. */
export function countMemberSteps(value: JsonObject): number {
  const found = memberSizes.get(value)
  if (found !== undefined) return found
  const size = Object.values(value).reduce<number>(
    (sum, inner) => sum + (typeof inner === 'string' ? countTextSteps(inner) : 1),
    1,
  )
  memberSizes.set(value, size)
  return size
}

const memberSizes = new WeakMap<object, number>()

/** Characters of JSON that are written in one step. */
const WRITTEN_PER_STEP = 8

/** A list that operations share is read several times for each, and its names go into notes. */
export const STEPS_PER_SHARED = 4

/** Writes a value as JSON for a comparison, and takes steps for its length. */
export function writeComparedText(document: JsonObject, value: Json): string {
  const text = JSON.stringify(value)
  spendDocumentSteps(document, 1 + text.length / WRITTEN_PER_STEP)
  return text
}
