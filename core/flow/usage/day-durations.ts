/**
 * How long calls of official skills took, in the last 24 full hours whose sums are written. An hour is
 * read once while it is among them. Bound by ADR 0060.
 */
import type { Ports } from '../../ports/ports.ts'
import { addCounts, type DurationCounts } from '../../usage/durations.ts'
import { hourOf } from '../../usage/slots.ts'

export type DayDurationNeeds = Pick<Ports, 'clock'> & {
  readonly usageSums: Pick<Ports['usageSums'], 'readHead' | 'readSkills'>
}

/** By skill id. */
export type DayDurations = ReadonlyMap<string, DurationCounts>

const HOURS = 24

/** One request while the hours are the same ones, and two when they are others. */
export function dayDurations(ports: DayDurationNeeds): () => Promise<DayDurations> {
  let known: { readonly hours: string; readonly durations: DayDurations } | undefined
  return async () => {
    const thisHour = hourOf(ports.clock.nowMs())
    const head = await ports.usageSums.readHead()
    const from = thisHour - HOURS
    const to = Math.min(thisHour - 1, head?.rolled ?? 0)
    const hours = `${from} ${to}`
    if (known?.hours !== hours) {
      const durations = to < from ? new Map() : await readHours(ports, { from, to })
      known = { hours, durations }
    }
    return known.durations
  }
}

async function readHours(
  { usageSums }: DayDurationNeeds,
  span: { readonly from: number; readonly to: number },
): Promise<DayDurations> {
  const all = new Map<string, DurationCounts>()
  for (const { durations, name, source } of [
    ...(await usageSums.readSkills(span)).values(),
  ].flat()) {
    const sum = source === 'official' ? addCounts(all.get(name), durations) : undefined
    if (sum !== undefined) all.set(name, sum)
  }
  return all
}
