/**
 * A day of the audit trail as an object of the archive: one line for each record as it is stored,
 * so that the chain can be verified without a gateway. The name has the day's count and last hash.
 * A day that got another record after its export has two objects, and the one with more records is
 * valid.
 */
import type { AuditHead, AuditRecord } from '../audit/audit-record.ts'
import type { ArchiveObject } from './archive-entry.ts'
import { AUDIT_PREFIX, type NameParts, objectName } from './archive-object.ts'

/** The object of a whole day; `head` is the day's head and `records` all its records in order. */
export function trailObject(
  { count, day, hash }: AuditHead,
  records: readonly AuditRecord[],
): ArchiveObject {
  const text = records.map((record) => `${JSON.stringify(toStoredFields(record))}\n`).join('')
  return { name: objectName(AUDIT_PREFIX, day, `${count}-${hash}`), text }
}

function toStoredFields({ day, hash, intent, kind, link, prev, seq, text }: AuditRecord) {
  return { day, seq, kind, intent, prev, hash, link, text }
}

/** Returns undefined if the name has another form. */
export function trailHeadOf({ day, own }: NameParts): AuditHead | undefined {
  const [, count, hash] = /^(\d{1,9})-([A-Za-z0-9_-]{43})$/.exec(own) ?? []
  return hash === undefined ? undefined : { day, count: Number(count), hash }
}

/** A line that is no record becomes a record without text, which no chain accepts. */
export function readTrail(text: string): readonly AuditRecord[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line, index) => readRecord(line) ?? toBrokenRecord(index + 1))
}

function readRecord(line: string): AuditRecord | undefined {
  try {
    const record: Partial<AuditRecord> | null = JSON.parse(line)
    const { day, hash, intent, kind, link, prev, seq, text } = record ?? {}
    if (kind !== 'intent' && kind !== 'outcome') return undefined
    if (typeof seq !== 'number' || typeof intent !== 'number') return undefined
    if (typeof day !== 'string' || typeof hash !== 'string') return undefined
    if (typeof prev !== 'string' || typeof text !== 'string') return undefined
    return { day, seq, kind, intent, prev, text, hash, link }
  } catch {
    // The caller reports the line by its number.
    return undefined
  }
}

function toBrokenRecord(seq: number): AuditRecord {
  return {
    day: '',
    seq,
    kind: 'intent',
    intent: seq,
    prev: '',
    text: '',
    hash: '',
    link: undefined,
  }
}
