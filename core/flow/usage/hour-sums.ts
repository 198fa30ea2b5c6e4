/** Sums by hour: of hours that are over from where they are kept, of later ones from their pages. */
import type { Ports } from '../../ports.ts'
import { openSums } from '../../usage/open-sums.ts'
import { hourOf, slotOf, slotsOf } from '../../usage/slots.ts'
import { fold, type Series, type UsageSum } from '../../usage/usage-sum.ts'
import { foldSlots, type PageReadNeeds } from './fold-calls.ts'

export type HourSumNeeds = Pick<Ports, 'clock'> &
  PageReadNeeds & { readonly usageSums: Pick<Ports['usageSums'], 'read' | 'readHead'> }

/** From one hour to another, both included; hours without calls may be left out. */
export async function sumsByHour(
  ports: HourSumNeeds,
  series: Series,
  span: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<number, readonly UsageSum[]>> {
  const head = await ports.usageSums.readHead()
  if (head === undefined) return new Map()
  const { from, to } = span
  const rolledTo = Math.min(to, head.rolled)
  const found = new Map(
    rolledTo < from ? [] : await ports.usageSums.read({ series, from, to: rolledTo }),
  )
  // Nothing has started in hours to come.
  const last = Math.min(to, hourOf(ports.clock.nowMs()))
  for (let hour = Math.max(from, head.rolled + 1); hour <= last; hour += 1) {
    const sums = await openHourSums(ports, hour, series)
    if (sums.length > 0) found.set(hour, sums)
  }
  return found
}

/** From the pages of its slots that have begun. */
async function openHourSums(
  ports: HourSumNeeds,
  hour: number,
  series: Series,
): Promise<readonly UsageSum[]> {
  const slots = slotsOf(hour).filter((slot) => slot <= slotOf(ports.clock.nowMs()))
  const made = await foldSlots(ports, slots, {
    start: () => openSums(series),
    add: (sums, rows) => sums.add(rows),
  })
  return fold(made.flatMap((sums) => sums.read()))
}
