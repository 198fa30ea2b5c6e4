/**
 * Takes the store's news of the ledger into pages and sums, every second, as the table's stream does on
 * AWS, and into the archive, every minute; closes hours that are over; and once an hour archives days of
 * the trail of changes and removes calls that are older than the hot time. Trouble is reported, and the
 * next run tries again.
 */
import { exportTrail } from '../core/flow/usage/export-trail.ts'
import { recordCalls } from '../core/flow/usage/record-calls.ts'
import { COLD_BATCH_MAX, removeCold } from '../core/flow/usage/remove-cold.ts'
import { archiveNews, type NewsNeeds, takeNews } from '../core/flow/usage/take-news.ts'
import type { Log, NewsPlace, Ports } from '../core/ports.ts'
import { repeat } from './repeat.ts'

/** Short, so that an administrator sees a call right after its end. */
const EVERY_MS = 1_000
/** After a full batch: the store serves calls in between. */
const NEXT_BATCH_MS = 20
/** 1,440 files a day, while no minute has more than 1,000 calls. */
const ARCHIVE_EVERY_MS = 60_000
const HOUR_MS = 3_600_000

export type UsageFeed = {
  /** Takes and archives what is there by now, and ends. */
  stop(): Promise<void>
}

export type FeedNeeds = NewsNeeds & {
  readonly auditTrail: Pick<Ports['auditTrail'], 'day' | 'lastDay' | 'page'>
}

type Feed = { readonly ports: FeedNeeds; readonly log: Log; readonly hotMs: number }

/** What this process has done so far. */
type Progress = { upTo: NewsPlace; archiveAtMs: number; tidyAtMs: number }

export function startUsageFeed(feed: Feed): UsageFeed {
  const progress: Progress = { upTo: { calls: 0, grants: 0 }, archiveAtMs: 0, tidyAtMs: 0 }
  const run = async () => ((await runOnce(feed, progress)) ? NEXT_BATCH_MS : EVERY_MS)
  const repeated = repeat(run, EVERY_MS)
  return {
    stop: async () => {
      await repeated.stop()
      await runOnce(feed, { ...progress, archiveAtMs: 0, tidyAtMs: Number.POSITIVE_INFINITY })
    },
  }
}

/** Whether there is more to do at once. */
async function runOnce(feed: Feed, progress: Progress): Promise<boolean> {
  const { log, ports } = feed
  try {
    const { more, upTo } = await takeNews(ports, progress.upTo)
    progress.upTo = upTo
    if (more) return true
  } catch (cause) {
    log.note('warn', 'usage-failed', {}, cause)
    return false
  }
  return archiveOnce(feed, progress)
}

async function archiveOnce({ hotMs, log, ports }: Feed, progress: Progress): Promise<boolean> {
  const nowMs = ports.clock.nowMs()
  if (nowMs < progress.archiveAtMs) return false
  try {
    if (!(await archiveNews(ports, progress.upTo))) return true
    if (nowMs >= progress.tidyAtMs) {
      // Without calls no news closes hours, and their pages end with the hot time.
      await recordCalls(ports, [])
      const { archive } = ports
      if (archive !== undefined) await exportTrail({ ...ports, archive })
      if ((await removeCold(ports, hotMs)) === COLD_BATCH_MAX) return true
      progress.tidyAtMs = nowMs + HOUR_MS
    }
  } catch (cause) {
    log.note('warn', 'archive-failed', {}, cause)
  }
  progress.archiveAtMs = nowMs + ARCHIVE_EVERY_MS
  return false
}
