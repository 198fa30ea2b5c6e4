/**
 * Writes days of the audit trail as objects of the archive, reads and verifies them. A day is an
 * object: one line for each record as it is stored, so that the chain can be verified without a
 * gateway. The name has the day's count and last hash. A day that got another record after its
 * export has two objects, and the one with more records is valid.
 */
import type { AuditHead, AuditRecord } from '../audit/audit-record.ts'
import type { ChainBreak } from '../audit/chain.ts'
import type { ArchiveObject } from './archive-entry.ts'
import { AUDIT_PREFIX, buildObjectName, type NameParts, parseObjectName } from './archive-object.ts'

/** The object of a whole day; `head` is the day's head and `records` all its records in order. */
export function toTrailObject(
  { count, day, hash }: AuditHead,
  records: readonly AuditRecord[],
): ArchiveObject {
  const text = records.map((record) => `${JSON.stringify(toStoredFields(record))}\n`).join('')
  return { name: buildObjectName(AUDIT_PREFIX, day, `${count}-${hash}`), text }
}

function toStoredFields({ day, hash, intent, kind, link, prev, seq, text }: AuditRecord) {
  return { day, seq, kind, intent, prev, hash, link, text }
}

/** Returns undefined if the name has another form. */
export function parseTrailHead({ day, own }: NameParts): AuditHead | undefined {
  const [, count, hash] = /^(\d{1,9})-([A-Za-z0-9_-]{43})$/.exec(own) ?? []
  return hash === undefined ? undefined : { day, count: Number(count), hash }
}

/** A line that is no record becomes a record without text, which no chain accepts. */
export function parseTrail(text: string): readonly AuditRecord[] {
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

export type TrailDay = { readonly day: string; readonly records: readonly AuditRecord[] }

/**
 * Verifies exported days of the audit trail from their objects alone: the chain of each day, and
 * that the day before still has the record that the first record of a day names. Limit: no later
 * record confirms the last day, and nothing shows that days before the first one are missing. Bound
 * by ADR 0053. `verifyChain` verifies the chain of one day. Returns the days in order and one
 * sentence for each problem.
 */
export function verifyTrail(
  objects: readonly ArchiveObject[],
  verifyChain: (records: readonly AuditRecord[], head: Head | undefined) => readonly ChainBreak[],
): { readonly days: readonly TrailDay[]; readonly faults: readonly string[] } {
  const faults: string[] = []
  const byDay = new Map<string, readonly AuditRecord[]>()
  for (const { name, text } of objects) {
    const parts = parseObjectName(AUDIT_PREFIX, name)
    const head = parts === undefined ? undefined : parseTrailHead(parts)
    if (head === undefined) {
      faults.push(`${name}: not an object of the trail`)
      continue
    }
    const records = parseTrail(text)
    for (const { kind, seq } of verifyChain(records, head)) {
      faults.push(`${name}: record ${seq} is ${BREAK_WORDS[kind]}`)
    }
    if (records.some(({ day }) => day !== head.day)) faults.push(`${name}: records of another day`)
    const before = byDay.get(head.day) ?? []
    if (records.length > before.length) byDay.set(head.day, records)
  }
  const days = [...byDay].map(([day, records]) => ({ day, records }))
  days.sort((a, b) => (a.day < b.day ? -1 : 1))
  return { days, faults: [...faults, ...findLinkProblems(days)] }
}

type Head = { readonly day: string; readonly count: number; readonly hash: string }

const BREAK_WORDS: { readonly [kind in ChainBreak['kind']]: string } = {
  missing: 'gone',
  changed: 'not as it was written',
  moved: 'not under the number that it was written with',
  added: 'not part of the chain',
  head: 'not the last one that the name of the object states',
}

function findLinkProblems(days: readonly TrailDay[]): readonly string[] {
  const byDay = new Map(days.map(({ day, records }) => [day, records]))
  const first = days[0]?.day ?? ''
  return days.flatMap(({ day, records }) => {
    const link = records[0]?.link
    if (link === undefined || link.day < first) return []
    const before = byDay.get(link.day)
    if (before === undefined)
      return [`${link.day}: this day of the trail is missing; ${day} refers to it`]
    return before.some(({ hash, seq }) => seq === link.count && hash === link.hash)
      ? []
      : [`${link.day}: lacks the record that ${day} names as its last`]
  })
}
