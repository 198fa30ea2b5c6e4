/** How long access records may be remembered and kept. Read by both store adapters. */

/** A key record found once may be answered from the cache for so long (docs/service.md, Caches). */
export const KEY_CACHE_MS = 30_000

/**
 * A hash without a record may be refused from the cache for so long. A key is random and told to its
 * user after it was stored, so nobody can have asked for it before.
 */
export const UNKNOWN_KEY_CACHE_MS = 30_000

/** A minute's counter may go this long after its minute began: nobody asks for it again. */
export const MINUTE_COUNTER_TTL_SEC = 120

/** A stream that is cut again and again must not cost more than this; a client reconnects each second. */
export const STREAM_OPENS_PER_MINUTE = 30
/** Without a key nobody can be told apart: all of them together. */
export const ANONYMOUS_OPENS_PER_MINUTE = 60
/** tools/list without a key, all together: ten for each opened stream. */
export const ANONYMOUS_LISTS_PER_MINUTE = 600

/** Keys in one page of a user's keys. */
export const KEYS_PAGE_MAX = 100
export const KEYS_PAGE_DEFAULT = 100
