/**
 * How long calls of official skills took in the last 24 full hours whose sums are written. Each
 * hour is read once. Bound by docs/design/usage.md#the-catalog.
 */
import type { Ports } from '../../ports/ports.ts'
import { addCounts, type DurationCounts } from '../../usage/durations.ts'
import { toHour } from '../../usage/slots.ts'

export type DayDurationNeeds = Pick<Ports, 'clock'> & {
  readonly usageSums: Pick<Ports['usageSums'], 'readHead' | 'readSkills'>
}

/** Duration counts by skill id. */
export type DayDurations = ReadonlyMap<string, DurationCounts>

const HOURS = 24

/** Returns a reader with a cache: one request while the hours are the same, two if they changed. */
export function createDayDurationsReader(ports: DayDurationNeeds): () => Promise<DayDurations> {
  let cached: { readonly hours: string; readonly durations: DayDurations } | undefined
  return async () => {
    const thisHour = toHour(ports.clock.nowMs())
    const head = await ports.usageSums.readHead('hour')
    const from = thisHour - HOURS
    const to = Math.min(thisHour - 1, head?.rolled ?? 0)
    const hours = `${from} ${to}`
    if (cached?.hours !== hours) {
      const durations = to < from ? new Map() : await readHours(ports, { from, to })
      cached = { hours, durations }
    }
    return cached.durations
  }
}

async function readHours(
  { usageSums }: DayDurationNeeds,
  span: { readonly from: number; readonly to: number },
): Promise<DayDurations> {
  const bySkill = new Map<string, DurationCounts>()
  for (const { durations, name, source } of [
    ...(await usageSums.readSkills({ level: 'hour', ...span })).values(),
  ].flat()) {
    const sum = source === 'official' ? addCounts(bySkill.get(name), durations) : undefined
    if (sum !== undefined) bySkill.set(name, sum)
  }
  return bySkill
}
