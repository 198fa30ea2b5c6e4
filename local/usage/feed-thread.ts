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
import { getCompileCacheDir } from 'node:module'
import { dirname, extname } from 'node:path'
import { startLimitedThread } from '../../adapters/sqlite/database/limited-thread.ts'
import type { LedgerNews, Log, UsageSums } from '../../core/ports.ts'
import type { PageText } from '../../adapters/sqlite/usage/usage-pages.ts'
import type { UsageFeed } from './feed-loop.ts'
import type { FeedStart, FeedWrite, FromThread, ToThread } from './feed-messages.ts'

/** A batch of a thousand calls takes 5 MB. */
const MEMORY = { heapMb: 32, youngMb: 6 }

export type ThreadNeeds = FeedStart & {
  readonly putPage: (page: PageText) => Promise<void>
  readonly usageSums: Pick<UsageSums, 'moveHead' | 'write'>
  readonly ledgerNews: Pick<LedgerNews, 'done' | 'removeCold'>
  readonly log: Pick<Log, 'note'>
}

/** Calls `onEnd` when the thread ends before it was asked to. */
export function startFeedThread(needs: ThreadNeeds, onEnd: (cause: unknown) => void): UsageFeed {
  const { archive, file, hotMs, log } = needs
  const start: FeedStart = { archive, file, hotMs }
  const thread = startLimitedThread(CODE, { ...compiled(), module: MODULE, start }, MEMORY)
  thread.unref()
  const ended = Promise.withResolvers<void>()
  const tell = (message: ToThread) => thread.postMessage(message)
  let isStopping = false
  const end = (cause: unknown) => {
    ended.resolve()
    if (!isStopping) onEnd(cause)
    isStopping = true
  }
  thread.on('message', (message: FromThread) => {
    switch (message.kind) {
      case 'write':
        return void answer(needs, message).then(tell)
      case 'note':
        return log.note(...message.note)
      case 'stopped':
        return ended.resolve()
      default:
        return message satisfies never
    }
  })
  thread.on('error', end)
  thread.on('exit', (code) => end(new Error(`the thread of the feed ended with ${code}`)))
  return {
    stop: async () => {
      isStopping = true
      tell({ kind: 'stop' })
      await ended.promise
      await thread.terminate()
    },
  }
}

/** It keeps what Node compiled, as the process does: its start takes a fifth of the time so. */
const CODE = `
const { enableCompileCache } = require('node:module')
const { workerData } = require('node:worker_threads')
if (workerData.compiled !== undefined) enableCompileCache(workerData.compiled)
import(workerData.module)
`
/** The package has it under the same name, as JavaScript. */
const MODULE = new URL(`feed-in-thread${extname(import.meta.url)}`, import.meta.url).href

function compiled(): { readonly compiled?: string } {
  const folder = getCompileCacheDir()
  // The folder that Node answers is the one for its own version.
  return folder === undefined ? {} : { compiled: dirname(folder) }
}

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
