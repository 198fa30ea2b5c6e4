/**
 * Limits of access: cache times, requests a minute, page sizes. The store adapter reads them too.
 */

/** How long a key record may be served from a cache (docs/service.md, Caches). */
export const KEY_CACHE_MS = 30_000

/**
 * How long an unknown key may be refused from a cache. A key is random and its user receives it
 * after it is stored, so no request can have sent it before. An identity may have been refused
 * before an administrator linked it: then the link is in effect everywhere after this time.
 */
export const UNKNOWN_KEY_CACHE_MS = 30_000

/**
 * Unknown tokens per minute and network that do not have the form of our keys. Keys of the earlier
 * service may be short enough to guess. A client that repeats one wrong key is counted once per
 * UNKNOWN_KEY_CACHE_MS.
 */
export const V0_UNKNOWN_PER_MINUTE = 20

/** Keys over their limit that a process remembers, 100 bytes each. The oldest is dropped first. */
export const KEY_COUNTS_CACHED_MAX = 10_000

/**
 * Per key. A client whose stream breaks reconnects each second; a broken network costs this much.
 */
export const STREAM_OPENS_PER_MINUTE = 30
/** Callers without a key cannot be told apart, so they share this limit. */
export const ANONYMOUS_OPENS_PER_MINUTE = 60
/** tools/list without a key; all such callers share the limit. Ten lists for each opened stream. */
export const ANONYMOUS_LISTS_PER_MINUTE = 600

/** Keys in one page of a user's keys. */
export const KEYS_PAGE_MAX = 100
export const KEYS_PAGE_DEFAULT = 100

/** Logins in one page of a user's logins. */
export const LOGINS_PAGE_MAX = 100
export const LOGINS_PAGE_DEFAULT = 100

/**
 * Sub-keys of one key that have not expired. A model that issues keys in a loop is stopped early.
 */
export const SUB_KEYS_MAX = 10

/** Globs of one key. With the longest ones, they add 3 kB to a record that each call may read. */
export const KEY_GLOBS_MAX = 50
/** Characters of a glob: the longest tool name has as many. */
export const KEY_GLOB_CHARS_MAX = 64

/** How long an identity that got no user is refused without a further read, in milliseconds. */
export const PROVISION_REFUSED_MS = 30_000
/** Refused identities that a process remembers, 500 bytes each. The oldest is dropped first. */
export const PROVISION_REFUSALS_MAX = 2_000
/**
 * Per key. Reads of resources and prompts that reach an upstream are free, unlike calls, so a limit
 * below that of calls keeps a client from reading through a server all day.
 */
export const UPSTREAM_READS_PER_MINUTE = 30

/**
 * Changes that a user may make to the own account in a minute, with all credentials together. Each
 * one is two records of the audit trail, which all changes of the gateway share.
 */
export const ACCOUNT_CHANGES_PER_MINUTE = 30
/**
 * Keys of a user that have not expired, past which the user cannot make further ones. Each list of
 * keys reads all of them. Administrators can make more.
 */
export const OWN_KEYS_MAX = 50
