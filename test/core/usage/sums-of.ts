/** Sums of rows, each of another call, in the order of names. */
import type { CallRow } from '../../../core/usage/call-row.ts'
import { openHour } from '../../../core/usage/open-sums.ts'
import {
  addSums,
  type HourSums,
  type SumGroups,
  sumsIn,
  type UsageSum,
} from '../../../core/usage/usage-sum.ts'

export function sumsOf(rows: readonly CallRow[]): HourSums {
  const open = openHour()
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
  return sumsIn(groups)
}
