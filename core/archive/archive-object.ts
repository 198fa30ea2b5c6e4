/**
 * An object of the archive: lines of one day under a name made of their digest. The same lines have the
 * same name, so a batch that comes again writes what is there already; another cut of it makes another
 * object, whose lines the readers merge. No object is ever replaced or removed. Bound by ADR 0053.
 *
 *   ledger/day=2026-11-22/{digest of the text}.ndjson.gz
 *   audit/day=2026-11-22/{count of records}-{hash of the last one}.ndjson.gz
 */
import { dayOf } from '../json/utc-time.ts'
import type { Digests } from '../ports/outside.ts'
import { type ArchiveEntry, type ArchiveObject, lineOf, mergeLines } from './archive-entry.ts'

export const LEDGER_PREFIX = 'ledger/'
export const AUDIT_PREFIX = 'audit/'
export const OBJECT_SUFFIX = '.ndjson.gz'

/** Lines of one object: 10,000 take 4 MB, and about 0.6 MB gzipped. */
export const OBJECT_LINES_MAX = 10_000

/** Each entry belongs to the day of UTC in which its call started, or on which it was granted. */
export function ledgerObjects(
  digests: Pick<Digests, 'sha256'>,
  entries: readonly ArchiveEntry[],
): readonly ArchiveObject[] {
  const lines = mergeLines(entries.map(lineOf))
  const byDay = Map.groupBy(lines, ({ createdAtMs }) => dayOf(createdAtMs))
  return [...byDay].flatMap(([day, all]) =>
    Array.from({ length: Math.ceil(all.length / OBJECT_LINES_MAX) }, (_, piece) => {
      const some = all.slice(piece * OBJECT_LINES_MAX, (piece + 1) * OBJECT_LINES_MAX)
      const text = some.map((line) => `${line.text}\n`).join('')
      return { name: objectName(LEDGER_PREFIX, day, digests.sha256(text)), text }
    }),
  )
}

export function objectName(prefix: string, day: string, own: string): string {
  return `${prefix}day=${day}/${own}${OBJECT_SUFFIX}`
}

export type NameParts = { readonly day: string; readonly own: string }

/** Undefined for a name that is none of ours. */
export function readObjectName(prefix: string, name: string): NameParts | undefined {
  if (!name.startsWith(prefix)) return undefined
  const found = /^day=(\d{4}-\d{2}-\d{2})\/([A-Za-z0-9_-]{1,80})\.ndjson\.gz$/.exec(
    name.slice(prefix.length),
  )
  const [, day, own] = found ?? []
  return day === undefined || own === undefined ? undefined : { day, own }
}
