/**
 * Removes calls from a store that does not do so by itself, once they are older than the hot time and in
 * the archive. Grants stay: a grantId counts once for ever. Bound by ADR 0053.
 */
import type { Clock } from '../../ports.ts'
import type { NewsNeeds } from './take-news.ts'

/** Pause between batches, in which calls get the store. */
export const COLD_BATCH_MAX = 500

/** Answers how many it removed: fewer than COLD_BATCH_MAX when no more were there. */
export async function removeCold(
  {
    archive,
    clock,
    ledgerNews,
  }: Pick<NewsNeeds, 'archive' | 'ledgerNews'> & { readonly clock: Pick<Clock, 'nowMs'> },
  hotMs: number,
): Promise<number> {
  // Without an archive nothing else keeps them.
  if (archive === undefined) return 0
  return ledgerNews.removeCold({ beforeMs: clock.nowMs() - hotMs, limit: COLD_BATCH_MAX })
}
