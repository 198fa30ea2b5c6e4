/** Ports for what remains of calls: pages, sums, excerpts, the archive. */
import type { ArchiveEntry, ArchiveObject } from '../archive/archive-entry.ts'
import type { UsagePage } from '../usage/usage-page.ts'
import type { HourSums, Series, UsageHead, UsageSum } from '../usage/usage-sum.ts'

/** Calls by the slot of time in which they started, in pages. */
export type UsagePages = {
  /** A page with the same id is the same page. Pages expire when the ledger's hot time is over. */
  put(page: UsagePage): Promise<void>
  /**
   * All pages of a slot that were put before, and perhaps later ones, by their ids; strongly
   * consistent. Each page is read and decoded on demand, and the event loop serves other requests
   * in between.
   */
  list(slot: number): AsyncIterable<UsagePage>
}

/** Sums of finished hours. */
export type UsageSums = {
  /**
   * The last closed hour, and the last hour whose sums are written, like all hours before it.
   * Undefined before the first. Strongly consistent.
   */
  readHead(): Promise<UsageHead | undefined>
  /** Moves one of the two forward; an earlier hour than the stored one changes nothing. */
  moveHead(to: { closed: number } | { rolled: number }): Promise<void>
  /** How often the hour's sums were written; 0 at first. Strongly consistent. */
  version(hour: number): Promise<number>
  /** Writes all sums of an hour if `version` is the stored one. Returns false if it is another. */
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
 * Entries of the ledger that were written or changed and are not taken yet, numbered in the order
 * of writing. The twin's store keeps them; on AWS the table's stream brings them.
 */
export type LedgerNews = {
  /**
   * The oldest `limit` entries after `after` and up to `upTo`. A call that changed twice may come
   * twice, both times as it is now.
   */
  read(of: {
    after?: number
    upTo?: number
    limit: number
  }): Promise<{ entries: readonly ArchiveEntry[]; upTo: number }>
  /** Drops all entries up to `upTo`; their records may expire from then on. */
  done(upTo: number): Promise<void>
}

/**
 * Where the ledger and the audit trail are stored for ever. No object is replaced; one is removed
 * once its lines are in another object.
 * Throws `Fault('store_unavailable')` if the archive does not answer.
 */
export type Archive = {
  /** The object is durable once this resolves. A name that exists keeps its object. */
  put(object: ArchiveObject): Promise<void>
  /** Names that begin with `prefix`, sorted. */
  list(prefix: string): Promise<readonly string[]>
  /**
   * Undefined for an unknown name. Throws `Fault('internal')` if the bytes are no object of the
   * archive.
   */
  read(name: string): Promise<string | undefined>
  /** Removes an object, or nothing if the name is unknown. */
  remove(name: string): Promise<void>
}

/** Masked answers of upstreams to failed calls, for administrators; stored for a week. */
export type CallExcerpts = {
  put(excerpt: { uid: string; callId: string; text: string; expiresAtMs: number }): Promise<void>
  find(call: { uid: string; callId: string }): Promise<string | undefined>
  /** Removes up to `limit` excerpts of a user. Returns true if none remains. */
  dropOwned(of: { uid: string; limit: number }): Promise<boolean>
}
