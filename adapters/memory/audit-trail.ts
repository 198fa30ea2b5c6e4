/** In-memory twin of the port AuditTrail. */
import type { AuditRecord } from '../../core/audit/audit-record.ts'
import type { AuditTrail, Clock } from '../../core/ports.ts'
import { type Database, ONLY } from './database.ts'

export function memoryAuditTrail(database: Database, clock: Pick<Clock, 'nowMs'>): AuditTrail {
  const { auditHeads, auditLastDay, auditRecords } = database
  return {
    head: async (day) => auditHeads.get(day, ONLY),
    lastDay: async () => auditLastDay.get(ONLY, ONLY)?.day,
    append: async (record) => {
      if (!isNext(database, record)) return false
      const { day, hash, seq } = record
      database.commit([
        auditRecords.putting(day, sortOf(record), record),
        auditHeads.putting(day, ONLY, { day, count: seq, hash }),
        ...(seq === 1 ? [auditLastDay.putting(ONLY, ONLY, { day })] : []),
      ])
      auditRecords.sweepSome(clock.nowMs())
      auditHeads.sweepSome(clock.nowMs())
      return true
    },
    page: async ({ day, before, limit }) =>
      auditRecords.list(day, {
        before: before === undefined ? undefined : digits(before),
        limit,
        backwards: true,
      }),
    day: async (day) => [...auditRecords.list(day)].sort((a, b) => a.seq - b.seq),
  }
}

function isNext({ auditHeads, auditLastDay, auditRecords }: Database, record: AuditRecord) {
  const { day, link, prev, seq } = record
  const head = auditHeads.get(day, ONLY)
  if ((head?.count ?? 0) !== seq - 1) return false
  if (head !== undefined && head.hash !== prev) return false
  if (seq === 1 && auditLastDay.get(ONLY, ONLY)?.day !== link?.day) return false
  return auditRecords.get(day, sortOf(record)) === undefined
}

function sortOf({ intent, kind }: AuditRecord): string {
  return `${digits(intent)}#${kind}`
}

function digits(seq: number): string {
  return String(seq).padStart(12, '0')
}
