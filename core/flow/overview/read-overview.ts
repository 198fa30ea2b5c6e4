/**
 * GET overview: calls and credits of a day by hour or of some days by day, how long calls took, and
 * the month so far. Hours and days without calls are there, as zeros. Each hour is read once: the
 * last 24 with their durations, earlier ones by stored days. Bound by ADR 0149.
 */
import { DAY_MS, HOUR_MS } from '../../json/utc-time.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { RefundReason } from '../../ledger/ledger.ts'
import { toMonth } from '../../ledger/month.ts'
import type { CreditPrice } from '../../settings/credit-price.ts'
import { type AwsEstimate, estimateAws } from '../../usage/aws-estimate.ts'
import { computePercentileMs, countCalls } from '../../usage/durations.ts'
import { toMoney } from '../../usage/money.ts'
import { toPeriodIndex, toPeriodStartMs } from '../../usage/periods.ts'
import { toHour } from '../../usage/slots.ts'
import { addSum, NO_CALLS, type UsageSum } from '../../usage/usage-sum.ts'
import { readSkillSums, type SumReadNeeds } from '../usage/read-sums.ts'

/** Days that can be asked for; 1 is the last 24 hours, by hour. */
export const OVERVIEW_DAYS = [1, 7, 30] as const
export type OverviewDays = (typeof OVERVIEW_DAYS)[number]

/** Hours that are read with durations, the running one among them. */
export const OVERVIEW_HOURS = 24

export type OverviewNumbers = {
  readonly calls: number
  /** Refunded calls that failed. Cancelled calls and answers that ask for input did not fail. */
  readonly failed: number
  readonly refunded: number
  readonly charged: number
  readonly givenBack: number
}

export type Overview = {
  readonly days: OverviewDays
  readonly step: 'hour' | 'day'
  readonly sinceMs: number
  readonly untilMs: number
  readonly entries: readonly (OverviewNumbers & { readonly startMs: number })[]
  readonly total: OverviewNumbers
  /** Settled calls of shared skills in the last 24 hours; absent without such calls. */
  readonly durations?: { readonly calls: number; readonly p50Ms: number; readonly p95Ms: number }
  readonly creditPrice?: CreditPrice
  readonly month: OverviewNumbers & {
    readonly month: string
    readonly money?: string
    /** Absent in the twin, which runs on no account. */
    readonly aws?: AwsEstimate
  }
}

export type OverviewQuery = {
  readonly days: OverviewDays
  readonly price: CreditPrice | undefined
  readonly isOnAws: boolean
}

/** The sums take up to a minute to have a call. */
export async function readOverview(
  ports: SumReadNeeds,
  { days, isOnAws, price }: OverviewQuery,
): Promise<Overview> {
  const nowMs = ports.clock.nowMs()
  const times = toTimes(days, nowMs)
  const sums = await readAll(ports, times)
  const { monthMs, sinceMs, step, untilMs } = times
  const entries = new Map<number, UsageSum>()
  const month: UsageSum[] = []
  for (const { startMs, sum } of sums) {
    if (startMs >= monthMs) month.push(sum)
    if (startMs < sinceMs) continue
    const at = toPeriodStartMs(step, toPeriodIndex(step, startMs))
    entries.set(at, addSum(entries.get(at) ?? NO_CALLS, sum))
  }
  const monthSum = month.reduce(addSum, NO_CALLS)
  const shown = toNumbers(monthSum)
  return {
    days,
    step,
    sinceMs,
    untilMs,
    entries: listStarts(times).map((startMs) => ({
      startMs,
      ...toNumbers(entries.get(startMs) ?? NO_CALLS),
    })),
    total: toNumbers([...entries.values()].reduce(addSum, NO_CALLS)),
    ...toDurations(sums.map(({ sum }) => sum).reduce(addSum, NO_CALLS).durations),
    ...(price === undefined ? {} : { creditPrice: price }),
    month: {
      month: toMonth(nowMs),
      ...shown,
      ...(price === undefined ? {} : { money: toMoney(monthSum.charged, price) }),
      ...(isOnAws ? { aws: estimateAws(shown.calls, toMonthShare(nowMs, monthMs)) } : {}),
    },
  }
}

type Times = {
  readonly step: 'hour' | 'day'
  readonly sinceMs: number
  readonly untilMs: number
  readonly monthMs: number
  /** The running hour. */
  readonly lastHour: number
}

function toTimes(days: OverviewDays, nowMs: number): Times {
  const lastHour = toHour(nowMs)
  const untilMs = (lastHour + 1) * HOUR_MS
  const dayMs = nowMs - (nowMs % DAY_MS)
  const monthMs = toPeriodStartMs('month', toPeriodIndex('month', nowMs))
  const times = { untilMs, monthMs, lastHour }
  return days === 1
    ? { ...times, step: 'hour', sinceMs: untilMs - OVERVIEW_HOURS * HOUR_MS }
    : { ...times, step: 'day', sinceMs: dayMs - (days - 1) * DAY_MS }
}

function listStarts({ sinceMs, step, untilMs }: Times): readonly number[] {
  const stepMs = step === 'hour' ? HOUR_MS : DAY_MS
  return Array.from(
    { length: Math.ceil((untilMs - sinceMs) / stepMs) },
    (_, at) => sinceMs + at * stepMs,
  )
}

type Dated = { readonly startMs: number; readonly sum: UsageSum }

/** A day of the first reading ends before the hours of the second one begin. */
async function readAll(
  ports: SumReadNeeds,
  { lastHour, monthMs, sinceMs }: Times,
): Promise<readonly Dated[]> {
  const sums: Dated[] = []
  const take = (some: readonly UsageSum[], startMs: number) => {
    if (some.length > 0) sums.push({ startMs, sum: some.reduce(addSum, NO_CALLS) })
    return true
  }
  const firstHour = lastHour - OVERVIEW_HOURS + 1
  const from = toHour(Math.min(sinceMs, monthMs))
  if (from < firstHour) {
    const earlier = { from, to: firstHour - 1, coarsest: 'day' as const }
    // Some of these sums are of hours, which have durations; those shown are of 24 hours.
    await readSkillSums(ports, earlier, (some, startMs) =>
      take(
        some.map(({ durations: _none, ...sum }) => sum),
        startMs,
      ),
    )
  }
  await readSkillSums(ports, { from: firstHour, to: lastHour, coarsest: 'hour' }, take)
  return sums
}

/** Refunds of calls that nobody would call a failure. */
const NOT_FAILED: readonly RefundReason[] = ['cancelled', 'input_required', 'repeat']

function toNumbers({ charged, givenBack, reasons, refunded, settled }: UsageSum): OverviewNumbers {
  const others = NOT_FAILED.reduce((sum, reason) => sum + (reasons[reason] ?? 0), 0)
  return {
    calls: settled + refunded,
    failed: refunded - others,
    refunded,
    charged: toCreditsNumber(charged),
    givenBack: toCreditsNumber(givenBack),
  }
}

function toDurations(counts: UsageSum['durations']): Pick<Overview, 'durations'> {
  if (counts === undefined) return {}
  const [p50Ms, p95Ms] = [computePercentileMs(counts, 0.5), computePercentileMs(counts, 0.95)]
  return { durations: { calls: countCalls(counts), p50Ms, p95Ms } }
}

function toMonthShare(nowMs: number, monthMs: number): number {
  const nextMs = toPeriodStartMs('month', toPeriodIndex('month', nowMs) + 1)
  return (nowMs - monthMs) / (nextMs - monthMs)
}
