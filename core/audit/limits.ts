/** How much of the trail is kept, and how much one request reads or tries. */
import { DAY_MS, startOfDay } from '../json/utc-time.ts'

export const AUDIT_DAYS_KEPT = 400

/** Tries of one append: 50 writers at once make the slowest lose 49 times. */
export const AUDIT_TRIES_MAX = 100
/** Leaves a request of the admin API, which has 25 s, time for its change. */
export const AUDIT_APPEND_MS_MAX = 10_000

export const AUDIT_PAGE_DEFAULT = 50
export const AUDIT_PAGE_MAX = 200
/** Stored records that one request reads, however few fit its filter: 1 MB at most, some 20 ms. */
export const AUDIT_READ_MAX = 1_000
/** Days that one request looks at: an empty one costs a query. */
export const AUDIT_DAYS_READ_MAX = 31

/** Faults that a verification shows; the count is of all. */
export const AUDIT_FAULTS_SHOWN_MAX = 100

/** UTF-16 units of an id in `target`: our longest id is a skill's, of 200 characters. */
export const TARGET_UNITS_MAX = 200
/** Ids of one record that are shown, and by which its change is found without a digest. */
export const TARGETS_SHOWN_MAX = 50
/** Ids of one record by which it is found: both ids of each line of the longest batch. */
export const TARGETS_MAX = 20_000
/** Fields of one request or record that are digested; more are counted under one name. */
export const AUDIT_FIELDS_MAX = 50

/** All records of a day expire together, so that no remaining record has a gap before it. */
export function auditExpiresAtMs(day: string): number {
  return startOfDay(day) + (AUDIT_DAYS_KEPT + 1) * DAY_MS
}
