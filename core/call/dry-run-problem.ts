/** A refusal as a dry run lists it. */
import type { Refusal } from '../errors.ts'
import type { DryRunProblem } from './dry-run.ts'

export function problemIn({ code, detail, faults }: Refusal): DryRunProblem {
  return { code, detail, ...(faults === undefined ? {} : { errors: faults }) }
}
