/** The thread's side of feed-thread.ts: its ports read a connection of their own, and write by messages. */
import { parentPort, workerData } from 'node:worker_threads'
import { folderArchive } from '../../adapters/archive/folder-archive.ts'
import { nodeDigests } from '../../adapters/crypto/node-digests.ts'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import { openReader } from '../../adapters/sqlite/database/open-database.ts'
import { sqliteAuditTrail } from '../../adapters/sqlite/evidence/audit-trail.ts'
import { sqliteLedgerNews } from '../../adapters/sqlite/usage/ledger-news.ts'
import { sqliteUsagePages } from '../../adapters/sqlite/usage/usage-pages.ts'
import { sqliteUsageSums } from '../../adapters/sqlite/usage/usage-sums.ts'
import { writeRows } from '../../core/usage/usage-page.ts'
import { type FeedNeeds, startFeedLoop } from './feed-loop.ts'
import type { FeedStart, FeedWrite, FromThread, ToThread } from './feed-messages.ts'

const { start }: { readonly start: FeedStart } = workerData
const database = openReader(start.file)
const waiting = new Map<number, PromiseWithResolvers<unknown>>()
let writes = 0

const tell = (message: FromThread) => parentPort?.postMessage(message)

function write(write: FeedWrite): Promise<unknown> {
  writes += 1
  const written = Promise.withResolvers<unknown>()
  waiting.set(writes, written)
  tell({ kind: 'write', number: writes, write })
  return written.promise
}

const feed = startFeedLoop({
  ports: portsOver(),
  // Only facts cross: what was thrown may hold what cannot be copied.
  log: {
    note: (level, event, fields, cause) =>
      tell({ kind: 'note', note: [level, event, fields, plain(cause)] }),
  },
  hotMs: start.hotMs,
})

parentPort?.on('message', async (message: ToThread) => {
  switch (message.kind) {
    case 'written':
      return settled(message.number)?.resolve(message.answer)
    case 'not-written':
      return settled(message.number)?.reject(message.cause)
    case 'stop':
      await feed.stop()
      await database.close()
      return tell({ kind: 'stopped' })
    default:
      return message satisfies never
  }
})

function settled(number: number): PromiseWithResolvers<unknown> | undefined {
  const written = waiting.get(number)
  waiting.delete(number)
  return written
}

function portsOver(): FeedNeeds {
  const clock = systemClock()
  return {
    clock,
    digests: nodeDigests(),
    archive: folderArchive(start.archive),
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
