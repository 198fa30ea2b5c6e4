/** Sums of rows, each of another call, in the order of names. */
import type { CallRow } from '../../../core/usage/call-row.ts'
import { createOpenHour, type HourSums } from '../../../core/usage/open-sums.ts'
import { addDetails, type DetailGroups, sortDetails } from '../../../core/usage/usage-detail.ts'
import { addSums, listSums, type SumGroups } from '../../../core/usage/usage-sum.ts'

export function sumsOf(rows: readonly CallRow[]): HourSums {
  const open = createOpenHour()
  open.add(rows)
  return addedUp([open.read()])
}

export function addedUp(all: readonly HourSums[]): HourSums {
  const skills: SumGroups = new Map()
  const details: DetailGroups = new Map()
  for (const sums of all) {
    addSums(skills, sums.skills)
    addDetails(details, sums.details)
  }
  return { skills: listSums(skills), details: sortDetails(details) }
}
