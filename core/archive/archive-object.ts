/**
 * An object of the archive: lines of one day under a name made from their digest. The same lines
 * have the same name, so a batch that is delivered twice writes the same object again. A batch that
 * is divided differently makes another object, and readers merge the lines. No object is ever
 * replaced. One is removed only when all its lines are in a merged object. Bound by ADR 0053 and
 * ADR 0134.
 *
 *   ledger/day=2026-11-22/{digest of the text}.ndjson.gz
 *   ledger/day=2026-11-22/{count of lines}-{digest of the text}.ndjson.gz, if merged
 *   audit/day=2026-11-22/{count of records}-{hash of the last one}.ndjson.gz
 */
import { toUtcDay } from '../json/utc-time.ts'
import type { Digests } from '../ports/outside.ts'
import {
  type ArchiveEntry,
  type ArchiveObject,
  mergeArchiveLines,
  toArchiveLine,
} from './archive-entry.ts'

export const LEDGER_PREFIX = 'ledger/'
export const AUDIT_PREFIX = 'audit/'
export const OBJECT_SUFFIX = '.ndjson.gz'

/** Lines of one object: 10,000 lines are 4 MB, about 0.6 MB gzipped. */
export const OBJECT_LINES_MAX = 10_000

/** Packs entries into objects by the UTC day on which the call started or the grant was made. */
export function packLedgerObjects(
  digests: Pick<Digests, 'sha256'>,
  entries: readonly ArchiveEntry[],
): readonly ArchiveObject[] {
  const lines = mergeArchiveLines(entries.map(toArchiveLine))
  const byDay = Map.groupBy(lines, ({ createdAtMs }) => toUtcDay(createdAtMs))
  return [...byDay].flatMap(([day, dayLines]) =>
    Array.from({ length: Math.ceil(dayLines.length / OBJECT_LINES_MAX) }, (_, piece) => {
      const pieceLines = dayLines.slice(piece * OBJECT_LINES_MAX, (piece + 1) * OBJECT_LINES_MAX)
      const text = pieceLines.map((line) => `${line.text}\n`).join('')
      return { name: buildObjectName(LEDGER_PREFIX, day, digests.sha256(text)), text }
    }),
  )
}

/** `own` is the part that is unique within the day. */
export function buildObjectName(prefix: string, day: string, own: string): string {
  return `${prefix}day=${day}/${own}${OBJECT_SUFFIX}`
}

export type NameParts = { readonly day: string; readonly own: string }

export type LedgerName = {
  readonly day: string
  readonly digest: string
  /** Lines of a merged object; undefined for an object of a batch. */
  readonly mergedLines: number | undefined
}

/** Returns undefined for a name that is not one of the ledger's objects. */
export function parseLedgerName(name: string): LedgerName | undefined {
  const parts = parseObjectName(LEDGER_PREFIX, name)
  const [, count, digest] = /^(?:(\d{1,9})-)?([A-Za-z0-9_-]{43})$/.exec(parts?.own ?? '') ?? []
  if (parts === undefined || digest === undefined) return undefined
  return { day: parts.day, digest, mergedLines: count === undefined ? undefined : Number(count) }
}

/** Returns undefined for a name that is not one of the archive. */
export function parseObjectName(prefix: string, name: string): NameParts | undefined {
  if (!name.startsWith(prefix)) return undefined
  const found = /^day=(\d{4}-\d{2}-\d{2})\/([A-Za-z0-9_-]{1,80})\.ndjson\.gz$/.exec(
    name.slice(prefix.length),
  )
  const [, day, own] = found ?? []
  return day === undefined || own === undefined ? undefined : { day, own }
}
