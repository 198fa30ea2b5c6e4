/**
 * Takes outcomes that the store has written since the last time into the pages, batch by batch: the
 * twin's part of what the table's stream does on AWS. Dying between the pages and `done` brings the
 * same outcomes again, which changes nothing.
 */
import type { Outcome } from '../../ledger/ledger.ts'
import type { OutcomeNews } from '../../ports.ts'
import { type RecordNeeds, recordCalls } from './record-calls.ts'

/** As many as one invocation gets on AWS. */
export const NEWS_BATCH_MAX = 1_000

export type NewsNeeds = RecordNeeds & {
  readonly outcomeNews: OutcomeNews
  /** Keeps what was taken for good; absent where nothing is archived. */
  readonly archiveCalls?: (outcomes: readonly Outcome[]) => Promise<void>
}

/** Answers how many outcomes it took: fewer than NEWS_BATCH_MAX when no more were there. */
export async function takeNews(ports: NewsNeeds): Promise<number> {
  const { outcomes, upTo } = await ports.outcomeNews.read(NEWS_BATCH_MAX)
  if (outcomes.length === 0) return 0
  await recordCalls(ports, outcomes)
  await ports.archiveCalls?.(outcomes)
  await ports.outcomeNews.done(upTo)
  return outcomes.length
}
