/**
 * The twin's part of what the table's stream does on AWS: takes ledger entries that the store has written
 * into pages and sums, at once, and into the archive, less often, so that its files are few. News stays in
 * the store until it is archived; dying anywhere brings it again, which changes nothing.
 *
 *   written ─▶ read after `upTo` ─ pages and sums ─▶ … ─▶ read all ─ archive ─ done
 *                  ✘ a new process begins without `upTo`     ✘ read again
 */
import type { LedgerNews, NewsPlace } from '../../ports.ts'
import { type RecordNeeds, recordCalls } from './record-calls.ts'
import { type ArchiveNeeds, archiveEntries } from './take-entries.ts'

/** As many as one invocation gets on AWS. */
export const NEWS_BATCH_MAX = 1_000
/** Lines of one object, for each kind of entry: writing more at once would hold the event loop for too long. */
export const ARCHIVE_BATCH_MAX = 1_000

type News = { readonly ledgerNews: LedgerNews }
export type NewsNeeds = RecordNeeds & ArchiveNeeds & News

/** Takes what is behind `after` into pages and sums; `more` when there was more than one batch. */
export async function takeNews(
  ports: RecordNeeds & News,
  after: NewsPlace,
): Promise<{ readonly upTo: NewsPlace; readonly more: boolean }> {
  const { entries, upTo } = await ports.ledgerNews.read({ after, limit: NEWS_BATCH_MAX })
  if (entries.length === 0) return { upTo: after, more: false }
  const calls = entries.flatMap((entry) => (entry.kind === 'call' ? [entry.outcome] : []))
  await recordCalls(ports, calls)
  return { upTo, more: entries.length >= NEWS_BATCH_MAX }
}

/** Archives the oldest news up to `upTo`, whose pages exist already; true when nothing up to there is left. */
export async function archiveNews(ports: ArchiveNeeds & News, upTo: NewsPlace): Promise<boolean> {
  const found = await ports.ledgerNews.read({ upTo, limit: ARCHIVE_BATCH_MAX })
  if (found.entries.length === 0) return true
  await archiveEntries(ports, found.entries)
  await ports.ledgerNews.done(found.upTo)
  return found.entries.length < ARCHIVE_BATCH_MAX
}
