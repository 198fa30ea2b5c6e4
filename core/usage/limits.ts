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

/** The longest span of one request for sums: a quarter of a year, hour by hour. */
export const USAGE_SPAN_MS_MAX = 92 * 86_400_000
/** Entries of one answer: 10,000 lines are 2 MB of JSON. */
export const USAGE_ROWS_MAX = 10_000
