/**
 * Writes the sums of days from those of their hours, and of months from those of their days. Bound
 * by ADR 0139.
 *
 *   corrector: write hour h ─▶ read the head of days ─▶ the day of h is closed: correct it
 *   closer:    all hours of the day are rolled ─▶ close the day ─▶ read its hours, write ─▶ rolled
 *
 * If a corrector finds the day open, it wrote the hour before the day was closed, so the closer
 * reads that hour. If it finds the day closed, both write the same parts, and each reads the version
 * of a part before the hours:
 *
 *   closer:    part, version 1 ── hours without late call ─────────────── write if 1 ✘ ── again
 *   corrector:    hour written ── part, version 1 ── hours ── write if 1 ✔
 *
 * A month follows its days in the same way. If the process dies before the write, its batch is
 * delivered again; if it dies before rolled, the next run continues at the marked place, and until
 * then readers add up the finer periods.
 */
import { Fault } from '../../errors.ts'
import type { Ports } from '../../ports/ports.ts'
import {
  type DetailPart,
  findEarlierEnd,
  intersectRanges,
  replaceInPart,
  selectDetails,
} from '../../usage/detail-parts.ts'
import {
  findLastComplete,
  type LongLevel,
  listFinerPeriods,
  type Period,
  type PeriodRange,
  toPeriodIndex,
  toPeriodStartMs,
} from '../../usage/periods.ts'
import {
  ALL_DETAILS,
  addDetails,
  type DetailGroups,
  type DetailRange,
  sortDetails,
  toUserRange,
  type UsageDetail,
} from '../../usage/usage-detail.ts'
import { addSums, listSums, type SumGroups, type UsageHead } from '../../usage/usage-sum.ts'
import { ROLL_UP_TRIES_MAX } from './roll-up-hour.ts'
import { writePart } from './write-details.ts'

export type PeriodNeeds = { readonly usageSums: Ports['usageSums'] }

type LongPeriod = { readonly level: LongLevel; readonly index: number }

/**
 * Steps of one run, each of which reads up to four parts of each finer period and writes what they
 * have. A period of a million users needs several runs.
 */
export const STEPS_PER_RUN = 100
/** Parts of each finer period that one step reads: about 50 kB of JSON each. */
const PARTS_PER_STEP = 4
/** Periods of one level that one run writes. */
export const PERIODS_PER_RUN = 40

/** Corrects closed days and months of these users' calls. Hours are since 1970. */
export async function correctPeriods(
  ports: PeriodNeeds,
  byHour: ReadonlyMap<number, ReadonlySet<string>>,
): Promise<void> {
  for (const level of ['day', 'month'] as const) {
    const closed = byHour.size === 0 ? undefined : (await ports.usageSums.readHead(level))?.closed
    if (closed === undefined) return
    const late = groupByPeriod(level, byHour, closed)
    if (late.size === 0) return
    for (const [index, uids] of late) {
      const period = { level, index }
      // Users who share a part share its step, so a batch takes no more steps than it has users,
      // and one for each division of a finer part.
      await rollUpDetails(ports, period, [...uids].sort().map(toUserRange), UNLIMITED)
      await rollUpSkills(ports, period)
    }
  }
}

const UNLIMITED = { steps: Number.POSITIVE_INFINITY }

function groupByPeriod(
  level: LongLevel,
  byHour: ReadonlyMap<number, ReadonlySet<string>>,
  closed: number,
): ReadonlyMap<number, ReadonlySet<string>> {
  const late = new Map<number, Set<string>>()
  for (const [hour, uids] of byHour) {
    const index = toPeriodIndex(level, toPeriodStartMs('hour', hour))
    if (index > closed) continue
    late.set(index, new Set([...(late.get(index) ?? []), ...uids]))
  }
  return late
}

/**
 * Closes days and months whose finer periods all have their sums, and writes theirs. After `stepsMax`
 * steps it stores how far it came; the next run continues there.
 */
export async function closePeriods(ports: PeriodNeeds, stepsMax: number): Promise<void> {
  const left = { steps: stepsMax }
  for (const level of ['day', 'month'] as const) {
    const [finer, head] = await Promise.all([
      ports.usageSums.readHead(level === 'day' ? 'hour' : 'day'),
      ports.usageSums.readHead(level),
    ])
    if (finer === undefined || head === undefined) return
    const complete = findLastComplete(level, finer.rolled)
    if (complete <= head.rolled) continue
    if (complete > head.closed) await ports.usageSums.moveHead(level, { closed: complete })
    const last = Math.min(complete, head.rolled + PERIODS_PER_RUN)
    if (!(await rollUpTo(ports, { level, head, last }, left))) return
  }
}

