/**
 * Records a batch of outcomes in pages, and closes finished hours, days and months. The same
 * outcomes in another order or in other batches change nothing. Bound by ADR 0048 and ADR 0139.
 *
 *   putter: put page of hour h ─▶ read the head ─▶ h is closed: roll h up
 *   closer: close h ─▶ roll h up: lists the pages of h ─▶ rolled is h
 *
 * If a putter finds h open, it put its page before h was closed, so the closer lists that page. If
 * the process dies between put and roll-up, the batch is delivered again. If it dies between close
 * and rolled, the next batch continues there, and until then readers list the pages. Days and
 * months are closed in the same way (roll-up-periods.ts).
 */

import type { Outcome } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import { type CallRow, toCallRow } from '../../usage/call-row.ts'
import { type Level, toPeriodIndex, toPeriodStartMs } from '../../usage/periods.ts'
import { toHour } from '../../usage/slots.ts'
import { splitIntoPages, writeRows } from '../../usage/usage-page.ts'
import type { UsageHead } from '../../usage/usage-sum.ts'
import { type RollUpNeeds, rollUpHour } from './roll-up-hour.ts'
import { closePeriods, correctPeriods, STEPS_PER_RUN } from './roll-up-periods.ts'

export type RecordNeeds = RollUpNeeds & Pick<Ports, 'clock' | 'digests' | 'usagePages'>

/** Hours that one batch rolls up. After days without calls, the next batches roll up the rest. */
export const HOURS_CLOSED_MAX = 48
/**
 * Outcomes of an hour's last calls come up to 16 s later, and the stream is rarely a minute late.
 */
const CLOSE_AFTER_MS = 180_000

/**
 * Returns the number of pages that were put and of hours that got their sums. Days and months get
 * at most `stepsMax` steps; the next run continues there.
 */
export async function recordCalls(
  ports: RecordNeeds,
  outcomes: readonly Outcome[],
  stepsMax = STEPS_PER_RUN,
): Promise<{ readonly pages: number; readonly rolled: number }> {
  const rows = outcomes.map(toCallRow)
  const pages = splitIntoPages(rows).map((page) => ({ ...page, id: toPageId(ports, page) }))
  await Promise.all(pages.map((page) => ports.usagePages.put(page)))
  const byHour = groupUsers(rows)
  const head = await readOrStartHead(ports, Math.min(...byHour.keys()))
  for (const [hour, uids] of byHour) {
    if (hour <= head.rolled) await rollUpHour(ports, hour, uids)
  }
  const rolled = await closeHours(ports, head)
  await correctPeriods(ports, byHour)
  await closePeriods(ports, stepsMax)
  return { pages: pages.length, rolled }
}

/** The users with calls in the rows, by the hour of these calls, the first hour first. */
function groupUsers(rows: readonly CallRow[]): ReadonlyMap<number, ReadonlySet<string>> {
  const byHour = Map.groupBy(rows, ({ createdAtMs }) => toHour(createdAtMs))
  return new Map(
    [...byHour]
      .sort(([a], [b]) => a - b)
      .map(([hour, some]) => [hour, new Set(some.map(({ uid }) => uid))]),
  )
}

/** Returns how many hours got their sums. */
async function closeHours(ports: RecordNeeds, { closed, rolled }: UsageHead): Promise<number> {
  const lastFinished = toHour(ports.clock.nowMs() - CLOSE_AFTER_MS) - 1
  const last = Math.min(Math.max(lastFinished, closed), rolled + HOURS_CLOSED_MAX)
  if (last > closed) await ports.usageSums.moveHead('hour', { closed: last })
  for (let hour = rolled + 1; hour <= last; hour += 1) await rollUpHour(ports, hour, 'all')
  if (last > rolled) await ports.usageSums.moveHead('hour', { rolled: last })
  return last - rolled
}

/** Reads the head of hours. The first batch of all starts the heads at its own first hour. */
async function readOrStartHead(
  { clock, usageSums }: Pick<RecordNeeds, 'clock' | 'usageSums'>,
  firstHour: number,
): Promise<UsageHead> {
  const head = await usageSums.readHead('hour')
  if (head !== undefined) return head
  const hour = Math.min(firstHour, toHour(clock.nowMs()))
  const toLast = (level: Level) => toPeriodIndex(level, toPeriodStartMs('hour', hour)) - 1
  await usageSums.startHeads({ hour: hour - 1, day: toLast('day'), month: toLast('month') })
  return (await usageSums.readHead('hour')) ?? { closed: hour - 1, rolled: hour - 1 }
}

/** Ids sort by the first call. Equal content has an equal id. */
function toPageId(
  { digests }: Pick<RecordNeeds, 'digests'>,
  { rows }: Pick<Parameters<Ports['usagePages']['put']>[0], 'rows'>,
): string {
  return `${rows[0]?.callId ?? ''}~${digests.sha256(writeRows(rows)).slice(0, 22)}`
}
