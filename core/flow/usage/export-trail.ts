/**
 * Writes finished days of the audit trail into the archive. The first record of each day names the
 * day before that has records, so the walk goes back from the last day and reads no empty one. It
 * goes back TRAIL_DAYS_EXPORTED days each time. An object that exists is not changed, so the next
 * run makes up for a failed one. Bound by ADR 0053.
 */
import { toTrailObject } from '../../archive/trail-object.ts'
import { DAY_MS, parseDayStart } from '../../json/utc-time.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Archive } from '../../ports/usage.ts'

/** Days with records. If runs fail for a week, an alarm has been raised long before. */
export const TRAIL_DAYS_EXPORTED = 7
/** Changes that began before midnight have ended this long after it. */
const FINISHED_AFTER_MS = 300_000

type Needs = Pick<Ports, 'clock'> & {
  readonly auditTrail: Pick<Ports['auditTrail'], 'day' | 'lastDay' | 'page'>
  readonly archive: Pick<Archive, 'put'>
}

/** Returns the days that are in the archive now, newest first. */
export async function exportTrail(
  ports: Needs,
  daysMax = TRAIL_DAYS_EXPORTED,
): Promise<readonly string[]> {
  const exported: string[] = []
  let day = await ports.auditTrail.lastDay()
  if (day !== undefined && !isFinished(ports, day)) day = await findFinishedBefore(ports, day)
  while (day !== undefined && exported.length < daysMax) {
    const records = await ports.auditTrail.day(day)
    const last = records.at(-1)
    if (last === undefined) return exported
    await ports.archive.put(toTrailObject({ day, count: last.seq, hash: last.hash }, records))
    exported.push(day)
    day = records[0]?.link?.day
  }
  return exported
}

function isFinished({ clock }: Needs, day: string): boolean {
  return parseDayStart(day) + DAY_MS + FINISHED_AFTER_MS <= clock.nowMs()
}

/** The last finished day with records before an unfinished one. */
async function findFinishedBefore(ports: Needs, open: string): Promise<string | undefined> {
  const [first] = (await ports.auditTrail.page({ day: open, before: 2, limit: 2 })).filter(
    ({ seq }) => seq === 1,
  )
  const before = first?.link?.day
  if (before === undefined || isFinished(ports, before)) return before
  return findFinishedBefore(ports, before)
}