/** Writes the periods after the head up to `last`. Returns false if the steps are used up before. */
async function rollUpTo(
  ports: PeriodNeeds,
  { head, last, level }: { level: LongLevel; head: UsageHead; last: number },
  left: { steps: number },
): Promise<boolean> {
  for (let index = head.rolled + 1; index <= last; index += 1) {
    const from = head.part?.index === index ? head.part.from : ''
    const upTo = await rollUpDetails(ports, { level, index }, [{ ...ALL_DETAILS, from }], left)
    if (upTo !== undefined) {
      await ports.usageSums.markPart(level, { index, from: upTo })
      return false
    }
    await rollUpSkills(ports, { level, index })
    await ports.usageSums.moveHead(level, { rolled: index })
  }
  return true
}

async function rollUpSkills({ usageSums }: PeriodNeeds, period: LongPeriod): Promise<void> {
  for (let tries = 1; tries <= ROLL_UP_TRIES_MAX; tries += 1) {
    const version = await usageSums.version(period)
    const finer = await usageSums.readSkills(listFinerPeriods(period.level, period.index))
    const groups: SumGroups = new Map()
    for (const sums of finer.values()) {
      // Only hours have durations and failures, which nobody asks of a longer period.
      addSums(
        groups,
        sums.map(({ durations: _durations, failures: _failures, ...sum }) => sum),
      )
    }
    if (groups.size === 0) return
    if (await usageSums.writeSkills({ period, version, sums: listSums(groups) })) return
  }
  throw toMeeting(period)
}

/**
 * Writes the details of ranges of keys, which are in order. Returns the key up to which they are
 * written if the steps are used up before the end; otherwise undefined.
 */
async function rollUpDetails(
  ports: PeriodNeeds,
  period: LongPeriod,
  ranges: readonly DetailRange[],
  left: { steps: number },
): Promise<string | undefined> {
  let missing = ranges
  let tries = 0
  while (isNotEmpty(missing)) {
    if (left.steps <= 0) return missing[0].from
    left.steps -= 1
    const step = await rollUpStep(ports, period, missing)
    if (step.kind === 'written') missing = dropUpTo(missing, step.upTo)
    tries = step.kind === 'written' ? 0 : tries + 1
    if (tries >= ROLL_UP_TRIES_MAX) throw toMeeting(period)
  }
  return undefined
}

type Ranges = readonly [DetailRange, ...DetailRange[]]

function isNotEmpty(ranges: readonly DetailRange[]): ranges is Ranges {
  return ranges.length > 0
}

/** The ranges after the key `upTo`; none if it is undefined, which is the end of all keys. */
function dropUpTo(
  ranges: readonly DetailRange[],
  upTo: string | undefined,
): readonly DetailRange[] {
  if (upTo === undefined) return []
  const after = { from: upTo, to: undefined }
  return ranges.flatMap((range) => intersectRanges(range, after) ?? [])
}

/** `upTo`: the end of what is written; undefined for the end of all keys. */
type Step =
  | { readonly kind: 'written'; readonly upTo: string | undefined }
  | { readonly kind: 'met' }

/** Writes what the first part has of the ranges, or the beginning of it. */
async function rollUpStep(ports: PeriodNeeds, period: LongPeriod, ranges: Ranges): Promise<Step> {
  const [{ from }] = ranges
  const [part] = await ports.usageSums.parts({ period, from, to: undefined, limit: 1 })
  const own = part && ranges.flatMap((range) => intersectRanges(part, range) ?? [])
  const last = own?.at(-1)
  if (part === undefined || last === undefined) return { kind: 'written', upTo: undefined }
  const finer = listFinerPeriods(period.level, period.index)
  const { details, to } = await readFinerDetails(ports, finer, { from, to: last.to })
  const fresh = replaceInPart(part, { from, to }, details)
  if (!(await writePart(ports, period, part, fresh))) return { kind: 'met' }
  return { kind: 'written', upTo: to }
}

function toMeeting({ index, level }: Period): Fault {
  const message = `usage: ${level} ${index} met other writers; it comes again`
  return new Fault('store_unavailable', message)
}

/** The sums of the finer periods from the beginning of the range up to `to`. */
async function readFinerDetails(
  { usageSums }: PeriodNeeds,
  { from, level, to }: PeriodRange,
  range: DetailRange,
): Promise<{ readonly details: readonly UsageDetail[]; readonly to: string | undefined }> {
  const indexes = Array.from({ length: to - from + 1 }, (_, at) => from + at)
  const read = await Promise.all(
    indexes.map((index) =>
      usageSums.parts({ period: { level, index }, ...range, limit: PARTS_PER_STEP }),
    ),
  )
  let end = range.to
  for (const parts of read) end = findEarlierEnd(end, parts.at(-1)?.to)
  const groups: DetailGroups = new Map()
  const wanted = { from: range.from, to: end }
  for (const part of read.flat() satisfies readonly DetailPart[]) {
    addDetails(groups, selectDetails(part, wanted))
  }
  return { details: sortDetails(groups), to: end }
}
