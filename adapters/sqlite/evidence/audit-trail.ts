/**
 * The port AuditTrail. A record and its day's head are written in one transaction, and are on the disk when the answer
 * leaves. Rows are removed only when their day is over by AUDIT_DAYS_KEPT.
 */
import { AUDIT_KINDS, type AuditHead, type AuditRecord } from '../../../core/audit/audit-record.ts'
import { auditExpiresAtMs } from '../../../core/audit/limits.ts'
import type { AuditTrail, Clock } from '../../../core/ports.ts'
import type { Database } from '../database/database.ts'
import { expiredRows } from '../database/expired-rows.ts'
import { intAt, jsonObjectFrom, optionalTextAt, type Row, textAt, wordAt } from '../database/row.ts'
import { inSteps, ROWS_PER_STEP } from '../database/steps.ts'

export function sqliteAuditTrail(database: Database, clock: Pick<Clock, 'nowMs'>): AuditTrail {
  const head = database.prepare('SELECT * FROM audit_heads WHERE day = ?')
  const lastDay = database.prepare('SELECT day FROM audit_last_day WHERE only = 1')
  const page = database.prepare(
    `SELECT * FROM audit_records WHERE day = ? AND intent < ?
     ORDER BY intent DESC, kind DESC LIMIT ?`,
  )
  const next = database.prepare(
    `SELECT * FROM audit_records WHERE day = ? AND (intent, kind) > (?, ?)
     ORDER BY intent, kind LIMIT ${ROWS_PER_STEP}`,
  )
  const append = appending(database)
  const removeOld = expiredDays(database)
  return {
    head: async (day) => {
      const row = await database.read(() => head.get(day))
      return row === undefined ? undefined : headFrom(row)
    },
    lastDay: async () => {
      const row = await database.read(() => lastDay.get())
      return row === undefined ? undefined : textAt(row, 'day')
    },
    append: (record) =>
      database.writeDurably(() => {
        if (!append(record)) return false
        removeOld(clock.nowMs())
        return true
      }),
    page: async ({ day, before = Number.MAX_SAFE_INTEGER, limit }) =>
      (await database.read(() => page.all(day, before, limit))).map(recordFrom),
    day: async (day) => {
      const records: AuditRecord[] = []
      await inSteps(async () => {
        const { intent = 0, kind = '' } = records.at(-1) ?? {}
        const rows = await database.read(() => next.all(day, intent, kind))
        records.push(...rows.map(recordFrom))
        return rows.length === ROWS_PER_STEP
      })
      return records.sort((a, b) => a.seq - b.seq)
    },
  }
}

/** Inside the caller's transaction: of two records behind one head the second finds another head. */
function appending(database: Database): (record: AuditRecord) => boolean {
  const isNext = nextJudge(database)
  const insert = database.prepare(
    `INSERT OR IGNORE INTO audit_records (day, intent, kind, seq, prev, text, hash, link, expiresAtMs)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const putHead = database.prepare(
    'INSERT OR REPLACE INTO audit_heads (day, count, hash, expiresAtMs) VALUES (?, ?, ?, ?)',
  )
  const putLast = database.prepare(
    'INSERT OR REPLACE INTO audit_last_day (only, day) VALUES (1, ?)',
  )
  return (record) => {
    const { day, hash, intent, kind, link, prev, seq, text } = record
    if (!isNext(record)) return false
    const end = auditExpiresAtMs(day)
    const linked = link === undefined ? null : JSON.stringify(link)
    const added = insert.run(day, intent, kind, seq, prev, text, hash, linked, end)
    if (added.changes === 0) return false
    putHead.run(day, seq, hash, end)
    if (seq === 1) putLast.run(day)
    return true
  }
}

function nextJudge(database: Database): (record: AuditRecord) => boolean {
  const find = database.prepare('SELECT * FROM audit_heads WHERE day = ?')
  const findLast = database.prepare('SELECT day FROM audit_last_day WHERE only = 1')
  return ({ day, link, prev, seq }) => {
    const row = find.get(day)
    if (row === undefined) return seq === 1 && findLast.get()?.['day'] === link?.day
    const { count, hash } = headFrom(row)
    return count === seq - 1 && hash === prev
  }
}

function expiredDays(database: Database): (nowMs: number) => void {
  const end = 'expiresAtMs'
  const records = expiredRows(database, { table: 'audit_records', key: 'day, intent, kind', end })
  const heads = expiredRows(database, { table: 'audit_heads', key: 'day', end })
  return (nowMs) => {
    records(nowMs)
    heads(nowMs)
  }
}

function headFrom(row: Row): AuditHead {
  return { day: textAt(row, 'day'), count: intAt(row, 'count'), hash: textAt(row, 'hash') }
}

function recordFrom(row: Row): AuditRecord {
  const link = optionalTextAt(row, 'link')
  return {
    day: textAt(row, 'day'),
    seq: intAt(row, 'seq'),
    kind: wordAt(row, 'kind', AUDIT_KINDS),
    intent: intAt(row, 'intent'),
    prev: textAt(row, 'prev'),
    text: textAt(row, 'text'),
    hash: textAt(row, 'hash'),
    link: link === undefined ? undefined : headFrom(jsonObjectFrom(link, 'link')),
  }
}
