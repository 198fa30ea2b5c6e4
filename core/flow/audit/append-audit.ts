/**
 * Appends records to the audit trail: one at a time in this process, each behind the last record of
 * any process. The races are drawn in docs/decisions/0046-admin-keys-and-the-audit-trail.md.
 */
import type { AuditContent, AuditHead, AuditRecord } from '../../audit/audit-record.ts'
import { type ChainPlace, makeNextRecord, toHeadAfter } from '../../audit/chain.ts'
import { AUDIT_APPEND_MS_MAX, AUDIT_TRIES_MAX } from '../../audit/limits.ts'
import { Fault } from '../../errors.ts'
import { toUtcDay } from '../../json/utc-time.ts'
import type { Ports } from '../../ports/ports.ts'

export type AppendNeeds = Pick<Ports, 'auditTrail' | 'clock' | 'digests'>

/** The intent that an outcome ends. */
export type IntentPlace = Pick<AuditRecord, 'day' | 'seq'>

export type AuditAppender = {
  /** Throws `Fault('store_unavailable')` if the record was not written or may not have been. */
  append(content: AuditContent, intent?: IntentPlace): Promise<AuditRecord>
}

/** An appender with a queue of its own; a process needs one. */
export function createAuditAppender(ports: AppendNeeds): AuditAppender {
  let last: Promise<unknown> = Promise.resolve()
  // The head after our own last record. An append fails if another process has moved the head
  // since.
  let cachedHead: AuditHead | undefined
  return {
    append: (content, intent) => {
      const turn = last.then(async () => {
        const record = await appendOne(ports, content, intent, cachedHead)
        cachedHead = toHeadAfter(record)
        return record
      })
      last = turn.catch(() => {
        cachedHead = undefined
      })
      return turn
    },
  }
}

async function appendOne(
  ports: AppendNeeds,
  content: AuditContent,
  intent: IntentPlace | undefined,
  cachedHead: AuditHead | undefined,
): Promise<AuditRecord> {
  const endMs = ports.clock.nowMs() + AUDIT_APPEND_MS_MAX
  const day = intent?.day ?? toUtcDay(content.atMs)
  let guess = cachedHead?.day === day ? cachedHead : undefined
  for (let tries = 1; tries <= AUDIT_TRIES_MAX && ports.clock.nowMs() < endMs; tries += 1) {
    const place: ChainPlace =
      guess === undefined ? await findPlace(ports, day) : { kind: 'behind', head: guess }
    const record = makeNextRecord(ports.digests, place, content, intent?.seq)
    if (await ports.auditTrail.append(record)) return record
    guess = undefined
  }
  throw new Fault(
    'store_unavailable',
    'audit: other changes were recorded at the same time; try again',
  )
}

/**
 * The position behind the day's head. A day without a head is opened, unless a later day is open:
 * then the record goes behind the head of that day.
 */
async function findPlace({ auditTrail }: AppendNeeds, day: string): Promise<ChainPlace> {
  const head = await auditTrail.head(day)
  if (head !== undefined) return { kind: 'behind', head }
  const lastDay = await auditTrail.lastDay()
  const link = lastDay === undefined ? undefined : await auditTrail.head(lastDay)
  if (link !== undefined && link.day >= day) return { kind: 'behind', head: link }
  if (lastDay !== undefined && link === undefined) {
    // The head expired with its day or was removed. The new day records that it existed, and
    // verification reports whether it should exist.
    return { kind: 'first', day, link: { day: lastDay, count: 0, hash: '' } }
  }
  return { kind: 'first', day, link }
}
