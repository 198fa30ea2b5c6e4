/** How long access records may be remembered and kept. Read by both store adapters. */

/** A key record found once may be answered from memory for so long (design section 4, execute). */
export const KEY_CACHE_MS = 30_000

/** A minute's counter may go this long after its minute began: nobody asks for it again. */
export const MINUTE_COUNTER_TTL_SEC = 120
