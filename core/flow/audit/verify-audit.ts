/**
 * Verifies one day of the audit trail: its own chain, that it follows the day before, and that the
 * next day names its head. Reads the whole day. An expired day has no records and no breaks.
 */
import type { AuditHead, AuditRecord } from '../../audit/audit-record.ts'
import { type ChainBreak, findChainBreaks } from '../../audit/chain.ts'
import {
  AUDIT_BREAKS_LISTED_MAX,
  AUDIT_DAYS_READ_MAX,
  toAuditExpiryMs,
} from '../../audit/limits.ts'
import { ok, type Result } from '../../errors.ts'
import { refuseFields } from '../../json/body-fields.ts'
import { DAY_MS, parseDayStart, readUtcTime, toUtcDay, UTC_DAY_RULE } from '../../json/utc-time.ts'
import type { Ports } from '../../ports/ports.ts'

export type Verification = {
  readonly day: string
  readonly isWhole: boolean
  readonly records: number
  /** Hash of the last record; '' if the day has none. */
  readonly hash: string
  /** Number of all breaks, including those that are not listed. */
  readonly faultCount: number
  readonly faults: readonly ListedBreak[]
}

export type ListedBreak = { readonly seq?: number; readonly kind: string; readonly message: string }

type Needs = Pick<Ports, 'auditTrail' | 'clock' | 'digests'>

/**
 * Verifies `requestedDay`, or today if it is undefined. Refuses with `malformed` a text that is no
 * day.
 */
export async function verifyAudit(
  ports: Needs,
  requestedDay: string | undefined,
): Promise<Result<Verification>> {
  const day = requestedDay ?? toUtcDay(ports.clock.nowMs())
  if (day.length !== 10 || readUtcTime(day) === undefined) {
    return refuseFields('malformed', [{ pointer: '/query/day', message: UTC_DAY_RULE }])
  }
  const { head, records } = await readDay(ports, day)
  const faults = [
    ...findChainBreaks(ports.digests, records, head).map(toShownFault),
    ...(await checkDayBefore(ports, records[0])),
    ...(await checkNextDay(ports, day, records)),
  ]
  return ok({
    day,
    isWhole: faults.length === 0,
    records: records.length,
    hash: head?.hash ?? '',
    faultCount: faults.length,
    faults: faults.slice(0, AUDIT_BREAKS_LISTED_MAX),
  })
}

/** Leaves out records that were appended during the read; the next verification reads them. */
async function readDay({ auditTrail }: Needs, day: string) {
  const head = await auditTrail.head(day)
  const all = await auditTrail.day(day)
  const end = await auditTrail.head(day)
  const [before, after] = [head?.count ?? 0, end?.count ?? 0]
  return { head, records: all.filter(({ seq }) => seq <= before || seq > after) }
}

/**
 * Checks that the day before still has the record that this day's first record names as its last.
 */
async function checkDayBefore(
  { auditTrail, clock }: Needs,
  first: AuditRecord | undefined,
): Promise<readonly ListedBreak[]> {
  const link = first?.seq === 1 ? first.link : undefined
  if (link === undefined || toAuditExpiryMs(link.day) <= clock.nowMs()) return []
  const head = await auditTrail.head(link.day)
  if (head?.count === link.count && head.hash === link.hash) return []
  // Outcomes of changes around midnight come behind the record that the next day names.
  const isBehind = head !== undefined && head.count > link.count
  const isHeld = isBehind && includesHead(await auditTrail.day(link.day), link)
  return isHeld
    ? []
    : [{ kind: 'link', message: `the day before, ${link.day}, ${LAST_RECORD_LOST}` }]
}

const LAST_RECORD_LOST = 'no longer has its last record: it was removed or replaced'

/** Checks that this day still has the record that the next day names as its last. */
async function checkNextDay(
  ports: Needs,
  day: string,
  records: readonly AuditRecord[],
): Promise<readonly ListedBreak[]> {
  const lastDay = await ports.auditTrail.lastDay()
  if (lastDay === undefined || lastDay < day) return []
  if (lastDay === day) {
    return records.length > 0 ? [] : [{ kind: 'head', message: 'all records of the day are gone' }]
  }
  const next = await firstRecordAfter(ports, day)
  // If the next day names an earlier day, this day was empty when the next one was opened.
  if (next === undefined || (next.link?.day !== day && records.length === 0)) return []
  if (next.link?.day === day && includesHead(records, next.link)) return []
  return [
    {
      kind: 'link',
      message: `the next day, ${next.day}, names a different last record of this day`,
    },
  ]
}

/** Days are opened in order, so the next day with records was opened behind this one. */
async function firstRecordAfter(
  { auditTrail }: Needs,
  day: string,
): Promise<AuditRecord | undefined> {
  const start = parseDayStart(day)
  const days = Array.from({ length: AUDIT_DAYS_READ_MAX }, (_, n) =>
    toUtcDay(start + (n + 1) * DAY_MS),
  )
  const heads = await Promise.all(days.map((one) => auditTrail.head(one)))
  const next = heads.find((head) => head !== undefined)
  if (next === undefined) return undefined
  return (await auditTrail.page({ day: next.day, before: 2, limit: 2 })).find(
    ({ seq }) => seq === 1,
  )
}

function includesHead(records: readonly AuditRecord[], { count, hash }: AuditHead): boolean {
  return records.some((record) => record.seq === count && record.hash === hash)
}

const BREAK_MESSAGES: { readonly [kind in ChainBreak['kind']]: string } = {
  missing: 'this record is gone',
  changed: 'this record is not as it was written',
  moved: 'this record was written under another number',
  added: 'this record does not belong to the chain',
  head: 'the head of the day is gone, or names another last record',
}

function toShownFault({ kind, seq }: ChainBreak): ListedBreak {
  return { seq, kind, message: BREAK_MESSAGES[kind] }
}
