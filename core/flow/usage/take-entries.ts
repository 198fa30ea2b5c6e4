/**
 * Takes a batch of ledger entries: calls into pages and sums, then all of them into the archive. Each is
 * a set, so a batch that comes again, whole, cut or in another order, counts once. Bound by ADR 0053.
 *
 *   pages and sums ─▶ archive ─▶ taken
 *          ✘ dies here   ✘ or here: the batch comes again
 *                          the same batch: the same names, and nothing is written
 *                          another cut of it: other objects, whose lines are there already
 *   a void that overtakes its call, or comes in its batch: the refunded line counts
 */
import type { ArchiveEntry } from '../../archive/archive-entry.ts'
import { ledgerObjects } from '../../archive/archive-object.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Archive } from '../../ports/usage.ts'
import { type RecordNeeds, recordCalls } from './record-calls.ts'

/** Undefined where nothing is archived: a twin that keeps nothing on disk. */
export type ArchiveNeeds = Pick<Ports, 'digests'> & {
  readonly archive: Pick<Archive, 'put'> | undefined
}

/** Rethrows the error of a port; the caller then brings the batch again. */
export async function takeEntries(
  ports: RecordNeeds & ArchiveNeeds,
  entries: readonly ArchiveEntry[],
): Promise<{ readonly pages: number; readonly rolled: number; readonly objects: number }> {
  const outcomes = entries.flatMap((entry) => (entry.kind === 'call' ? [entry.outcome] : []))
  const recorded = await recordCalls(ports, outcomes)
  return { ...recorded, objects: await archiveEntries(ports, entries) }
}

/** Answers how many objects hold them. */
export async function archiveEntries(
  { archive, digests }: ArchiveNeeds,
  entries: readonly ArchiveEntry[],
): Promise<number> {
  if (archive === undefined) return 0
  const objects = ledgerObjects(digests, entries)
  for (const object of objects) await archive.put(object)
  return objects.length
}
