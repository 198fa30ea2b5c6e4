/**
 * Appends records to the trail of changes: one at a time in this process, and behind whichever record another process
 * appended meanwhile. The races are drawn in docs/decisions/0046-admin-keys-and-the-audit-trail.md.
 */
import type { AuditContent, AuditHead, AuditRecord } from '../../audit/audit-record.ts'
import { type ChainPlace, headAfter, nextRecord } from '../../audit/chain.ts'
import { AUDIT_APPEND_MS_MAX, AUDIT_TRIES_MAX } from '../../audit/limits.ts'
import { Fault } from '../../errors.ts'
import { dayOf } from '../../json/utc-time.ts'
import type { Ports } from '../../ports/ports.ts'

export type AppendNeeds = Pick<Ports, 'auditTrail' | 'clock' | 'digests'>

/** The intent that an outcome ends. */
export type IntentPlace = Pick<AuditRecord, 'day' | 'seq'>

export type AuditAppender = {
  /** Throws `Fault('store_unavailable')` when the record could not be written, or may not have been. */
  append(content: AuditContent, intent?: IntentPlace): Promise<AuditRecord>
}

export function auditAppender(ports: AppendNeeds): AuditAppender {
  let last: Promise<unknown> = Promise.resolve()
  // The head after our own last record: the store says so when another process has moved it.
  let known: AuditHead | undefined
  return {
    append: (content, intent) => {
      const turn = last.then(async () => {
        const record = await appendOne(ports, content, intent, known)
        known = headAfter(record)
        return record
      })
      last = turn.catch(() => {
        known = undefined
      })
      return turn
    },
  }
}

async function appendOne(
  ports: AppendNeeds,
  content: AuditContent,
  intent: IntentPlace | undefined,
  known: AuditHead | undefined,
): Promise<AuditRecord> {
  const endMs = ports.clock.nowMs() + AUDIT_APPEND_MS_MAX
  const day = intent?.day ?? dayOf(content.atMs)
  let guess = known?.day === day ? known : undefined
  for (let tries = 1; tries <= AUDIT_TRIES_MAX && ports.clock.nowMs() < endMs; tries += 1) {
    const place: ChainPlace =
      guess === undefined ? await placeOn(ports, day) : { kind: 'behind', head: guess }
    const record = nextRecord(ports.digests, place, content, intent?.seq)
    if (await ports.auditTrail.append(record)) return record
    guess = undefined
  }
  throw new Fault(
    'store_unavailable',
    'audit: other changes were recorded at the same time; try again',
  )
}

/** Behind the day's head. A day without one is opened, unless a later day has been: then behind the head of that. */
async function placeOn({ auditTrail }: AppendNeeds, day: string): Promise<ChainPlace> {
  const head = await auditTrail.head(day)
  if (head !== undefined) return { kind: 'behind', head }
  const lastDay = await auditTrail.lastDay()
  const link = lastDay === undefined ? undefined : await auditTrail.head(lastDay)
  if (link !== undefined && link.day >= day) return { kind: 'behind', head: link }
  if (lastDay !== undefined && link === undefined) {
    // Expired with its day, or removed: the new day says that there was one, and verification judges.
    return { kind: 'first', day, link: { day: lastDay, count: 0, hash: '' } }
  }
  return { kind: 'first', day, link }
}
