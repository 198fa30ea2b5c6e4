/**
 * The feed in a thread of its own, for a twin with many calls: reading, digests, JSON and files then take
 * nothing from them. The thread reads by a connection of its own. It writes nothing to the database but asks
 * here, since a commit of another connection would make the event loop's read all its rows again, and find
 * the file locked.
 *
 *   thread: read news ─ page ─▶ put ──────────────▶ archive ─▶ done ──────────▶ read behind it
 *   event loop:                  └ write ─ COMMIT ─┘            └ write ─ COMMIT ┘
 * Either may die anywhere, as with the feed in the event loop: news that is not done comes again.
 */
import { extname } from 'node:path'
import {
  type Checkpointed,
  loadIn,
  type StoreThread,
} from '../../adapters/sqlite/database/store-thread.ts'
import type { PageText } from '../../adapters/sqlite/usage/usage-pages.ts'
import type { LedgerNews, Log, UsageSums } from '../../core/ports.ts'
import type { UsageFeed } from './feed-loop.ts'
import type { FeedStart, FeedWrite, FromThread, ToThread } from './feed-messages.ts'

export type ThreadNeeds = FeedStart & {
  readonly thread: Pick<StoreThread, 'get'>
  readonly putPage: (page: PageText) => Promise<void>
  readonly usageSums: Pick<UsageSums, 'moveHead' | 'write'>
  readonly ledgerNews: Pick<LedgerNews, 'done' | 'removeCold'>
  readonly log: Pick<Log, 'note'>
}

/** Calls `onEnd` when the thread ends before it was asked to. */
export function startFeedThread(needs: ThreadNeeds, onEnd: (cause: unknown) => void): UsageFeed {
  const { archive, file, hotMs, log } = needs
  const thread = needs.thread.get()
  const started = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<void>()
  const tell = (message: ToThread) => thread.postMessage(message)
  let isStopping = false
  const end = (cause: unknown) => {
    started.resolve()
    ended.resolve()
    if (!isStopping) onEnd(cause)
    isStopping = true
  }
  thread.on('message', (message: FromThread | Checkpointed) => {
    switch (message.kind) {
      case 'write':
        return void answer(needs, message).then(tell)
      case 'note':
        return log.note(...message.note)
      case 'started':
        return started.resolve()
      case 'stopped':
        return ended.resolve()
      case 'checkpointed':
        return
      default:
        return message satisfies never
    }
  })
  thread.on('error', end)
  thread.on('exit', (code) => end(new Error(`the thread of the feed ended with ${code}`)))
  loadIn(thread, MODULE, { archive, file, hotMs } satisfies FeedStart)
  return {
    stop: async () => {
      isStopping = true
      // Before, nobody there would hear of it.
      await started.promise
      tell({ kind: 'stop' })
      await ended.promise
    },
  }
}

/** The package has it under the same name, as JavaScript. */
const MODULE = new URL(`feed-in-thread${extname(import.meta.url)}`, import.meta.url).href

async function answer(
  needs: ThreadNeeds,
  { number, write }: Extract<FromThread, { readonly kind: 'write' }>,
): Promise<ToThread> {
  try {
    return { kind: 'written', number, answer: await make(needs, write) }
  } catch (cause) {
    return { kind: 'not-written', number, cause }
  }
}

function make({ ledgerNews, putPage, usageSums }: ThreadNeeds, write: FeedWrite): Promise<unknown> {
  switch (write.kind) {
    case 'put-page':
      return putPage(write.of)
    case 'move-head':
      return usageSums.moveHead(write.of)
    case 'write-sums':
      return usageSums.write(write.of)
    case 'done':
      return ledgerNews.done(write.of)
    case 'remove-cold':
      return ledgerNews.removeCold(write.of)
    default:
      return write satisfies never
  }
}
