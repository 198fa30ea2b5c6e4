/**
 * The records audit:{day}: the trail of administrators' changes, a hash chain of records for each
 * UTC day. This file never updates or deletes a record; it replaces only the day's head.
 * Bound by docs/decisions/0046-admin-keys-and-the-audit-trail.md.
 */
import { AUDIT_KINDS, type AuditHead, type AuditRecord } from '../../../core/audit/audit-record.ts'
import { toAuditExpiryMs } from '../../../core/audit/limits.ts'
import { Fault } from '../../../core/errors.ts'
import type { AuditTrail } from '../../../core/ports/users.ts'
import type { DynamoStore } from '../client/document-store.ts'
import { type Item, intAt, mapAt, textAt, wordAt } from '../client/item.ts'
import type { TransactWrite } from '../client/transaction.ts'
import type { Permissions } from '../permission.ts'
import { AUDIT_PK, auditHeadKey, auditLastDayKey, auditRange, auditRecordKey } from '../table.ts'

export const AUDIT_TRAIL_PERMISSIONS: Permissions<AuditTrail> = {
  head: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [AUDIT_PK] }],
  lastDay: [{ table: 'gateway', actions: ['GetItem'], keyPrefixes: [AUDIT_PK] }],
  append: [{ table: 'gateway', actions: ['PutItem'], keyPrefixes: [AUDIT_PK] }],
  page: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [AUDIT_PK] }],
  day: [{ table: 'gateway', actions: ['Query'], keyPrefixes: [AUDIT_PK] }],
}

export function dynamoAuditTrail(store: DynamoStore): AuditTrail {
  const table = store.tables.gateway
  const read = (day: string, more: { before?: number; limit?: number; backwards?: boolean }) => {
    const { before, ...rest } = more
    const condition = '#pk = :pk AND #sk BETWEEN :from AND :to'
    const values = { pk: `${AUDIT_PK}${day}`, ...auditRange(before) }
    return store.query(table, { where: condition, values, ...rest })
  }
  return {
    async head(day) {
      const item = await store.get(table, auditHeadKey(day), 'consistent')
      return item === undefined ? undefined : headFrom(day, item)
    },

    async lastDay() {
      const item = await store.get(table, auditLastDayKey(), 'consistent')
      return item === undefined ? undefined : textAt(item, 'day')
    },

    // Two appends after the same head: the first replaces the head. The second is refused, and its
    // caller reads the head again. A head's number only grows, so a late copy of a refused request
    // never succeeds.
    async append(record) {
      try {
        return (await store.transact(appendWrites(table, record))).kind === 'written'
      } catch (cause) {
        // Other appends kept the head busy for longer than the retries of one request take. The
        // caller treats that like a lost race.
        if (isContended(cause)) return false
        throw cause
      }
    },

    async page({ day, before, limit }) {
      const items = await read(day, {
        ...(before === undefined ? {} : { before }),
        limit,
        backwards: true,
      })
      return items.map(recordFrom)
    },

    async day(day) {
      return (await read(day, {})).map(recordFrom).sort((a, b) => a.seq - b.seq)
    },
  }
}

/** The record, the head after it and, for the first record of a day, the name of the last day. */
function appendWrites(table: string, record: AuditRecord): readonly TransactWrite[] {
  const { day, hash, intent, kind, link, prev, seq, text } = record
  const ttl = toAuditExpiryMs(day) / 1000
  const linkMember = link === undefined ? {} : { link }
  const item = { day, seq, intent, kind, prev, text, hash, ...linkMember, ttl }
  const isFree = { if: 'attribute_not_exists(#pk)' }
  const head = { ...auditHeadKey(day), count: seq, hash, ttl }
  if (seq > 1) {
    const isLast = { if: '#count = :count AND #hash = :prev', values: { count: seq - 1, prev } }
    return [
      { table, put: { ...auditRecordKey(day, intent, kind), ...item }, ...isFree },
      { table, put: head, ...isLast },
    ]
  }
  const isLastDay =
    link === undefined ? isFree : { if: '#day = :before', values: { before: link.day } }
  return [
    { table, put: { ...auditRecordKey(day, intent, kind), ...item }, ...isFree },
    { table, put: head, ...isFree },
    { table, put: { ...auditLastDayKey(), day }, ...isLastDay },
  ]
}

function isContended(cause: unknown): boolean {
  if (!(cause instanceof Fault) || !(cause.cause instanceof Error)) return false
  const { name } = cause.cause
  return name === 'TransactionCanceledException' || name === 'TransactionInProgressException'
}

function headFrom(day: string, item: Item): AuditHead {
  return { day, count: intAt(item, 'count'), hash: textAt(item, 'hash') }
}

function recordFrom(item: Item): AuditRecord {
  const link = item['link'] === undefined ? undefined : mapAt(item, 'link')
  return {
    day: textAt(item, 'day'),
    seq: intAt(item, 'seq'),
    kind: wordAt(item, 'kind', AUDIT_KINDS),
    intent: intAt(item, 'intent'),
    prev: textAt(item, 'prev'),
    text: textAt(item, 'text'),
    hash: textAt(item, 'hash'),
    link: link === undefined ? undefined : headFrom(textAt(link, 'day'), link),
  }
}
