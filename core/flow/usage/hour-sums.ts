/** Sums by hour: stored sums for finished hours, pages for later ones. */
import type { Ports } from '../../ports/ports.ts'
import { openSums } from '../../usage/open-sums.ts'
import { hourOfSlot, slotOf, slotsOf } from '../../usage/slots.ts'
import type { Series, UsageSum } from '../../usage/usage-sum.ts'
import { foldSlots, type PageReadNeeds } from './fold-calls.ts'

export type HourSumNeeds = Pick<Ports, 'clock'> &
  PageReadNeeds & { readonly usageSums: Pick<Ports['usageSums'], 'read' | 'readHead'> }

export type HourOfSums = readonly [hour: number, sums: readonly UsageSum[]]

/**
 * From one hour to another, both included. An open hour comes in parts; hours without calls may be
 * missing.
 */
export async function sumsByHour(
  ports: HourSumNeeds,
  series: Series,
  span: { readonly from: number; readonly to: number },
): Promise<readonly HourOfSums[]> {
  const head = await ports.usageSums.readHead()
  if (head === undefined) return []
  const { from, to } = span
  const rolledTo = Math.min(to, head.rolled)
  const kept = rolledTo < from ? [] : await ports.usageSums.read({ series, from, to: rolledTo })
  const found: HourOfSums[] = [...kept]
  // No call has started in a future slot.
  const last = slotOf(ports.clock.nowMs())
  for (
    let hour = Math.max(from, head.rolled + 1);
    hour <= Math.min(to, hourOfSlot(last));
    hour += 1
  ) {
    const slots = slotsOf(hour).filter((slot) => slot <= last)
    const sums = await foldSlots(ports, slots, {
      start: () => openSums(series),
      add: (open, rows) => open.add(rows),
    })
    found.push(...sums.map((open): HourOfSums => [hour, open.read()]))
  }
  return found
}
