/**
 * Takes a batch of ledger entries: calls into pages and sums, then all entries into the archive.
 * Both keep sets, so entries that are delivered again, in any cut or order, are counted once. Bound
 * by ADR 0053.
 *
 *   pages and sums ─▶ archive ─▶ taken
 *          ✘ dies here   ✘ or here: the batch is delivered again
 *                          the same batch: the same names, so nothing is written
 *                          another cut of it: other objects with lines that are already there
 *   a void that overtakes its call, or comes in its batch: the refunded line is valid
 */
import type { ArchiveEntry } from '../../archive/archive-entry.ts'
import { packLedgerObjects } from '../../archive/archive-object.ts'
import type { Ports } from '../../ports/ports.ts'
import type { Archive } from '../../ports/usage.ts'
import { type RecordNeeds, recordCalls } from './record-calls.ts'

/** `archive` is undefined if nothing is archived: a twin that stores nothing on disk. */
export type ArchiveNeeds = Pick<Ports, 'digests'> & {
  readonly archive: Pick<Archive, 'put'> | undefined
}

/** Throws the errors of the ports; the caller must then deliver the batch again. */
export async function takeEntries(
  ports: RecordNeeds & ArchiveNeeds,
  entries: readonly ArchiveEntry[],
): Promise<{ readonly pages: number; readonly rolled: number; readonly objects: number }> {
  const outcomes = entries.flatMap((entry) => (entry.kind === 'call' ? [entry.outcome] : []))
  const recorded = await recordCalls(ports, outcomes)
  return { ...recorded, objects: await archiveEntries(ports, entries) }
}

/** Returns the number of objects that have the entries. */
export async function archiveEntries(
  { archive, digests }: ArchiveNeeds,
  entries: readonly ArchiveEntry[],
): Promise<number> {
  if (archive === undefined) return 0
  const objects = packLedgerObjects(digests, entries)
  for (const object of objects) await archive.put(object)
  return objects.length
}
