/**
 * GET usage: exact sums of whole hours by one or two of skill, user, key, day and month, with totals.
 * The sums are those of the ledger for all outcomes that were delivered, up to a minute late. Bound
 * by ADR 0048 and ADR 0139.
 */
import { isIdentifier } from '../../access/user-names.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { toCreditsNumber } from '../../ledger/amount.ts'
import type { RefundReason } from '../../ledger/ledger.ts'
import type { CreditPrice } from '../../settings/credit-price.ts'
import {
  USAGE_DAYS_MS_MAX,
  USAGE_PARTS_MAX,
  USAGE_ROWS_MAX,
  USAGE_SPAN_MS_MAX,
} from '../../usage/limits.ts'
import { toMoney } from '../../usage/money.ts'
import type { Span } from '../../usage/periods.ts'
import { HOUR_MS, toHour } from '../../usage/slots.ts'
import { readSpan, type SentSpan, type TimeSpan } from '../../usage/time-span.ts'
import { toSumOfDetail } from '../../usage/usage-detail.ts'
import {
  type Dimension,
  type Dimensions,
  type EntryName,
  nameEntry,
  needsSkillsOnly,
} from '../../usage/usage-dimensions.ts'
import { addSum, NO_CALLS, type UsageSum } from '../../usage/usage-sum.ts'
import { readDetailSums, readSkillSums, type SumReadNeeds } from './read-sums.ts'

export type UsageQuery = SentSpan & {
  readonly by: Dimensions
  /** Only calls of this user, and of this skill. */
  readonly user?: string | undefined
  readonly skill?: string | undefined
}

export type UsageNumbers = {
  readonly calls: number
  readonly settled: number
  readonly refunded: number
  /** Credits that the settled calls cost. */
  readonly charged: number
  /** What the settled calls cost, if a credit has a price. */
  readonly money?: string
  /** Credits that were given back for the refunded calls. */
  readonly givenBack: number
  readonly durationMs: number
  readonly reasons: { readonly [reason in RefundReason]?: number }
}

export type UsageEntry = EntryName & UsageNumbers

export type Usage = {
  readonly by: string
  readonly sinceMs: number
  readonly untilMs: number
  readonly creditPrice?: CreditPrice
  readonly entries: readonly UsageEntry[]
  /** Sums of the entries that have the first dimension in common, if there are two. */
  readonly totals?: readonly UsageEntry[]
  readonly total: UsageNumbers
}

/**
 * Refuses with `malformed` a span that is not of whole hours or is too long, and a request that
 * reads or answers too much.
 */
export async function readUsage(
  ports: SumReadNeeds,
  query: UsageQuery,
  price?: CreditPrice | undefined,
): Promise<Result<Usage>> {
  const span = readHours(query, ports.clock.nowMs())
  if (!span.ok) return span
  const { sinceMs, untilMs } = span.value
  const groups = await addUp(ports, query, span.value)
  if (!groups.ok) return groups
  const sums = [...groups.value.values()].sort(compareNames)
  const [first, second] = query.by
  const totals = second === undefined ? {} : { totals: toTotals(sums, [first], price) }
  return ok({
    by: query.by.join(','),
    sinceMs,
    untilMs,
    ...(price === undefined ? {} : { creditPrice: price }),
    entries: sums.map(({ name, sum }) => ({ ...name, ...toNumbers(sum, price) })),
    ...totals,
    total: toNumbers(addAll(sums.map(({ sum }) => sum)), price),
  })
}

/**
 * Returns a sum for each user with calls in a span of whole hours. Refuses with `malformed` a span
 * with more parts than one request reads.
 */
export async function addUpUsers(
  ports: SumReadNeeds,
  hours: Span,
): Promise<Result<readonly UsageSum[]>> {
  const groups: Groups = new Map()
  const span = { ...hours, coarsest: 'day' as const, uid: undefined }
  const read = await readDetailSums(ports, span, (details) => {
    for (const detail of details) {
      addTo(groups, { uid: detail.uid }, toSumOfDetail(detail, { name: '' }))
    }
    return true
  })
  if (read.kind === 'stopped') return refuseTooMuch()
  return ok([...groups].map(([uid, { sum }]) => ({ ...sum, name: uid })))
}

