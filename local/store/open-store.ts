/** The options of a store of the twin, and a store that was opened, with the way to close it. */
import type { ReplyTail } from '../../adapters/dynamodb/reply-stream/tail-types.ts'
import type { StoreThread } from '../../adapters/sqlite/database/store-thread.ts'
import type { PageText } from '../../adapters/sqlite/usage/usage-pages.ts'
import type { Clock, LedgerNews, Log, StorePorts } from '../../core/ports.ts'
import type { StoreKind } from './store-files.ts'

export type ForThread = {
  readonly file: string
  readonly thread: Pick<StoreThread, 'get'>
  /** Writes a page by the connection of the event loop. */
  readonly putPage: (page: PageText) => Promise<void>
}

export type OpenStore = {
  readonly ports: StorePorts
  /** Absent where the store tells nothing: calls then have no pages, sums and archive. */
  readonly ledgerNews?: LedgerNews | undefined
  /** For a thread that takes news by itself; absent where another connection cannot read the store. */
  readonly forThread?: ForThread | undefined
  /** For the person at the laptop, where the store is not the one they would expect. */
  readonly note: string | undefined
  stop(): Promise<void>
}

export type StoreOptions = {
  readonly kind: StoreKind
  /** Undefined: nothing on disk. */
  readonly folder: string | undefined
  /** AWS_ENDPOINT_URL_DYNAMODB. */
  readonly endpoint: string | undefined
  /** How streams find replies, where the store is a DynamoDB; SQLite wakes them. */
  readonly replyTail: ReplyTail['kind']
  /** For how long the store keeps how calls ended; the adapters' default otherwise. */
  readonly hotMs?: number
  readonly clock: Clock
  /** Called with trouble that needs no action. */
  readonly log: Pick<Log, 'note'>
}
