/**
 * Takes the store's news of outcomes into pages and sums, every second, as the table's stream does on
 * AWS; and closes hours that are over. Trouble is reported, and the next run tries again.
 */
import { NEWS_BATCH_MAX, type NewsNeeds, takeNews } from '../core/flow/usage/take-news.ts'
import type { Log } from '../core/ports.ts'

/** Short, so that an administrator sees a call right after its end. */
const EVERY_MS = 1_000
/** After a full batch: the store serves calls in between. */
const NEXT_BATCH_MS = 20

export type UsageFeed = {
  /** Takes the outcomes that are stored by now, and stops. */
  stop(): Promise<void>
}

export function startUsageFeed(ports: NewsNeeds, log: Log): UsageFeed {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let stopped = false
  const run = async () => {
    const outcomeCount = await takeOnce(ports, log)
    if (!stopped)
      timer = setTimeout(start, outcomeCount < NEWS_BATCH_MAX ? EVERY_MS : NEXT_BATCH_MS)
  }
  const start = () => {
    running = run()
  }
  timer = setTimeout(start, EVERY_MS)
  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await running
      await takeOnce(ports, log)
    },
  }
}

async function takeOnce(ports: NewsNeeds, log: Log): Promise<number> {
  try {
    return await takeNews(ports)
  } catch (cause) {
    log.note('warn', 'usage-failed', {}, cause)
    return 0
  }
}
