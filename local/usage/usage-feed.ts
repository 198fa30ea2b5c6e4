/**
 * The feed of a twin: in the event loop, and with the first full batch in a thread, if it can have one. A
 * thread that ends by itself is reported, and the event loop goes on.
 *
 *   loop: take, archive ─ full ─▶ thread: take, archive …  ✘ ends ─▶ loop, from the oldest news
 * Both begin with the oldest news that is not archived, so nothing is handed over.
 */
import { type Feed, startFeedLoop, type UsageFeed } from './feed-loop.ts'

export type StartThread = (onEnd: (cause: unknown) => void) => UsageFeed

export function startUsageFeed(feed: Feed, startThread?: StartThread): UsageFeed {
  let isStopping = false
  const onEnd = (cause: unknown) => {
    feed.log.note('warn', 'usage-failed', {}, cause)
    if (!isStopping) current = startFeedLoop(feed)
  }
  const toThread =
    startThread &&
    (() => {
      if (!isStopping) current = startThread(onEnd)
    })
  let current = startFeedLoop(feed, toThread)
  return {
    stop: async () => {
      isStopping = true
      await current.stop()
    },
  }
}
