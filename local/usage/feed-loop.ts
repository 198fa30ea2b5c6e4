/**
 * Takes new outcomes from the store into pages and sums every second, as the table's stream does on
 * AWS, and into the archive every minute and with each thousand. Closes hours that are over, and
 * once an hour archives days of the trail of changes and merges objects of past days. Failures are logged, and the next run tries
 * again.
 */
import type { ArchiveEntry } from '../../core/archive/archive-entry.ts'
import { exportTrail } from '../../core/flow/usage/export-trail.ts'
import { mergeObjects } from '../../core/flow/usage/merge-objects.ts'
import { recordCalls } from '../../core/flow/usage/record-calls.ts'
import {
  ARCHIVE_BATCH_MAX,
  archiveNews,
  archiveTakenNews,
  type NewsNeeds,
  takeNews,
} from '../../core/flow/usage/take-news.ts'
import type { Log } from '../../core/ports/outside.ts'
import type { Ports } from '../../core/ports/ports.ts'
import type { Archive } from '../../core/ports/usage.ts'
import { repeat } from '../repeat.ts'

/** Pause between runs; short, so that an administrator sees a call right after its end. */
const EVERY_MS = 1_000
/** Pause after a full batch, in which the store serves calls. */
const NEXT_BATCH_MS = 20
/** Pause between archive files: 1,440 files a day, if no minute has more than 1,000 calls. */
const ARCHIVE_EVERY_MS = 60_000
const HOUR_MS = 3_600_000

export type UsageFeed = {
  /** Takes and archives everything that exists by now, and ends. */
  stop(): Promise<void>
}

export type FeedNeeds = NewsNeeds & {
  readonly archive: Archive | undefined
  readonly auditTrail: Pick<Ports['auditTrail'], 'day' | 'lastDay' | 'page'>
}

export type Feed = {
  readonly ports: FeedNeeds
  readonly log: Pick<Log, 'note'>
}

/** The progress of the loop. */
type Progress = {
  upTo: number
  /**
   * Entries that were taken and not archived yet: fewer than a thousand, so that each is read once.
   * Undefined after the archive failed; then all taken entries are read again from the store.
   */
  waiting: readonly ArchiveEntry[] | undefined
  archiveAtMs: number
  tidyAtMs: number
}

type RunResult = 'more' | 'idle'

/** Starts the loop. */
export function startFeedLoop(feed: Feed): UsageFeed {
  const progress: Progress = { upTo: 0, waiting: [], archiveAtMs: 0, tidyAtMs: 0 }
  const run = async () => ((await runOnce(feed, progress)) === 'idle' ? EVERY_MS : NEXT_BATCH_MS)
  const repeated = repeat(run, EVERY_MS)
  return {
    stop: async () => {
      await repeated.stop()
      await runOnce(feed, { ...progress, archiveAtMs: 0, tidyAtMs: Number.POSITIVE_INFINITY })
    },
  }
}

async function runOnce(feed: Feed, progress: Progress): Promise<RunResult> {
  const { waiting } = progress
  const room = ARCHIVE_BATCH_MAX - (waiting?.length ?? 0)
  try {
    const { entries, more, upTo } = await takeNews(feed.ports, progress.upTo, room)
    progress.upTo = upTo
    progress.waiting = waiting && [...waiting, ...entries]
    if (!more) return archiveOnce(feed, progress)
  } catch (cause) {
    feed.log.note('warn', 'usage-failed', {}, cause)
    return 'idle'
  }
  await archiveFull(feed, progress)
  return 'more'
}

async function archiveFull(feed: Feed, progress: Progress): Promise<void> {
  if (progress.waiting === undefined) return
  try {
    await archiveWaiting(feed.ports, progress)
  } catch (cause) {
    noteFailed(feed, progress, cause)
  }
}

async function archiveOnce(feed: Feed, progress: Progress): Promise<RunResult> {
  const { ports } = feed
  const nowMs = ports.clock.nowMs()
  if (nowMs < progress.archiveAtMs) return 'idle'
  try {
    if (!(await archiveWaiting(ports, progress))) return 'more'
    if (nowMs >= progress.tidyAtMs) {
      // If there are no calls, nothing else closes past hours, whose pages would expire with the
      // hot time.
      await recordCalls(ports, [])
      const { archive } = ports
      if (archive !== undefined) {
        await exportTrail({ ...ports, archive })
        await mergeObjects({ ...ports, archive })
      }
      progress.tidyAtMs = nowMs + HOUR_MS
    }
  } catch (cause) {
    noteFailed(feed, progress, cause)
  }
  progress.archiveAtMs = nowMs + ARCHIVE_EVERY_MS
  return 'idle'
}

/** Archives taken entries. Returns false if the store has more of them. */
async function archiveWaiting(ports: FeedNeeds, progress: Progress): Promise<boolean> {
  const { upTo, waiting } = progress
  if (waiting === undefined) {
    if (!(await archiveNews(ports, upTo))) return false
  } else {
    await archiveTakenNews(ports, waiting, upTo)
  }
  progress.waiting = []
  return true
}

/**
 * Notes a failure of the archive. Drops the waiting entries, so that a failing archive does not
 * fill the memory; a later run reads them from the store.
 */
function noteFailed({ log, ports }: Feed, progress: Progress, cause: unknown): void {
  log.note('warn', 'archive-failed', {}, cause)
  progress.waiting = undefined
  progress.archiveAtMs = ports.clock.nowMs() + ARCHIVE_EVERY_MS
}
