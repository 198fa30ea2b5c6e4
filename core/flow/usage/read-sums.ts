/**
 * Reads sums of a span of whole hours: stored months, days and hours, and pages for hours that have
 * no sums yet. The heads are read before the sums, so a period that is rolled up meanwhile is read
 * by its finer periods. Bound by ADR 0139.
 */
import type { Ports } from '../../ports/ports.ts'
import type { CallRow } from '../../usage/call-row.ts'
import { selectDetails } from '../../usage/detail-parts.ts'
import { USAGE_PARTS_MAX } from '../../usage/limits.ts'
import { createOpenDetails, createOpenSkills, type OpenSums } from '../../usage/open-sums.ts'
import {
  divideSpan,
  LEVELS,
  type Level,
  type Period,
  type Span,
  toPeriodStartMs,
} from '../../usage/periods.ts'
import { HOUR_MS, listSlots, toHour, toSlot } from '../../usage/slots.ts'
import { ALL_DETAILS, toUserRange, type UsageDetail } from '../../usage/usage-detail.ts'
import type { UsageSum } from '../../usage/usage-sum.ts'
import { foldSlots, type PageReadNeeds } from './fold-calls.ts'
import { listParts } from './list-parts.ts'

export type SumReadNeeds = Pick<Ports, 'clock'> &
  PageReadNeeds & {
    readonly usageSums: Pick<Ports['usageSums'], 'parts' | 'readHead' | 'readSkills'>
  }

export type SumSpan = Span & {
  /** The longest periods that may be read: days if each day is an entry of its own. */
  readonly coarsest: Level
}

/**
 * Takes sums of calls that started at or after `startMs`, all in one period. Returns false to end
 * the reading.
 */
export type TakeSums<T> = (sums: readonly T[], startMs: number) => boolean

/** The last hour that has its sums; undefined if no call was ever recorded. */
export type SumsRead =
  | { readonly kind: 'read'; readonly rolledHour: number | undefined }
  /** There are more parts than one request reads, or `take` ended the reading. */
  | { readonly kind: 'stopped' }

/** Periods whose details are read at once. */
const PERIODS_AT_ONCE = 16

/** Reads sums of skills. */
export async function readSkillSums(
  ports: SumReadNeeds,
  span: SumSpan,
  take: TakeSums<UsageSum>,
): Promise<SumsRead> {
  const rolled = await readRolled(ports)
  if (rolled === undefined) return { kind: 'read', rolledHour: undefined }
  for (const range of divideSpan(span, rolled, span.coarsest)) {
    for (const [index, sums] of await ports.usageSums.readSkills(range)) {
      if (!take(sums, toPeriodStartMs(range.level, index))) return { kind: 'stopped' }
      await ports.clock.sleep(0)
    }
  }
  return readOpenHours(ports, span, rolled.hour, { start: createOpenSkills, take })
}

/** Reads details, of one user only if `uid` is given. */
export async function readDetailSums(
  ports: SumReadNeeds,
  span: SumSpan & { readonly uid: string | undefined },
  take: TakeSums<UsageDetail>,
): Promise<SumsRead> {
  const rolled = await readRolled(ports)
  if (rolled === undefined) return { kind: 'read', rolledHour: undefined }
  const periods = divideSpan(span, rolled, span.coarsest).flatMap(({ from, level, to }) =>
    Array.from({ length: to - from + 1 }, (_, at): Period => ({ level, index: from + at })),
  )
  const reading = { uid: span.uid, left: USAGE_PARTS_MAX, take }
  for (let at = 0; at < periods.length; at += PERIODS_AT_ONCE) {
    const some = periods.slice(at, at + PERIODS_AT_ONCE)
    const read = await Promise.all(some.map((period) => readPeriod(ports, period, reading)))
    if (read.includes(false)) return { kind: 'stopped' }
  }
  const { uid } = span
  const isWanted = ({ uid: owner }: CallRow) => uid === undefined || owner === uid
  return readOpenHours(ports, span, rolled.hour, { start: createOpenDetails, take, isWanted })
}

type DetailReading = {
  readonly uid: string | undefined
  /** Parts that may still be read. */
  left: number
  readonly take: TakeSums<UsageDetail>
}

/** Returns false if the reading ends before the period does. */
async function readPeriod(
  { clock, usageSums }: SumReadNeeds,
  period: Period,
  reading: DetailReading,
): Promise<boolean> {
  const range = reading.uid === undefined ? ALL_DETAILS : toUserRange(reading.uid)
  const startMs = toPeriodStartMs(period.level, period.index)
  if (reading.left <= 0) return false
  for await (const parts of listParts(usageSums, period, range)) {
    reading.left -= parts.length
    for (const part of parts) {
      if (!reading.take(selectDetails(part, range), startMs)) return false
      await clock.sleep(0)
    }
    if (reading.left < 0) return false
  }
  return true
}

async function readRolled({
  usageSums,
}: SumReadNeeds): Promise<{ readonly [level in Level]: number } | undefined> {
  const rolled = { hour: -1, day: -1, month: -1 }
  for (const level of LEVELS.toReversed()) {
    const head = await usageSums.readHead(level)
    if (head === undefined && level === 'hour') return undefined
    rolled[level] = head?.rolled ?? -1
  }
  return rolled
}

type OpenReading<T> = {
  readonly start: () => OpenSums<T>
  readonly take: TakeSums<T>
  readonly isWanted?: (row: CallRow) => boolean
}

/** An open hour comes in parts, one for each ten minutes. */
async function readOpenHours<T>(
  ports: SumReadNeeds,
  { from, to }: Span,
  rolledHour: number,
  { isWanted, start, take }: OpenReading<T>,
): Promise<SumsRead> {
  // No call has started in a future slot.
  const last = toSlot(ports.clock.nowMs())
  const end = Math.min(to, toHour(ports.clock.nowMs()))
  for (let hour = Math.max(from, rolledHour + 1); hour <= end; hour += 1) {
    const slots = listSlots(hour).filter((slot) => slot <= last)
    const sums = await foldSlots(ports, slots, {
      start,
      add: (open, rows) => open.add(isWanted === undefined ? rows : rows.filter(isWanted)),
    })
    for (const open of sums) {
      if (!take(open.read(), hour * HOUR_MS)) return { kind: 'stopped' }
    }
  }
  return { kind: 'read', rolledHour }
}
