/** What calls became: pages, sums, excerpts, the archive. */
import type { ArchiveEntry, ArchiveObject } from '../archive/archive-entry.ts'
import type { UsagePage } from '../usage/usage-page.ts'
import type { HourSums, Series, UsageHead, UsageSum } from '../usage/usage-sum.ts'

/** Calls by the slot of time in which they started, in pages. */
export type UsagePages = {
  /** A page with the same id is the same page. Pages live for the time that the ledger is hot. */
  put(page: UsagePage): Promise<void>
  /**
   * All pages of a slot that were put before, and perhaps later ones, by their ids; strongly consistent.
   * Each page is read and decoded when it is asked for, and the event loop serves others in between.
   */
  list(slot: number): AsyncIterable<UsagePage>
}

/** Sums of hours that are over. */
export type UsageSums = {
  /**
   * The last hour that is closed, and the last whose sums are written, with all hours before it.
   * Undefined before the first. Strongly consistent.
   */
  readHead(): Promise<UsageHead | undefined>
  /** Moves one of the two forward; an earlier hour than the stored one changes nothing. */
  moveHead(to: { closed: number } | { rolled: number }): Promise<void>
  /** How often the hour's sums were written; 0 before. Strongly consistent. */
  version(hour: number): Promise<number>
  /** Writes all sums of an hour if `version` is what is stored; false when it is another. */
  write(written: { hour: number; version: number; sums: HourSums }): Promise<boolean>
  /** Sums of one series by hour, from one hour to another, both included; strongly consistent. */
  read(of: {
    series: Series
    from: number
    to: number
  }): Promise<ReadonlyMap<number, readonly UsageSum[]>>
  /** The series `skill` by hour, for a function that may read no sums of users. */
  readSkills(of: { from: number; to: number }): Promise<ReadonlyMap<number, readonly UsageSum[]>>
}

/**
 * Entries of the ledger that were written or changed, until they are taken, numbered in the order of writing. The
 * twin's store keeps them; on AWS the table's stream brings them.
 */
export type LedgerNews = {
  /** The oldest `limit` of those behind `after` and up to `upTo`. A call that changed twice may come twice, as it is now. */
  read(of: {
    after?: number
    upTo?: number
    limit: number
  }): Promise<{ entries: readonly ArchiveEntry[]; upTo: number }>
  /** Forgets all up to there: then the store may end them with their time. */
  done(upTo: number): Promise<void>
}

/**
 * Where the ledger and the trail of changes are kept for good. No object is replaced or removed. Throws
 * `Fault('store_unavailable')` when it does not answer.
 */
export type Archive = {
  /** The object is durable once this answers. A name that is taken keeps its object. */
  put(object: ArchiveObject): Promise<void>
  /** Names that begin with `prefix`, sorted. */
  list(prefix: string): Promise<readonly string[]>
  /** Undefined for an unknown name; `Fault('internal')` for bytes that are no object of ours. */
  read(name: string): Promise<string | undefined>
}

/** Masked answers of upstreams to failed calls, for administrators; kept for a week. */
export type CallExcerpts = {
  put(excerpt: { uid: string; callId: string; text: string; expiresAtMs: number }): Promise<void>
  find(call: { uid: string; callId: string }): Promise<string | undefined>
  /** Removes up to `limit` of a user's; true when none is left. */
  dropOwned(of: { uid: string; limit: number }): Promise<boolean>
}
