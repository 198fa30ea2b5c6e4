/**
 * Calls of all users, newest first, from the pages of their hours. The sums say which hours have
 * calls of the skill, so that others are not read. One request reads CALLS_HOURS_MAX hours at most.
 */
import { timeOfCallId } from '../../call/call-id.ts'
import type { Ports } from '../../ports.ts'
import { type CallFilter, passes } from '../../usage/call-filter.ts'
import type { CallRow } from '../../usage/call-row.ts'
import { CALLS_HOURS_MAX } from '../../usage/limits.ts'
import { HOUR_MS, hourOf } from '../../usage/slots.ts'
import { hourRows, type PageReadNeeds } from './hour-rows.ts'

export type PagedCallNeeds = Pick<Ports, 'clock'> &
  PageReadNeeds & { readonly usageSums: Pick<Ports['usageSums'], 'read' | 'readHead'> }

/** A place in the list of all calls: behind this one. */
export type CallPlace = { readonly createdAtMs: number; readonly callId: string }

/** `next` is undefined at the end. */
export type FoundCalls = { readonly rows: readonly CallRow[]; readonly next: CallPlace | undefined }

export async function callsByHour(
  ports: PagedCallNeeds,
  filter: CallFilter,
  page: { readonly limit: number; readonly after: CallPlace | undefined },
): Promise<FoundCalls> {
  const rows: CallRow[] = []
  const { after, limit } = page
  const hours = await hoursWithCalls(ports, filter, after)
  for (const hour of hours.slice(0, CALLS_HOURS_MAX)) {
    const found = (await hourRows(ports, hour)).filter(
      (row) => passes(row, filter) && (after === undefined || byAge(after, row) < 0),
    )
    rows.push(...found.sort(byAge))
    if (rows.length > limit) return { rows: rows.slice(0, limit), next: rows[limit - 1] }
  }
  const rest = hours[CALLS_HOURS_MAX]
  const next = rest === undefined ? undefined : { createdAtMs: (rest + 1) * HOUR_MS, callId: '-' }
  return { rows, next }
}

/** Newest first. */
function byAge(a: CallPlace, b: CallPlace): number {
  if (a.createdAtMs !== b.createdAtMs) return b.createdAtMs - a.createdAtMs
  if (a.callId === b.callId) return 0
  return a.callId < b.callId ? 1 : -1
}

/** Newest first. Hours without sums are all read: they are the last two or three. */
async function hoursWithCalls(
  ports: PagedCallNeeds,
  { sinceMs, skill, untilMs }: CallFilter,
  after: CallPlace | undefined,
): Promise<readonly number[]> {
  const head = await ports.usageSums.readHead()
  if (head === undefined) return []
  const from = hourOf(sinceMs)
  const to = Math.min(hourOf(untilMs - 1), hourOf(ports.clock.nowMs()))
  const rolledTo = Math.min(to, head.rolled)
  const sums =
    rolledTo < from
      ? new Map()
      : await ports.usageSums.read({ series: 'skill', from, to: rolledTo })
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

/** The row of a call whose user is not known; its id says when it began. */
export async function findRow(ports: PageReadNeeds, callId: string): Promise<CallRow | undefined> {
  const madeAtMs = timeOfCallId(callId)
  if (madeAtMs === undefined) return undefined
  const rows = await hourRows(ports, hourOf(madeAtMs))
  const found = rows.find((row) => row.callId === callId)
  if (found !== undefined) return found
  // Execute starts a call up to a minute after its id was made, perhaps in the next hour.
  const next = await hourRows(ports, hourOf(madeAtMs) + 1)
  return next.find((row) => row.callId === callId)
}
