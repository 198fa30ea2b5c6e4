/**
 * Puts days of the trail of changes that are over into the archive. Each day's first record names the day
 * before that has records, so the walk goes back from the last day and looks at no empty one. It goes
 * back TRAIL_DAYS_EXPORTED days each time: an object that exists is left as it is, so the next run makes up for
 * a failed one. Bound by ADR 0053.
 */
import { trailObject } from '../../archive/trail-object.ts'
import { DAY_MS, startOfDay } from '../../json/utc-time.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Archive } from '../../ports/usage.ts'

/** Days with records; a run that fails for a week raises an alarm long before. */
export const TRAIL_DAYS_EXPORTED = 7
/** Changes that began before midnight have ended by then. */
const OVER_AFTER_MS = 300_000

type Needs = Pick<Ports, 'clock'> & {
  readonly auditTrail: Pick<Ports['auditTrail'], 'day' | 'lastDay' | 'page'>
  readonly archive: Pick<Archive, 'put'>
}

/** Answers the days that are in the archive now, the newest first. */
export async function exportTrail(
  ports: Needs,
  daysMax = TRAIL_DAYS_EXPORTED,
): Promise<readonly string[]> {
  const exported: string[] = []
  let day = await ports.auditTrail.lastDay()
  if (day !== undefined && !isOver(ports, day)) day = await dayBefore(ports, day)
  while (day !== undefined && exported.length < daysMax) {
    const records = await ports.auditTrail.day(day)
    const last = records.at(-1)
    if (last === undefined) return exported
    await ports.archive.put(trailObject({ day, count: last.seq, hash: last.hash }, records))
    exported.push(day)
    day = records[0]?.link?.day
  }
  return exported
}

function isOver({ clock }: Needs, day: string): boolean {
  return startOfDay(day) + DAY_MS + OVER_AFTER_MS <= clock.nowMs()
}

/** The day before an open one that has records, unless it is hardly over itself. */
async function dayBefore(ports: Needs, open: string): Promise<string | undefined> {
  const [first] = (await ports.auditTrail.page({ day: open, before: 2, limit: 2 })).filter(
    ({ seq }) => seq === 1,
  )
  const before = first?.link?.day
  if (before === undefined || isOver(ports, before)) return before
  return dayBefore(ports, before)
}
