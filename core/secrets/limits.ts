/** Size and count limits of secrets. */

/** UTF-8 bytes. An RSA key in PEM has 3,200 bytes; KMS and the stored record would allow more. */
export const SECRET_BYTES_MAX = 4096
/** Characters. A shorter value occurs in too many texts to be masked, and can be guessed. */
export const SECRET_CHARS_MIN = 4
/** Secrets in one record: 64 sealed values of 4 kB fit one DynamoDB item. */
export const SECRETS_MAX = 64
/** How long an environment may use a cached secret after it was changed or removed. */
export const SECRET_CACHE_MS = 30_000

/**
 * Shared secrets in one record: two sealed values of the longest size for each fit one DynamoDB
 * item.
 */
export const SHARED_SECRETS_MAX = 24
/**
 * Seconds. A rotation needs the previous value until the new one is known everywhere, a day at
 * most.
 */
export const KEEP_PREVIOUS_SEC_MAX = 86_400
/** Characters of the name of the credential that set a shared secret. */
export const SET_BY_CHARS_MAX = 64

/** Origins of one secret, including those of its own skill. */
export const SECRET_ORIGINS_MAX = 8
/** Market skills that may use one global secret. For more, the secret is set for each skill. */
export const SECRET_MARKET_SKILLS_MAX = 8
/**
 * UTF-8 bytes of a binding's text. One origin of the longest host fits, and 64 longest bindings
 * with 64 longest sealed values fit one DynamoDB item.
 */
export const SECRET_BINDING_BYTES_MAX = 448

/** Secrets in one page of a user's secrets. */
export const SECRETS_PAGE_MAX = 100
export const SECRETS_PAGE_DEFAULT = 100

/** How long a link to the page of secrets works: a person is at the program that showed it. */
export const SECRET_LINK_LIFE_MS = 600_000
/** Characters of a link's token; one with eight of the longest names has about 1,200. */
export const SECRET_LINK_CHARS_MAX = 2_048
/** Secrets on one page. The next call asks for the others. */
export const SECRETS_PER_LINK_MAX = 8
/**
 * Bytes of the page's form: eight values of the longest size, whose bytes may take three characters
 * each, and the hidden fields.
 */
export const SECRET_FORM_BYTES_MAX = SECRETS_PER_LINK_MAX * 3 * SECRET_BYTES_MAX + 8_192

/**
 * How long the gateway's registration at an authorization server is used. A server that lost it
 * refuses logins in the browser, where the gateway does not see it, so this bounds the outage.
 * Logins that exist keep their own client id.
 */
export const REGISTRATION_LIFE_MS = 7 * 86_400_000
