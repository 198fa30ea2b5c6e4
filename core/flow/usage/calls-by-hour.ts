/**
 * Lists calls of all users, newest first, from the pages of their slots. The sums say which hours
 * have calls of the skill, so other hours are not read. One request reads at most CALLS_HOURS_MAX
 * hours.
 */
import type { Ports } from '../../ports/ports.ts'
import { type CallFilter, type CallRow, matchesCallFilter } from '../../usage/call-row.ts'
import { CALLS_HOURS_MAX } from '../../usage/limits.ts'
import { HOUR_MS, listSlots, toHour, toSlot } from '../../usage/slots.ts'
import { type CallFold, foldSlots, type PageReadNeeds } from './fold-calls.ts'

export type PagedCallNeeds = Pick<Ports, 'clock'> &
  PageReadNeeds & { readonly usageSums: Pick<Ports['usageSums'], 'readHead' | 'readSkills'> }

/** A position in the list of all calls: after this call. */
export type CallPlace = { readonly createdAtMs: number; readonly callId: string }

/** `next` is undefined at the end of the list. */
export type FoundCalls = { readonly rows: readonly CallRow[]; readonly next: CallPlace | undefined }

type Page = { readonly limit: number; readonly after: CallPlace | undefined }

/** Returns at most `limit` calls; fewer if the request has read its hours. */
export async function listCallsByHour(
  ports: PagedCallNeeds,
  filter: CallFilter,
  page: Page,
): Promise<FoundCalls> {
  const rows: CallRow[] = []
  const hours = await findHoursWithCalls(ports, filter, page.after)
  const newest = keepNewest(filter, page)
  for (const slots of groupSlots(ports, hours.slice(0, CALLS_HOURS_MAX), filter, page.after)) {
    const found = await foldSlots(ports, slots, newest)
    rows.push(...found.flat().sort(compareAge))
    if (rows.length > page.limit) {
      return { rows: rows.slice(0, page.limit), next: rows[page.limit - 1] }
    }
  }
  const rest = hours[CALLS_HOURS_MAX]
  const next = rest === undefined ? undefined : { createdAtMs: (rest + 1) * HOUR_MS, callId: '-' }
  return { rows, next }
}

/** Keeps the newest calls after `after` that the filter allows: one more than a page has. */
function keepNewest(filter: CallFilter, { after, limit }: Page): CallFold<CallRow[]> {
  return {
    start: () => [],
    add: (kept, rows) => {
      for (const row of rows) {
        if (matchesCallFilter(row, filter) && (after === undefined || compareAge(after, row) < 0))
          kept.push(row)
      }
      kept.sort(compareAge)
      kept.length = Math.min(kept.length, limit + 1)
    },
  }
}

/**
 * Slots of the hours that can have such calls, newest first. The first slot comes alone, since it
 * often fills a page; then come the slots of an hour together, so that a store over a network costs
 * one wait.
 */
function groupSlots(
  { clock }: Pick<Ports, 'clock'>,
  hours: readonly number[],
  { sinceMs, untilMs }: CallFilter,
  after: CallPlace | undefined,
): readonly (readonly number[])[] {
  const [from, to] = [toSlot(sinceMs), toSlot(Math.min(untilMs - 1, clock.nowMs()))]
  const last = after === undefined ? to : Math.min(to, toSlot(after.createdAtMs))
  const [first = [], ...others] = hours
    .map((hour) => listSlots(hour).filter((slot) => slot >= from && slot <= last))
    .filter((slots) => slots.length > 0)
    .map((slots) => slots.toReversed())
  return [first.slice(0, 1), first.slice(1), ...others]
}

/** Newest first. */
function compareAge(a: CallPlace, b: CallPlace): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs
  if (a.callId === b.callId) return 0
  return a.callId < b.callId ? 1 : -1
}

/** Hours, newest first. The last two or three hours have no sums yet, so they are always read. */
async function findHoursWithCalls(
  ports: PagedCallNeeds,
  { sinceMs, skill, untilMs }: CallFilter,
  after: CallPlace | undefined,
): Promise<readonly number[]> {
  const head = await ports.usageSums.readHead('hour')
  if (head === undefined) return []
  const from = toHour(sinceMs)
  const to = Math.min(toHour(untilMs - 1), toHour(ports.clock.nowMs()))
  const rolledTo = Math.min(to, head.rolled)
  const sums =
    rolledTo < from
      ? new Map()
      : await ports.usageSums.readSkills({ level: 'hour', from, to: rolledTo })
  const rolled = [...sums].flatMap(([hour, all]) =>
    skill === undefined || all.some(({ name }: { name: string }) => name === skill) ? [hour] : [],
  )
  const open = Array.from(
    { length: Math.max(0, to - Math.max(from - 1, head.rolled)) },
    (_, index) => Math.max(from, head.rolled + 1) + index,
  )
  const all = [...rolled, ...open].sort((a, b) => b - a)
  return after === undefined ? all : all.filter((hour) => hour * HOUR_MS <= after.createdAtMs)
}
