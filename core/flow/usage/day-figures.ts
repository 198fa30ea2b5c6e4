/**
 * How long calls of official skills took, and how many failed, in the last 24 full hours whose sums
 * are written. Each hour is read once. Bound by docs/design/usage.md#the-catalog.
 */
import type { Ports } from '../../ports/ports.ts'
import type { DurationCounts } from '../../usage/durations.ts'
import { toHour } from '../../usage/slots.ts'
import { addSum, type UsageSum } from '../../usage/usage-sum.ts'

export type DayFigureNeeds = Pick<Ports, 'clock'> & {
  readonly usageSums: Pick<Ports['usageSums'], 'readHead' | 'readSkills'>
}

export type ToolFigures = {
  readonly settled: number
  /** Calls that failed at the upstream (core/usage/tool-failure.ts). */
  readonly failures: number
  /** Durations of the settled calls. */
  readonly durations: DurationCounts
}

/** Figures by skill id. */
export type DayFigures = ReadonlyMap<string, ToolFigures>

const HOURS = 24

/** Returns a reader with a cache: one request while the hours are the same, two if they changed. */
export function createDayFiguresReader(ports: DayFigureNeeds): () => Promise<DayFigures> {
  let cached: { readonly hours: string; readonly figures: DayFigures } | undefined
  return async () => {
    const thisHour = toHour(ports.clock.nowMs())
    const head = await ports.usageSums.readHead('hour')
    const from = thisHour - HOURS
    const to = Math.min(thisHour - 1, head?.rolled ?? 0)
    const hours = `${from} ${to}`
    if (cached?.hours !== hours) {
      const figures = to < from ? new Map() : await readHours(ports, { from, to })
      cached = { hours, figures }
    }
    return cached.figures
  }
}

async function readHours(
  { usageSums }: DayFigureNeeds,
  span: { readonly from: number; readonly to: number },
): Promise<DayFigures> {
  const bySkill = new Map<string, UsageSum>()
  const hours = await usageSums.readSkills({ level: 'hour', ...span })
  for (const sum of [...hours.values()].flat()) {
    if (sum.source !== 'official') continue
    const before = bySkill.get(sum.name)
    bySkill.set(sum.name, before === undefined ? sum : addSum(before, sum))
  }
  return new Map(
    [...bySkill].map(([skillId, { durations = [], failures = 0, settled }]) => [
      skillId,
      { durations, failures, settled },
    ]),
  )
}
