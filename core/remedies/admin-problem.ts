/** Makes problem documents for administrators: with the remedy of the refusal, and its words. */
import type { Problem } from '../call/execute.ts'
import { toProblem } from '../call/problem.ts'
import type { Refusal } from '../errors.ts'
import type { ShownRemedy } from './remedy.ts'
import { showRemedy } from './remedy-words.ts'

export type AdminProblem = Problem & { readonly remedy?: ShownRemedy }

export function toAdminProblem(refusal: Refusal): AdminProblem {
  return { ...toProblem(refusal), ...showRemedy(refusal) }
}