/** Whole hours. Without a span: the current UTC day up to the end of the current hour. */
function readHours({ by, since, until }: UsageQuery, nowMs: number): Result<TimeSpan> {
  const nextHourMs = (toHour(nowMs) + 1) * HOUR_MS
  const otherwiseMs = nextHourMs - Math.floor(nowMs / DAY_MS) * DAY_MS
  const byDay = by.includes('day')
  const span = readSpan(
    { since, until: until ?? String(nextHourMs) },
    { nowMs, otherwiseMs, maxMs: byDay ? USAGE_DAYS_MS_MAX : USAGE_SPAN_MS_MAX },
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

type Group = { readonly name: EntryName; readonly key: readonly string[]; sum: UsageSum }
type Groups = Map<string, Group>

async function addUp(
  ports: SumReadNeeds,
  query: UsageQuery,
  { sinceMs, untilMs }: TimeSpan,
): Promise<Result<Groups>> {
  const { by, skill, user } = query
  // A user without an id that fits has no calls.
  if (user !== undefined && !isIdentifier(user)) return ok(new Map())
  const groups: Groups = new Map()
  const span = {
    from: toHour(sinceMs),
    to: toHour(untilMs) - 1,
    coarsest: by.includes('day') ? ('day' as const) : ('month' as const),
  }
  const isWanted = (skillId: string) => skill === undefined || skillId === skill
  const read =
    user === undefined && needsSkillsOnly(by)
      ? await readSkillSums(ports, span, (sums, startMs) => {
          for (const { durations: _durations, failures: _failures, ...sum } of sums) {
            if (!isWanted(sum.name)) continue
            const of = { skillId: sum.name, source: sum.source ?? 'private' }
            addTo(groups, nameEntry(by, of, startMs), sum)
          }
          return groups.size <= USAGE_ROWS_MAX
        })
      : await readDetailSums(ports, { ...span, uid: user }, (details, startMs) => {
          for (const detail of details) {
            if (!isWanted(detail.skillId)) continue
            addTo(groups, nameEntry(by, detail, startMs), toSumOfDetail(detail, { name: '' }))
          }
          return groups.size <= USAGE_ROWS_MAX
        })
  if (groups.size > USAGE_ROWS_MAX) return refuseTooMany()
  return read.kind === 'stopped' ? refuseTooMuch() : ok(groups)
}

function addTo(groups: Groups, name: EntryName, { source: _none, ...sum }: UsageSum): void {
  const key = Object.values(name)
  const joined = key.join(' ')
  const before = groups.get(joined)
  if (before === undefined) groups.set(joined, { name, key, sum: { ...sum, name: '' } })
  else before.sum = addSum(before.sum, sum)
}

function addAll(sums: readonly UsageSum[]): UsageSum {
  return sums.reduce(addSum, NO_CALLS)
}

/** In the order of the dimensions. */
function compareNames({ key: a }: Group, { key: b }: Group): number {
  const at = a.findIndex((word, index) => word !== b[index])
  if (at === -1) return 0
  return (a[at] ?? '') < (b[at] ?? '') ? -1 : 1
}

function toTotals(
  sums: readonly Group[],
  [first]: readonly [Dimension],
  price: CreditPrice | undefined,
): readonly UsageEntry[] {
  const totals: Groups = new Map()
  for (const { name, sum } of sums) addTo(totals, selectNames(first, name), sum)
  return [...totals.values()].map(({ name, sum }) => ({ ...name, ...toNumbers(sum, price) }))
}

/** The names of one dimension. */
function selectNames(
  dimension: Dimension,
  { day, keyId, month, skillId, source, uid }: EntryName,
): EntryName {
  switch (dimension) {
    case 'skill':
      return { skillId: skillId ?? '', ...(source === undefined ? {} : { source }) }
    case 'user':
      return { uid: uid ?? '' }
    case 'key':
      return { keyId: keyId ?? '', uid: uid ?? '' }
    case 'day':
      return { day: day ?? '' }
    case 'month':
      return { month: month ?? '' }
    default:
      return dimension satisfies never
  }
}

function toNumbers(sum: UsageSum, price: CreditPrice | undefined): UsageNumbers {
  const { charged, durationMs, givenBack, reasons, refunded, settled } = sum
  return {
    calls: settled + refunded,
    settled,
    refunded,
    charged: toCreditsNumber(charged),
    ...(price === undefined ? {} : { money: toMoney(charged, price) }),
    givenBack: toCreditsNumber(givenBack),
    durationMs,
    reasons,
  }
}

function refuseTooMany(): Result<never> {
  return refuse(
    'malformed',
    `by: this request has more than ${USAGE_ROWS_MAX} entries; ask for a shorter span, by month in place of day, or for one user or skill.`,
  )
}

function refuseTooMuch(): Result<never> {
  return refuse(
    'malformed',
    `since: this request reads more than ${USAGE_PARTS_MAX} stored parts; ask for fewer months, for one user, or by skill.`,
  )
}
