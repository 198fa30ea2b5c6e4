/**
 * Does on the twin what the table's stream does on AWS: takes ledger entries that the store has
 * written into pages and sums at once, and into the archive less often, so that its files are few.
 * News stays in the store until it is archived. After a crash the same news is read again, which
 * changes nothing.
 *
 *   written ─▶ read after `upTo` ─ pages and sums ─▶ … ─▶ archive what was read ─ done
 *                  ✘ a new process begins without `upTo`      ✘ not archived: read again
 */
import type { ArchiveEntry } from '../../archive/archive-entry.ts'
import type { LedgerNews } from '../../ports/usage.ts'
import { type RecordNeeds, recordCalls } from './record-calls.ts'
import { type ArchiveNeeds, archiveEntries } from './take-entries.ts'

/** As many as one invocation gets on AWS. */
export const NEWS_BATCH_MAX = 1_000
/** Entries of one object. Writing more at once would block the event loop for too long. */
export const ARCHIVE_BATCH_MAX = 1_000

type News = { readonly ledgerNews: LedgerNews }
export type NewsNeeds = RecordNeeds & ArchiveNeeds & News

export type NewsReading = {
  readonly entries: readonly ArchiveEntry[]
  readonly upTo: number
  /** True if the read returned `limit` entries, so there may be more. */
  readonly more: boolean
}

/** Takes at most `limit` entries after `after` into pages and sums. */
export async function takeNews(
  ports: RecordNeeds & News,
  after: number,
  limit = NEWS_BATCH_MAX,
): Promise<NewsReading> {
  const { entries, upTo } = await ports.ledgerNews.read({ after, limit })
  if (entries.length === 0) return { entries, upTo: after, more: false }
  const calls = entries.flatMap((entry) => (entry.kind === 'call' ? [entry.outcome] : []))
  await recordCalls(ports, calls)
  return { entries, upTo, more: entries.length >= limit }
}

/** Archives entries that were taken. Up to `upTo` they must be all that is not archived yet. */
export async function archiveTakenNews(
  ports: ArchiveNeeds & News,
  entries: readonly ArchiveEntry[],
  upTo: number,
): Promise<void> {
  if (entries.length === 0) return
  await archiveEntries(ports, entries)
  await ports.ledgerNews.done(upTo)
}

/**
 * Reads the oldest news up to `upTo` again, whose pages exist already, and archives it. Returns
 * true if no more is left.
 */
export async function archiveNews(ports: ArchiveNeeds & News, upTo: number): Promise<boolean> {
  const found = await ports.ledgerNews.read({ upTo, limit: ARCHIVE_BATCH_MAX })
  if (found.entries.length === 0) return true
  await archiveTakenNews(ports, found.entries, found.upTo)
  return found.entries.length < ARCHIVE_BATCH_MAX
}
