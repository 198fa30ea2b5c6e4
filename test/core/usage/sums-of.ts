/** Sums of rows, each of another call, in the order of names. */
import type { CallRow } from '../../../core/usage/call-row.ts'
import { createOpenHour } from '../../../core/usage/open-sums.ts'
import {
  addSums,
  type HourSums,
  listSums,
  type SumGroups,
  type UsageSum,
} from '../../../core/usage/usage-sum.ts'

export function sumsOf(rows: readonly CallRow[]): HourSums {
  const open = createOpenHour()
  open.add(rows)
  return addedUp([open.read()])
}

export function addedUp(all: readonly HourSums[]): HourSums {
  return {
    skill: fold(all.flatMap(({ skill }) => skill)),
    user: fold(all.flatMap(({ user }) => user)),
    key: fold(all.flatMap(({ key }) => key)),
  }
}

function fold(sums: readonly UsageSum[]): readonly UsageSum[] {
  const groups: SumGroups = new Map()
  addSums(groups, sums)
  return listSums(groups)
}
