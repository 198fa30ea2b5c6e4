/**
 * GET usage: exact sums of whole hours, by skill, user, key or day. Finished hours come from their
 * sums, later ones from their pages. The sums are those of the ledger for all outcomes that were
 * delivered, up to a minute late. Bound by ADR 0048.
 */
import { ok, type Result, refuse } from '../../errors.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { RefundReason } from '../../ledger/ledger.ts'
import type { Ports } from '../../ports/ports.ts'
import type { SkillSource } from '../../skills/skill.ts'
import { USAGE_ROWS_MAX, USAGE_SPAN_MS_MAX } from '../../usage/limits.ts'
import { createOpenSums } from '../../usage/open-sums.ts'
import { HOUR_MS, listSlots, slotToHour, toHour, toSlot } from '../../usage/slots.ts'
import { readSpan, type SentSpan, type TimeSpan } from '../../usage/time-span.ts'
import {
  addSums,
  listSums,
  type Series,
  type SumGroups,
  type UsageSum,
} from '../../usage/usage-sum.ts'
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
  /** Credits that were given back for the refunded calls. */
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

/**
 * Refuses with `malformed` a span that is not of whole hours, is too long, or has too many entries.
 */
export async function readUsage(
  ports: HourSumNeeds,
  by: UsageBy,
  sent: SentSpan,
): Promise<Result<Usage>> {
  const span = readHours(sent, ports.clock.nowMs())
  if (!span.ok) return span
  const { sinceMs, untilMs } = span.value
  const series = by === 'day' ? 'skill' : by
  const hours = await readSumsByHour(ports, series, {
    from: toHour(sinceMs),
    to: toHour(untilMs) - 1,
  })
  const totals = await addUp(ports, hours, by)
  if (totals.length > USAGE_ROWS_MAX) return refuseTooMany(totals.length)
  return ok({ by, sinceMs, untilMs, entries: totals.map((sum) => toEntry(by, sum)) })
}

/** Sums of all users with calls in a span of hours, both included. */
export async function addUpUsers(
  ports: HourSumNeeds,
  hours: { readonly from: number; readonly to: number },
): Promise<readonly UsageSum[]> {
  return addUp(ports, await readSumsByHour(ports, 'user', hours), 'user')
}

/** Whole hours. Without a span: the current UTC day up to the end of the current hour. */
function readHours({ since, until }: SentSpan, nowMs: number): Result<TimeSpan> {
  const nextHourMs = (toHour(nowMs) + 1) * HOUR_MS
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
    if (ms % HOUR_MS !== 0) return refusePartHour(name)
  }
  return span
}

const DAY_MS = 86_400_000

/** Sums are stored by hour. */
function refusePartHour(name: string): Result<never> {
  const message = 'must be a full hour of UTC, such as 2026-11-22T08:00:00Z'
  return refuse('malformed', `${name}: ${message}.`, {
    faults: [{ pointer: `/query/${name}`, message }],
  })
}

/** Sums added at once; the event loop serves other requests in between. */
const SUMS_AT_ONCE = 1_000

async function addUp(
  { clock }: Pick<HourSumNeeds, 'clock'>,
  hours: readonly HourOfSums[],
  by: UsageBy,
): Promise<readonly UsageSum[]> {
  const groups: SumGroups = new Map()
  let added = 0
  for (const [hour, sums] of hours) {
    for (let from = 0; from < sums.length; from += SUMS_AT_ONCE) {
      const some = sums.slice(from, from + SUMS_AT_ONCE)
      addSums(
        groups,
        some.map((sum) => toAddable(sum, hour, by)),
      )
      added += some.length
      if (added < SUMS_AT_ONCE) continue
      added = 0
      await clock.sleep(0)
    }
  }
  return listSums(groups)
}

/** Removes the durations, which no entry shows and which take most of the time to add. */
function toAddable({ durations: _none, ...sum }: UsageSum, hour: number, by: UsageBy): UsageSum {
  if (by !== 'day') return sum
  const { source: _source, ...ofDay } = sum
  return { ...ofDay, name: new Date(hour * HOUR_MS).toISOString().slice(0, 10) }
}

function toEntry(by: UsageBy, sum: UsageSum): UsageEntry {
  const { charged, durationMs, givenBack, name, reasons, refunded, settled } = sum
  return {
    ...toEntryName(by, sum, name),
    calls: settled + refunded,
    settled,
    refunded,
    charged: toCreditsNumber(charged),
    givenBack: toCreditsNumber(givenBack),
    durationMs,
    reasons,
  }
}

function toEntryName(by: UsageBy, { source, uid }: UsageSum, name: string): Partial<UsageEntry> {
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

function refuseTooMany(count: number): Result<never> {
  return refuse(
    'malformed',
    `since: this span has ${count} entries, more than ${USAGE_ROWS_MAX}; ask for fewer days, or by skill or day.`,
  )
}

export type HourSumNeeds = Pick<Ports, 'clock'> &
  PageReadNeeds & { readonly usageSums: Pick<Ports['usageSums'], 'read' | 'readHead'> }

type HourOfSums = readonly [hour: number, sums: readonly UsageSum[]]

/**
 * Sums by hour: stored sums for finished hours, pages for later ones. From one hour to another,
 * both included. An open hour comes in parts; hours without calls may be missing.
 */
async function readSumsByHour(
  ports: HourSumNeeds,
  series: Series,
  span: { readonly from: number; readonly to: number },
): Promise<readonly HourOfSums[]> {
  const head = await ports.usageSums.readHead()
  if (head === undefined) return []
  const { from, to } = span
  const rolledTo = Math.min(to, head.rolled)
  const kept = rolledTo < from ? [] : await ports.usageSums.read({ series, from, to: rolledTo })
  const found: HourOfSums[] = [...kept]
  // No call has started in a future slot.
  const last = toSlot(ports.clock.nowMs())
  for (
    let hour = Math.max(from, head.rolled + 1);
    hour <= Math.min(to, slotToHour(last));
    hour += 1
  ) {
    const slots = listSlots(hour).filter((slot) => slot <= last)
    const sums = await foldSlots(ports, slots, {
      start: () => createOpenSums(series),
      add: (open, rows) => open.add(rows),
    })
    found.push(...sums.map((open): HourOfSums => [hour, open.read()]))
  }
  return found
}
