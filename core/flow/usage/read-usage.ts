/**
 * GET usage: exact sums of a span of whole hours, by skill, user, key or day. Hours that are over come
 * from their sums, later ones from their pages. The sums are those of the ledger for all outcomes
 * that the news has brought, a few seconds behind it. Bound by ADR 0048.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { creditsNumber } from '../../ledger/amount.ts'
import type { RefundReason } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports.ts'
import type { SkillSource } from '../../skills/skill.ts'
import { USAGE_ROWS_MAX, USAGE_SPAN_MS_MAX } from '../../usage/limits.ts'
import { openSums } from '../../usage/open-sums.ts'
import { HOUR_MS, hourOf, slotOf, slotsOf } from '../../usage/slots.ts'
import { readSpan, type SentSpan, type TimeSpan } from '../../usage/time-span.ts'
import { fold, type Series, type UsageSum } from '../../usage/usage-sum.ts'
import { foldSlots, type PageReadNeeds } from './fold-calls.ts'

export const USAGE_BY = ['skill', 'user', 'key', 'day'] as const
export type UsageBy = (typeof USAGE_BY)[number]

export type UsageEntry = {
  readonly skillId?: string
  readonly source?: SkillSource
  readonly uid?: string
  readonly keyId?: string
  readonly day?: string
  readonly calls: number
  readonly settled: number
  readonly refunded: number
  /** Credits that the settled calls cost. */
  readonly charged: number
  /** Credits that were given back for the others. */
  readonly givenBack: number
  readonly durationMs: number
  readonly reasons: { readonly [reason in RefundReason]?: number }
}

export type Usage = {
  readonly by: UsageBy
  readonly sinceMs: number
  readonly untilMs: number
  readonly entries: readonly UsageEntry[]
}

type Needs = Pick<Ports, 'clock'> &
  PageReadNeeds & { readonly usageSums: Pick<Ports['usageSums'], 'read' | 'readHead'> }

export async function readUsage(ports: Needs, by: UsageBy, sent: SentSpan): Promise<Result<Usage>> {
  const span = readHours(sent, ports.clock.nowMs())
  if (!span.ok) return span
  const { sinceMs, untilMs } = span.value
  const series = by === 'day' ? 'skill' : by
  const hours = await sumsByHour(ports, series, {
    from: hourOf(sinceMs),
    to: hourOf(untilMs) - 1,
  })
  const named = [...hours].flatMap(([hour, sums]) =>
    by === 'day' ? sums.map((sum) => ofDay(sum, hour)) : sums,
  )
  const all = fold(named)
  if (all.length > USAGE_ROWS_MAX) return tooMany(all.length)
  return ok({ by, sinceMs, untilMs, entries: all.map((sum) => entryOf(by, sum)) })
}

/** Whole hours; without a span, the day of UTC that is under way, with the hour that is. */
function readHours({ since, until }: SentSpan, nowMs: number): Result<TimeSpan> {
  const nextHourMs = (hourOf(nowMs) + 1) * HOUR_MS
  const otherwiseMs = nextHourMs - Math.floor(nowMs / DAY_MS) * DAY_MS
  const span = readSpan(
    { since, until: until ?? String(nextHourMs) },
    {
      nowMs,
      otherwiseMs,
      maxMs: USAGE_SPAN_MS_MAX,
    },
  )
  if (!span.ok) return span
  for (const [name, ms] of [
    ['since', span.value.sinceMs],
    ['until', span.value.untilMs],
  ] as const) {
    if (ms % HOUR_MS !== 0) return notAnHour(name)
  }
  return span
}

const DAY_MS = 86_400_000

/** Sums are kept by the hour. */
function notAnHour(name: string): Result<never> {
  const message = 'must be a full hour of UTC, such as 2026-11-22T08:00:00Z'
  return refuse('malformed', `${name}: ${message}.`, {
    faults: [{ pointer: `/query/${name}`, message }],
  })
}

async function sumsByHour(
  ports: Needs,
  series: Series,
  span: { readonly from: number; readonly to: number },
): Promise<ReadonlyMap<number, readonly UsageSum[]>> {
  const head = await ports.usageSums.readHead()
  if (head === undefined) return new Map()
  const { from, to } = span
  const rolledTo = Math.min(to, head.rolled)
  const found = new Map(
    rolledTo < from ? [] : await ports.usageSums.read({ series, from, to: rolledTo }),
  )
  // Nothing has started in hours to come.
  const last = Math.min(to, hourOf(ports.clock.nowMs()))
  for (let hour = Math.max(from, head.rolled + 1); hour <= last; hour += 1) {
    const sums = await openHourSums(ports, hour, series)
    if (sums.length > 0) found.set(hour, sums)
  }
  return found
}

/** From the pages of its slots that have begun. */
async function openHourSums(
  ports: Needs,
  hour: number,
  series: Series,
): Promise<readonly UsageSum[]> {
  const slots = slotsOf(hour).filter((slot) => slot <= slotOf(ports.clock.nowMs()))
  const made = await foldSlots(ports, slots, {
    start: () => openSums(series),
    add: (sums, rows) => sums.add(rows),
  })
  return fold(made.flatMap((sums) => sums.read()))
}

function ofDay({ source: _source, ...sum }: UsageSum, hour: number): UsageSum {
  return { ...sum, name: new Date(hour * HOUR_MS).toISOString().slice(0, 10) }
}

function entryOf(by: UsageBy, sum: UsageSum): UsageEntry {
  const { charged, durationMs, givenBack, name, reasons, refunded, settled } = sum
  return {
    ...nameOf(by, sum, name),
    calls: settled + refunded,
    settled,
    refunded,
    charged: creditsNumber(charged),
    givenBack: creditsNumber(givenBack),
    durationMs,
    reasons,
  }
}

function nameOf(by: UsageBy, { source, uid }: UsageSum, name: string): Partial<UsageEntry> {
  switch (by) {
    case 'skill':
      return { skillId: name, ...(source === undefined ? {} : { source }) }
    case 'user':
      return { uid: name }
    case 'key':
      return { keyId: name, ...(uid === undefined ? {} : { uid }) }
    case 'day':
      return { day: name }
    default:
      return by satisfies never
  }
}

function tooMany(count: number): Result<never> {
  return refuse(
    'malformed',
    `since: this span has ${count} entries, more than ${USAGE_ROWS_MAX}; ask for fewer days, or by skill or day.`,
  )
}
