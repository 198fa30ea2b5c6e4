/** Limits of what administrators read about calls. */

/** Calls in one page. */
export const CALLS_PAGE_MAX = 200
export const CALLS_PAGE_DEFAULT = 50
/**
 * Calls that one request reads. A filter that allows few calls makes short pages, never slow ones.
 */
export const CALLS_READ_MAX = 2_000
/** Hours whose pages one request for the calls of all users reads. */
export const CALLS_HOURS_MAX = 48
/** The longest span of one request. */
export const CALLS_SPAN_MS_MAX = 31 * 86_400_000
/** A request without a span reads the last day. */
export const CALLS_SPAN_MS_DEFAULT = 86_400_000

/** The longest span of one request for sums: five years, which are 60 stored months. */
export const USAGE_SPAN_MS_MAX = 1_827 * 86_400_000
/** The longest span of a request that has an entry for each day. */
export const USAGE_DAYS_MS_MAX = 366 * 86_400_000
/** Entries of one answer: 10,000 lines are 2 MB of JSON. */
export const USAGE_ROWS_MAX = 10_000
/** Stored parts that one request reads: 25 MB, and ten seconds at most. */
export const USAGE_PARTS_MAX = 2_000
/** Grants that one statement reads; one has all of its user, since they are sorted by id. */
export const STATEMENT_GRANTS_MAX = 10_000
/** Users in one page of the statements of a month. */
export const STATEMENTS_PAGE_MAX = 100
export const STATEMENTS_PAGE_DEFAULT = 50
