/** Makes the next record of a day's chain. */
import type { Digests } from '../ports/outside.ts'
import type { AuditContent, AuditHead, AuditRecord } from './audit-record.ts'

/**
 * The position of a new record: behind `head`, or first in `day` behind the head of the day before.
 */
export type ChainPlace =
  | { readonly kind: 'behind'; readonly head: AuditHead }
  | { readonly kind: 'first'; readonly day: string; readonly link: AuditHead | undefined }

/** Makes the record for a position. `intent` is the number of the intent that an outcome ends. */
export function nextRecord(
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
export function headAfter({ day, seq, hash }: AuditRecord): AuditHead {
  return { day, count: seq, hash }
}
