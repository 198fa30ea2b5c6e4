/** What the event loop and the thread of the feed tell each other. */
import type { PageText } from '../../adapters/sqlite/usage/usage-pages.ts'
import type { LedgerNews, Log, UsageSums } from '../../core/ports.ts'

/** What the thread begins with. */
export type FeedStart = {
  /** The SQLite file, which the thread only reads. */
  readonly file: string
  /** The archive's folder. */
  readonly archive: string
  readonly hotMs: number
}

/** A write of the thread. The connection of the event loop makes it. */
export type FeedWrite =
  | { readonly kind: 'put-page'; readonly of: PageText }
  | { readonly kind: 'move-head'; readonly of: Parameters<UsageSums['moveHead']>[0] }
  | { readonly kind: 'write-sums'; readonly of: Parameters<UsageSums['write']>[0] }
  | { readonly kind: 'done'; readonly of: Parameters<LedgerNews['done']>[0] }
  | { readonly kind: 'remove-cold'; readonly of: Parameters<LedgerNews['removeCold']>[0] }

export type FromThread =
  | { readonly kind: 'write'; readonly number: number; readonly write: FeedWrite }
  | { readonly kind: 'note'; readonly note: Parameters<Log['note']> }
  | { readonly kind: 'started' }
  | { readonly kind: 'stopped' }

export type ToThread =
  | { readonly kind: 'written'; readonly number: number; readonly answer: unknown }
  | { readonly kind: 'not-written'; readonly number: number; readonly cause: unknown }
  | { readonly kind: 'stop' }
