/**
 * GET calls: ended calls that a filter allows, newest first. Calls of one user come from the user's
 * ledger and are current; calls of all users come from pages, up to a minute late. A request reads
 * at most CALLS_READ_MAX calls of a user, or CALLS_HOURS_MAX hours. A page that is not full has a
 * cursor if there may be more. Bound by ADR 0048.
 */
import { makeCallId } from '../../call/call-id.ts'
import { ok, type Result } from '../../errors.ts'
import { readPageStart, writeCursor } from '../../json/cursor.ts'
import { readPageLimit } from '../../json/page-limit.ts'
import { LEDGER_PAGE_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports/ports.ts'
import {
  type CallFilter,
  type CallRow,
  matchesCallFilter,
  toCallRow,
} from '../../usage/call-row.ts'
import {
  CALLS_PAGE_DEFAULT,
  CALLS_PAGE_MAX,
  CALLS_READ_MAX,
  CALLS_SPAN_MS_DEFAULT,
  CALLS_SPAN_MS_MAX,
} from '../../usage/limits.ts'
import { readSpan } from '../../usage/time-span.ts'
import { type CallView, toCallView } from './call-view.ts'
import {
  type CallPlace,
  type FoundCalls,
  listCallsByHour,
  type PagedCallNeeds,
} from './calls-by-hour.ts'

export type CallQuery = { readonly [name: string]: string | undefined }

export type CallPage = { readonly calls: readonly CallView[]; readonly nextCursor?: string }

type LedgerNeeds = { readonly ledger: Pick<Ports['ledger'], 'list'> }
type Needs = LedgerNeeds & PagedCallNeeds

/** Refuses with `malformed` a bad parameter. An unknown user has no calls. */
export async function listCalls(ports: Needs, query: CallQuery): Promise<Result<CallPage>> {
  const limits = { max: CALLS_PAGE_MAX, otherwise: CALLS_PAGE_DEFAULT }
  const limit = readPageLimit(query['limit'], limits)
  if (!limit.ok) return limit
  const filter = readFilter(query, ports.clock.nowMs())
  if (!filter.ok) return filter
  const after = readPageStart(query['cursor'], parsePlace)
  if (!after.ok) return after
  const { user } = filter.value
  const page = { limit: limit.value, after: after.value }
  const { next, rows } =
    user === undefined
      ? await listCallsByHour(ports, filter.value, page)
      : await listCallsOfUser(ports, { ...filter.value, user }, page)
  return ok({
    calls: rows.map(toCallView),
    ...(next === undefined ? {} : { nextCursor: writePlace(next) }),
  })
}

function readFilter(query: CallQuery, nowMs: number): Result<CallFilter> {
  const { key, min_ms: minMs, outcome, since, skill, until, user } = query
  const terms = { nowMs, maxMs: CALLS_SPAN_MS_MAX, otherwiseMs: CALLS_SPAN_MS_DEFAULT }
  const span = readSpan({ since, until }, terms)
  if (!span.ok) return span
  return ok({ user, skill, key, outcome, minMs: Number(minMs ?? 0), ...span.value })
}

/** Execute starts a call up to a minute after its id was made, and the ledger is sorted by ids. */
const ID_LEAD_MS = 60_000

async function listCallsOfUser(
  ports: LedgerNeeds,
  filter: CallFilter & { readonly user: string },
  page: { readonly limit: number; readonly after: CallPlace | undefined },
): Promise<FoundCalls> {
  const rows: CallRow[] = []
  const first = makeCallId(Math.max(0, filter.sinceMs - ID_LEAD_MS), '')
  let before = page.after?.callId ?? makeCallId(filter.untilMs, '')
  for (let read = 0; read < CALLS_READ_MAX; read += LEDGER_PAGE_MAX) {
    const of = { uid: filter.user, before, limit: LEDGER_PAGE_MAX }
    const { next, outcomes } = await ports.ledger.list(of)
    rows.push(...outcomes.map(toCallRow).filter((row) => matchesCallFilter(row, filter)))
    if (rows.length > page.limit) {
      return { rows: rows.slice(0, page.limit), next: rows[page.limit - 1] }
    }
    if (next === undefined || next < first) return { rows, next: undefined }
    before = next
  }
  return { rows, next: { createdAtMs: 0, callId: before } }
}

function writePlace({ callId, createdAtMs }: CallPlace): string {
  return writeCursor(`call:${createdAtMs}:${callId}`)
}

function parsePlace(position: string): CallPlace | undefined {
  const [, createdAtMs, callId] = /^call:(\d{1,15}):([A-Za-z0-9_-]{1,128})$/.exec(position) ?? []
  return callId === undefined ? undefined : { createdAtMs: Number(createdAtMs), callId }
}
