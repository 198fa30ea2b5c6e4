/** The feed as a twin's store and folder allow it: with a thread for many calls, or in the event loop alone. */
import { folderArchive } from '../../adapters/archive/folder-archive.ts'
import type { OpenStore } from '../store/open-store.ts'
import { archiveFolder } from '../store/store-files.ts'
import type { Feed, FeedNeeds, UsageFeed } from './feed-loop.ts'
import { startFeedThread } from './feed-thread.ts'
import { startUsageFeed } from './usage-feed.ts'

export type TwinFeed = Pick<Feed, 'hotMs' | 'log'> & {
  readonly ports: Omit<FeedNeeds, 'archive' | 'ledgerNews'>
  /** The data folder; undefined where nothing is kept. */
  readonly folder: string | undefined
  /** A thread has the clock and the store of the twin, and no ports of a test. */
  readonly mayHaveThread: boolean
}

/** Undefined where the store tells nothing. */
export function startFeedOfTwin(
  { forThread, ledgerNews }: Pick<OpenStore, 'forThread' | 'ledgerNews'>,
  { folder, hotMs, log, mayHaveThread, ports }: TwinFeed,
): UsageFeed | undefined {
  if (ledgerNews === undefined) return undefined
  const place = folder === undefined ? undefined : archiveFolder(folder)
  const archive = place === undefined ? undefined : folderArchive(place)
  const feed = { ports: { ...ports, archive, ledgerNews }, log, hotMs }
  if (!mayHaveThread || forThread === undefined || place === undefined) return startUsageFeed(feed)
  const { usageSums } = ports
  const needs = { ...forThread, archive: place, hotMs, ledgerNews, log, usageSums }
  return startUsageFeed(feed, (onEnd) => startFeedThread(needs, onEnd))
}
