/**
 * GET calls: ended calls, newest first, that pass a filter. Those of one user come from the user's
 * ledger, as it is at this moment. A request looks at CALLS_READ_MAX calls at most; a page that is
 * not full has a cursor when there may be more. Bound by ADR 0048.
 */
import { callIdAt } from '../../call/call-id.ts'
import { ok, type Result, refuse } from '../../errors.ts'
import { readCursor, writeCursor } from '../../json/cursor.ts'
import { readPageLimit } from '../../json/page-limit.ts'
import { LEDGER_PAGE_MAX } from '../../ledger/limits.ts'
import type { Ports } from '../../ports.ts'
import { type CallFilter, passes } from '../../usage/call-filter.ts'
import { type CallRow, rowOf } from '../../usage/call-row.ts'
import {
  CALLS_PAGE_DEFAULT,
  CALLS_PAGE_MAX,
  CALLS_READ_MAX,
  CALLS_SPAN_MS_DEFAULT,
  CALLS_SPAN_MS_MAX,
} from '../../usage/limits.ts'
import { readSpan } from '../../usage/time-span.ts'
import { type CallView, callView } from './call-view.ts'

export type CallQuery = { readonly [name: string]: string | undefined }

export type CallPage = { readonly calls: readonly CallView[]; readonly nextCursor?: string }

type Needs = Pick<Ports, 'clock'> & { readonly ledger: Pick<Ports['ledger'], 'list'> }

/** Calls that were found, and where the next request goes on; undefined at the end. */
type Found = { readonly rows: readonly CallRow[]; readonly next: string | undefined }

/** Refuses with `malformed` what does not fit; an unknown user has no calls. */
export async function listCalls(ports: Needs, query: CallQuery): Promise<Result<CallPage>> {
  const limits = { max: CALLS_PAGE_MAX, otherwise: CALLS_PAGE_DEFAULT }
  const limit = readPageLimit(query['limit'], limits)
  if (!limit.ok) return limit
  const filter = readFilter(query, ports.clock.nowMs())
  if (!filter.ok) return filter
  const before = query['cursor'] === undefined ? undefined : positionOf(query['cursor'])
  if (query['cursor'] !== undefined && before === undefined) return NOT_OURS
  const { user } = filter.value
  if (user === undefined) return NO_USER
  const found = await ofUser(ports, { ...filter.value, user }, { limit: limit.value, before })
  const { next, rows } = found
  return ok({
    calls: rows.map(callView),
    ...(next === undefined ? {} : { nextCursor: writeCursor(`call:${next}`) }),
  })
}

function readFilter(query: CallQuery, nowMs: number): Result<CallFilter> {
  const { min_ms: minMs, outcome, since, skill, until, user } = query
  const terms = { nowMs, maxMs: CALLS_SPAN_MS_MAX, otherwiseMs: CALLS_SPAN_MS_DEFAULT }
  const span = readSpan({ since, until }, terms)
  if (!span.ok) return span
  return ok({ user, skill, outcome, minMs: Number(minMs ?? 0), ...span.value })
}

async function ofUser(
  ports: Needs,
  filter: CallFilter & { readonly user: string },
  page: { readonly limit: number; readonly before: string | undefined },
): Promise<Found> {
  const rows: CallRow[] = []
  const first = callIdAt(filter.sinceMs, '')
  let before = page.before ?? callIdAt(filter.untilMs, '')
  for (let read = 0; read < CALLS_READ_MAX; read += LEDGER_PAGE_MAX) {
    const of = { uid: filter.user, before, limit: LEDGER_PAGE_MAX }
    const { next, outcomes } = await ports.ledger.list(of)
    rows.push(...outcomes.map(rowOf).filter((row) => passes(row, filter)))
    if (rows.length >= page.limit) return firstOf(rows, page.limit)
    if (next === undefined || next < first) return { rows, next: undefined }
    before = next
  }
  return { rows, next: before }
}

/** The next page begins after the last call of this one. */
function firstOf(rows: readonly CallRow[], limit: number): Found {
  const shown = rows.slice(0, limit)
  return { rows: shown, next: shown.at(-1)?.callId }
}

function positionOf(cursor: string): string | undefined {
  return /^call:([A-Za-z0-9_-]{1,128})$/.exec(readCursor(cursor) ?? '')?.[1]
}

const NOT_OURS = refuse(
  'malformed',
  'cursor: this gateway did not issue it. Leave it out for the newest calls.',
  { faults: [{ pointer: '/query/cursor', message: 'is not a cursor that this gateway issued' }] },
)

const NO_USER = refuse('malformed', 'user: is missing; name the user whose calls to list.', {
  faults: [{ pointer: '/query/user', message: 'is missing; name the user whose calls to list' }],
})
