/** Makes the records of a day's chain, and finds what was done to them after they were written. */
import type { Digests } from '../ports/outside.ts'
import {
  type AuditContent,
  type AuditHead,
  type AuditRecord,
  parseContent,
} from './audit-record.ts'

/**
 * The position of a new record: behind `head`, or first in `day` behind the head of the day before.
 */
export type ChainPlace =
  | { readonly kind: 'behind'; readonly head: AuditHead }
  | { readonly kind: 'first'; readonly day: string; readonly link: AuditHead | undefined }

/** Makes the record for a position. `intent` is the number of the intent that an outcome ends. */
export function makeNextRecord(
  digests: Pick<Digests, 'sha256'>,
  place: ChainPlace,
  content: AuditContent,
  intent?: number,
): AuditRecord {
  const isFirst = place.kind === 'first'
  const seq = isFirst ? 1 : place.head.count + 1
  const day = isFirst ? place.day : place.head.day
  const prev = (isFirst ? place.link?.hash : place.head.hash) ?? ''
  const link = isFirst ? place.link : undefined
  const at = { day, seq, kind: content.kind, intent: intent ?? seq, prev }
  const text = JSON.stringify({ ...at, ...(link === undefined ? {} : { link }), ...content })
  return { ...at, text, hash: digests.sha256(text), link }
}

/** The head of the day once this record is its last. */
export function toHeadAfter({ day, seq, hash }: AuditRecord): AuditHead {
  return { day, count: seq, hash }
}

/**
 * missing: no record has this number. changed: the text is not the hashed one, or the next record
 * follows another. moved: the record was written under another number. added: another record has
 * this number, or the number is beyond the head. head: the day's head is missing or names another
 * record.
 */
export type ChainBreakKind = 'missing' | 'changed' | 'moved' | 'added' | 'head'

export type ChainBreak = { readonly seq: number; readonly kind: ChainBreakKind }

/**
 * Finds what was done to a day's records after they were written: a record that is missing,
 * changed, moved or added, and a tail that was cut off. Each break names the number of its record.
 * core/flow/audit/verify-audit.ts compares days. `records` are in the order of their numbers.
 * Returns [] for an unchanged chain.
 */
export function findChainBreaks(
  digests: Pick<Digests, 'sha256'>,
  records: readonly AuditRecord[],
  head: AuditHead | undefined,
): readonly ChainBreak[] {
  const faults: ChainBreak[] = []
  let before: AuditRecord | undefined
  for (const record of records) {
    faults.push(...listMissing(before?.seq ?? 0, record.seq))
    faults.push(...checkRecord(digests, record, before))
    // A copy under a number that is already taken must not hide the record that follows the
    // original.
    if (before === undefined || record.seq > before.seq) before = record
  }
  return sortUnique([...faults, ...checkHead(before, head)])
}

function listMissing(last: number, seq: number): readonly ChainBreak[] {
  const count = Math.max(0, seq - last - 1)
  return Array.from({ length: count }, (_, index) => ({ seq: last + 1 + index, kind: 'missing' }))
}

function checkRecord(
  { sha256 }: Pick<Digests, 'sha256'>,
  record: AuditRecord,
  before: AuditRecord | undefined,
): readonly ChainBreak[] {
  const { hash, seq, text } = record
  if (before !== undefined && seq <= before.seq) return [{ seq, kind: 'added' }]
  if (sha256(text) !== hash) return [{ seq, kind: 'changed' }]
  if (!isAtItsPosition(record)) return [{ seq, kind: 'moved' }]
  const isNext = before !== undefined && before.seq === seq - 1
  // The record before this one has a correct hash of its own, so it was rewritten.
  return isNext && before.hash !== record.prev ? [{ seq: before.seq, kind: 'changed' }] : []
}

function isAtItsPosition(record: AuditRecord): boolean {
  const content = parseContent(record)
  const { day, intent, kind, prev, seq } = record
  return (
    content?.['day'] === day &&
    content['seq'] === seq &&
    content['kind'] === kind &&
    content['intent'] === intent &&
    content['prev'] === prev
  )
}

function checkHead(
  last: AuditRecord | undefined,
  head: AuditHead | undefined,
): readonly ChainBreak[] {
  const seq = last?.seq ?? 0
  if (head === undefined) return last === undefined ? [] : [{ seq, kind: 'head' }]
  if (head.count > seq) return listMissing(seq, head.count + 1)
  if (head.count < seq) {
    return listMissing(head.count, seq + 1).map((fault) => ({ ...fault, kind: 'added' as const }))
  }
  return head.hash === last?.hash ? [] : [{ seq, kind: 'head' }]
}

function sortUnique(faults: readonly ChainBreak[]): readonly ChainBreak[] {
  const once = new Map(faults.map((fault) => [`${fault.seq} ${fault.kind}`, fault]))
  return [...once.values()].sort((a, b) => a.seq - b.seq)
}
