/** Completes problem documents for administrators: with the remedy of the refusal, and its words. */
import type { Problem } from '../call/execute.ts'
import type { Refusal } from '../errors.ts'
import type { ShownRemedy } from './remedy.ts'
import { showRemedy } from './remedy-words.ts'

export type AdminProblem = Problem & { readonly remedy?: ShownRemedy }

/** `problem` is that of the refusal. */
export function addRemedy(problem: Problem, refusal: Refusal): AdminProblem {
  return { ...problem, ...showRemedy(refusal) }
}
