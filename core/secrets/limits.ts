/** Size and count limits of secrets. */

/**
 * UTF-8 bytes. An RSA key in PEM has 3,200; KMS and the stored record allow more than a call needs.
 */
export const SECRET_BYTES_MAX = 4096
/** Shorter ones occur in too many texts to be masked, and can be guessed. */
export const SECRET_CHARS_MIN = 4
/** Secrets in one record: 64 sealed values of 4 kB still fit one DynamoDB item. */
export const SECRETS_MAX = 64
/** How long an environment may use a cached secret after it was changed or removed. */
export const SECRET_CACHE_MS = 30_000

/** Shared secrets in one record: two sealed values of each, the longest, fit one DynamoDB item. */
export const SHARED_SECRETS_MAX = 24
/** A rotation that takes longer than a day is done when the second value is known everywhere. */
export const KEEP_PREVIOUS_SEC_MAX = 86_400
/** Characters of the name of who set a shared secret. */
export const SET_BY_CHARS_MAX = 64

/** Origins of one secret, its skill's own among them. */
export const SECRET_ORIGINS_MAX = 8
/** Market skills that may use one global secret; more set it for each skill. */
export const SECRET_MARKET_SKILLS_MAX = 8
/**
 * UTF-8 of a binding's text: one origin of the longest host fits, and 64 bindings of 64 sealed values
 * of the longest are still one item of DynamoDB.
 */
export const SECRET_BINDING_BYTES_MAX = 448

/** Secrets in one page of a user's secrets. */
export const SECRETS_PAGE_MAX = 100
export const SECRETS_PAGE_DEFAULT = 100
