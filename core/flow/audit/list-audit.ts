/**
 * Lists changes from the audit trail, newest first: each intent with its outcome. One page reads a
 * limited number of records and days, so a page may be short or empty and still have a cursor.
 */
import type { AuditRecord } from '../../audit/audit-record.ts'
import {
  type ChangeFilter,
  matchesChangeFilter,
  namesTarget,
  pairRecords,
  toChangeView,
} from '../../audit/change-view.ts'
import {
  AUDIT_DAYS_KEPT,
  AUDIT_DAYS_READ_MAX,
  AUDIT_PAGE_DEFAULT,
  AUDIT_PAGE_MAX,
  AUDIT_READ_MAX,
} from '../../audit/limits.ts'
import { type FieldError, ok, type Result } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import { readPageStart, toCursorError, writeCursor } from '../../json/cursor.ts'
import type { JsonObject } from '../../json/json.ts'
import { type PageQuery, readPageLimit } from '../../json/page-limit.ts'
import { DAY_MS, parseDayStart, readUtcTime, toUtcDay, UTC_TIME_RULE } from '../../json/utc-time.ts'
import type { Ports } from '../../ports/ports.ts'

export type AuditQuery = ChangeFilter &
  PageQuery & { readonly since: string | undefined; readonly until: string | undefined }

/** Where the next page begins: at the intents of `day` with a smaller number than `before`. */
type Place = { readonly day: string; readonly before: number | undefined }

type Span = { readonly sinceMs: number; readonly untilMs: number; readonly place: Place }

/** Refuses with `malformed` a bad limit, time or cursor. */
export async function listAudit(
  ports: Pick<Ports, 'auditTrail' | 'clock' | 'digests'>,
  query: AuditQuery,
): Promise<Result<{ changes: readonly JsonObject[]; nextCursor?: string }>> {
  const limit = readPageLimit(query.limit, { max: AUDIT_PAGE_MAX, otherwise: AUDIT_PAGE_DEFAULT })
  if (!limit.ok) return limit
  const span = readSpan(query, ports.clock.nowMs())
  if (!span.ok) return span
  const { changes, next } = await readChanges(ports, query, span.value, limit.value)
  if (next === undefined) return ok({ changes })
  return ok({ changes, nextCursor: writeCursor(`${next.day}/${next.before ?? ''}`) })
}

function readSpan({ cursor, since, until }: AuditQuery, nowMs: number): Result<Span> {
  const oldestMs = parseDayStart(toUtcDay(nowMs)) - AUDIT_DAYS_KEPT * DAY_MS
  // The clock of another process may be ahead of this one's.
  const newestMs = nowMs + DAY_MS
  const sinceMs = since === undefined ? oldestMs : readUtcTime(since)
  const untilMs = until === undefined ? newestMs : readUtcTime(until)
  const place = readPageStart(cursor, parsePlace)
  const faults: FieldError[] = []
  if (sinceMs === undefined) faults.push({ pointer: '/query/since', message: UTC_TIME_RULE })
  if (untilMs === undefined) faults.push({ pointer: '/query/until', message: UTC_TIME_RULE })
  if (!place.ok) faults.push(toCursorError('/query/cursor'))
  if (sinceMs === undefined || untilMs === undefined || !place.ok) {
    return refuseFields('malformed', faults)
  }
  const start = { day: toUtcDay(Math.min(untilMs, newestMs)), before: undefined }
  return ok({ sinceMs: Math.max(sinceMs, oldestMs), untilMs, place: place.value ?? start })
}

function parsePlace(position: string): Place | undefined {
  const match = /^(\d{4}-\d{2}-\d{2})\/(\d{0,12})$/.exec(position)
  const [, day = '', before = ''] = match ?? []
  if (readUtcTime(day) === undefined) return undefined
  return { day, before: before === '' ? undefined : Number(before) }
}

type ChangesPage = { readonly changes: readonly JsonObject[]; readonly next: Place | undefined }

async function readChanges(
  { auditTrail, digests }: Pick<Ports, 'auditTrail' | 'digests'>,
  query: AuditQuery,
  span: Span,
  limit: number,
): Promise<ChangesPage> {
  const changes: JsonObject[] = []
  const oldest = toUtcDay(span.sinceMs)
  const readSize = chooseReadSize(query, limit)
  let place: Place = span.place
  let [reads, days] = [0, 0]
  while (place.day >= oldest) {
    if (reads >= AUDIT_READ_MAX || days >= AUDIT_DAYS_READ_MAX) return { changes, next: place }
    const { before, day } = place
    const start = before === undefined ? {} : { before }
    const records = await auditTrail.page({ day, limit: readSize, ...start })
    const page = filterChanges(records, { ...query, digests }, span, limit - changes.length)
    changes.push(...page.changes)
    if (page.next !== undefined) return { changes, next: page.next }
    const isDone = records.length < readSize
    place = isDone ? toDayBefore(day) : { day, before: toFirstUnread(records) }
    reads += records.length
    days += isDone ? 1 : 0
  }
  return { changes, next: undefined }
}

/**
 * The changes of `records` that the filter allows; `next` is set once there are `limit` of them.
 */
function filterChanges(
  records: readonly AuditRecord[],
  { digests, ...query }: ChangeFilter & Pick<Ports, 'digests'>,
  span: Span,
  limit: number,
): ChangesPage {
  const changes: JsonObject[] = []
  for (const pair of pairRecords(records)) {
    const change = toChangeView(pair)
    const isNamed = (target: string) => namesTarget(digests, pair, target)
    if (isWithin(change, span) && matchesChangeFilter(change, query, isNamed)) changes.push(change)
    const { day, seq } = pair.intent
    if (changes.length === limit) return { changes, next: { day, before: seq } }
  }
  return { changes, next: undefined }
}

/**
 * Records to read at once. A change has two records, and one is added for an unfinished change; a
 * filter may skip most changes.
 */
function chooseReadSize({ operation, target, who }: ChangeFilter, limit: number): number {
  const isFiltered = operation !== undefined || target !== undefined || who !== undefined
  return isFiltered ? 2 * AUDIT_PAGE_MAX : 2 * limit + 1
}

function toDayBefore(day: string): Place {
  return { day: toUtcDay(parseDayStart(day) - DAY_MS), before: undefined }
}

/** An outcome at the end is read again together with its intent. */
function toFirstUnread(records: readonly AuditRecord[]): number {
  const last = records.at(-1)
  return last?.kind === 'outcome' ? last.intent + 1 : (last?.intent ?? 0)
}

function isWithin({ atMs }: JsonObject, { sinceMs, untilMs }: Span): boolean {
  // A record whose time can no longer be read, because its text was changed, is shown rather than
  // hidden.
  return typeof atMs !== 'number' || (atMs >= sinceMs && atMs < untilMs)
}
