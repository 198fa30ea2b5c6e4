/** The thread's side of feed-thread.ts: its ports read a connection of their own, and write by messages. */
import { parentPort } from 'node:worker_threads'
import { folderArchive } from '../../adapters/archive/folder-archive.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import type { Database } from '../../adapters/sqlite/database/database.ts'
import { openReader } from '../../adapters/sqlite/database/open-reader.ts'
import type { ToStoreThread } from '../../adapters/sqlite/database/store-thread.ts'
import { sqliteAuditTrail } from '../../adapters/sqlite/evidence/audit-trail.ts'
import { sqliteLedgerNews } from '../../adapters/sqlite/usage/ledger-news.ts'
import { sqliteUsagePages } from '../../adapters/sqlite/usage/usage-pages.ts'
import { sqliteUsageSums } from '../../adapters/sqlite/usage/usage-sums.ts'
import type { Log } from '../../core/ports.ts'
import { writeRows } from '../../core/usage/usage-page.ts'
import { type FeedNeeds, startFeedLoop } from './feed-loop.ts'
import type { FeedStart, FeedWrite, FromThread, ToThread } from './feed-messages.ts'

export function run(start: FeedStart): void {
  const database = openReader(start.file)
  const { settle, write } = writes()
  // Only facts cross: what was thrown may hold what cannot be copied.
  const note: Log['note'] = (level, event, fields, cause) =>
    tell({ kind: 'note', note: [level, event, fields, plain(cause)] })
  const ports = portsOver(database, start, write)
  const feed = startFeedLoop({ ports, log: { note }, hotMs: start.hotMs })
  parentPort?.on('message', async (message: ToThread | ToStoreThread) => {
    if (message.kind === 'stop') {
      await feed.stop()
      await database.close()
      tell({ kind: 'stopped' })
    } else if (message.kind === 'written' || message.kind === 'not-written') settle(message)
  })
  tell({ kind: 'started' })
}

function tell(message: FromThread): void {
  parentPort?.postMessage(message)
}

type Write = (write: FeedWrite) => Promise<unknown>
type Answer = Exclude<ToThread, { readonly kind: 'stop' }>

/** Writes that are under way, by number. */
function writes(): { readonly write: Write; settle(answer: Answer): void } {
  const waiting = new Map<number, PromiseWithResolvers<unknown>>()
  let last = 0
  return {
    write: (write) => {
      last += 1
      const written = Promise.withResolvers<unknown>()
      waiting.set(last, written)
      tell({ kind: 'write', number: last, write })
      return written.promise
    },
    settle: (answer) => {
      const written = waiting.get(answer.number)
      waiting.delete(answer.number)
      if (answer.kind === 'written') written?.resolve(answer.answer)
      else written?.reject(answer.cause)
    },
  }
}

function portsOver(database: Database, { archive }: FeedStart, write: Write): FeedNeeds {
  const clock = systemClock()
  return {
    clock,
    digests: nodeDigests(),
    archive: folderArchive(archive),
    auditTrail: sqliteAuditTrail(database, clock),
    usagePages: {
      ...sqliteUsagePages(database, clock),
      put: async ({ id, rows, slot }) => {
        await write({ kind: 'put-page', of: { id, slot, text: writeRows(rows) } })
      },
    },
    usageSums: {
      ...sqliteUsageSums(database),
      moveHead: async (of) => void (await write({ kind: 'move-head', of })),
      write: async (of) => (await write({ kind: 'write-sums', of })) === true,
    },
    ledgerNews: {
      ...sqliteLedgerNews(database),
      done: async (of) => void (await write({ kind: 'done', of })),
      removeCold: async (of) => Number(await write({ kind: 'remove-cold', of })),
    },
  }
}

function plain(cause: unknown): Error | undefined {
  if (cause === undefined) return undefined
  return cause instanceof Error ? new Error(cause.message) : new Error(String(cause))
}
