/** How much of the audit trail is kept, and how much one request reads or tries. */
import { DAY_MS, parseDayStart } from '../json/utc-time.ts'

export const AUDIT_DAYS_KEPT = 400

/** Tries of one append. With 50 concurrent writers, the slowest one fails 49 times. */
export const AUDIT_TRIES_MAX = 100
/** Leaves time for the change itself, since a request of the admin API may take 25 s. */
export const AUDIT_APPEND_MS_MAX = 10_000

export const AUDIT_PAGE_DEFAULT = 50
export const AUDIT_PAGE_MAX = 200
/**
 * Stored records that one request reads, however few its filter allows: 1 MB at most, some 20 ms.
 */
export const AUDIT_READ_MAX = 1_000
/** Days that one request reads. An empty day costs a query. */
export const AUDIT_DAYS_READ_MAX = 31

/** Breaks of a chain that a verification lists; their number includes all. */
export const AUDIT_BREAKS_LISTED_MAX = 100

/** UTF-16 units of an id in `target`. The longest id is a skill's, with 200 characters. */
export const TARGET_UNITS_MAX = 200
/** Ids of one record that are stored as they are; a search finds these without a digest. */
export const TARGETS_SHOWN_MAX = 50
/** Ids of one record that a search finds: both ids of each line of the longest batch. */
export const TARGETS_MAX = 20_000
/** Fields of one request or record with a digest of their own. Further fields share one digest. */
export const AUDIT_FIELDS_MAX = 50

/** All records of a day expire together, so that no remaining record has a gap before it. */
export function toAuditExpiryMs(day: string): number {
  return parseDayStart(day) + (AUDIT_DAYS_KEPT + 1) * DAY_MS
}
