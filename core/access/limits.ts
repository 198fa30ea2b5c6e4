/** How long access records may be cached and kept. Both store adapters read these. */

/** How long a key record may be served from the cache (docs/service.md, Caches). */
export const KEY_CACHE_MS = 30_000

/**
 * How long an unknown key may be refused from the cache. A key is random, and its user gets it only
 * after it was stored, so no request can have asked for it before.
 */
export const UNKNOWN_KEY_CACHE_MS = 30_000

/**
 * Unknown tokens that are not keys of ours by their form, by the minute and network. Keys of the
 * earlier service may be short enough to guess; a client with a wrong one sends the same again, which
 * counts once in UNKNOWN_KEY_CACHE_MS.
 */
export const V0_UNKNOWN_PER_MINUTE = 20

/** Keys past their limit that a process remembers, at 100 bytes; the oldest is forgotten first. */
export const KEY_COUNTS_KNOWN_MAX = 10_000

/**
 * A client whose stream is cut reconnects each second; a broken network must not cost more than
 * this.
 */
export const STREAM_OPENS_PER_MINUTE = 30
/** Callers without a key cannot be told apart, so all of them share this limit. */
export const ANONYMOUS_OPENS_PER_MINUTE = 60
/** tools/list without a key, shared by all such callers: ten for each opened stream. */
export const ANONYMOUS_LISTS_PER_MINUTE = 600

/** Keys in one page of a user's keys. */
export const KEYS_PAGE_MAX = 100
export const KEYS_PAGE_DEFAULT = 100
