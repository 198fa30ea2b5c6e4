/** Ports for what remains of calls: pages, sums, excerpts, the archive. */
import type { ArchiveEntry, ArchiveObject } from '../archive/archive-entry.ts'
import type { DetailPart, NewPart } from '../usage/detail-parts.ts'
import type { Level, Period, PeriodRange } from '../usage/periods.ts'
import type { DetailRange } from '../usage/usage-detail.ts'
import type { UsagePage } from '../usage/usage-page.ts'
import type { UsageHead, UsageSum } from '../usage/usage-sum.ts'

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

/**
 * Sums of hours, days and months: those of skills, and details by user, key and skill. All reads are
 * strongly consistent.
 */
export type UsageSums = {
  /**
   * The last closed period of a level, and the last one whose sums are written, like all before it.
   * Undefined before the first.
   */
  readHead(level: Level): Promise<UsageHead | undefined>
  /**
   * Stores the heads of all levels in one step, each with this last period; nothing if there are
   * heads already.
   */
  startHeads(last: { readonly [level in Level]: number }): Promise<void>
  /** Moves one of the two forward; an earlier period than the stored one changes nothing. */
  moveHead(level: Level, to: { closed: number } | { rolled: number }): Promise<void>
  /** Stores how far the details of a period are written. The last writer wins. */
  markPart(level: Level, part: { index: number; from: string }): Promise<void>
  /** How often the sums of skills of a period were written; 0 at first. */
  version(period: Period): Promise<number>
  /** Writes the sums of skills if `version` is the stored one. Returns false if it is another. */
  writeSkills(written: {
    period: Period
    version: number
    sums: readonly UsageSum[]
  }): Promise<boolean>
  /** Sums of skills of a range of periods, by period. */
  readSkills(of: PeriodRange): Promise<ReadonlyMap<number, readonly UsageSum[]>>
  /**
   * The part of a period that has the key `from`, and parts after it up to the key `to`; `limit`
   * parts at most. A period without parts has one that is not stored, with version 0.
   */
  parts(of: DetailRange & { period: Period; limit: number }): Promise<readonly DetailPart[]>
  /**
   * Divides the range of a part among one or more new parts, in one step, if its version is still
   * that of `before`. Returns false if it is another.
   */
  replacePart(of: {
    period: Period
    before: Pick<DetailPart, 'from' | 'version'>
    parts: readonly [NewPart, ...NewPart[]]
  }): Promise<boolean>
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
