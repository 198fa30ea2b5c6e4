/** Limits of the gateway's login: times, sizes and counts. */

/** A code is exchanged by a program that waits for it, within seconds. */
export const CODE_LIFE_MS = 60_000

/** A login ends 30 days after its last refresh, as an unused key does. */
export const LOGIN_LIFE_MS = 30 * 86_400_000

/**
 * How long the refresh token before the newest one still works. Several processes of one client
 * refresh at once, and an answer may be lost.
 */
export const REFRESH_GRACE_MS = 60_000

/**
 * How long a process remembers a refused refresh token. Bursts of clients that repeat one end
 * within seconds.
 */
export const DEAD_TOKEN_KEPT_MS = 30_000
/** Refused refresh tokens that a process remembers, about 150 bytes each. */
export const DEAD_TOKENS_KEPT_MAX = 1_000

/** Access tokens of one login that work at once. The oldest ends when one more is issued. */
export const TOKENS_PER_LOGIN_MAX = 20

/** How long a person may take on the page. The form's cookie lasts as long. */
export const FORM_LIFE_SEC = 600

/**
 * Seconds for which a browser remembers an invitation that it opened: time to add the gateway to a
 * client. Later, the person opens the link again.
 */
export const INVITE_COOKIE_LIFE_SEC = 3_600

/** Wrong keys and invitations that one network may send in LOGIN_TRIES_WINDOW_MIN minutes. */
export const LOGIN_TRIES_MAX = 10
/** Minutes in which they are counted: windows are fixed and begin every ten minutes. */
export const LOGIN_TRIES_WINDOW_MIN = 10

/**
 * Requests by which one network signs in to the console, refreshes and signs out there, in
 * LOGIN_TRIES_WINDOW_MIN minutes. A person at work makes two in that time, and an office may be one
 * network.
 */
export const CONSOLE_SIGN_IN_REQUESTS_MAX = 300
/** Bytes of such a request: a refresh token may have 8,000 characters. */
export const CONSOLE_SIGN_IN_BYTES_MAX = 16_384

/** Bytes of a request to a login path; the longest has a state and a signed client id. */
export const LOGIN_BODY_BYTES_MAX = 8_192

/**
 * Bytes of a form of the pages. It carries the query of the page once more, and each character may
 * take three.
 */
export const PAGE_FORM_BYTES_MAX = 3 * LOGIN_BODY_BYTES_MAX + 2_048

/** Redirect URIs of one client. The client that registers most sends three. */
export const REDIRECTS_PER_CLIENT_MAX = 8
/** Characters of one redirect URI. */
export const REDIRECT_URI_CHARS_MAX = 300
/** Characters of a client's name that are kept and shown. */
export const CLIENT_NAME_CHARS_MAX = 60
/** Characters of a client id: a signed one has all redirect URIs of its client, in base64. */
export const CLIENT_ID_CHARS_MAX = 4_096
/** Characters of a client's `state`, which is sent back unchanged. */
export const STATE_CHARS_MAX = 2_048

/** Characters of the URL of a client metadata document. */
export const CLIENT_DOCUMENT_URL_CHARS_MAX = 300
/** Bytes of a client metadata document. */
export const CLIENT_DOCUMENT_BYTES_MAX = 5_120
/** How long the page waits for a client metadata document. */
export const CLIENT_DOCUMENT_WAIT_MS = 2_000
/**
 * Client metadata documents that are read for one network in LOGIN_TRIES_WINDOW_MIN minutes, counted
 * in advance. Documents that hang can thus hold a process for two minutes of ten.
 */
export const CLIENT_DOCUMENT_READS_MAX = 60
/** How long a client metadata document is used before it is read again. */
export const CLIENT_DOCUMENT_KEPT_MS = 600_000
/** How long a failed read of a document is remembered. */
export const CLIENT_DOCUMENT_FAILED_MS = 60_000
/** Documents that a process remembers, about 5 kB each. */
export const CLIENT_DOCUMENTS_KEPT_MAX = 200

/** Tools that the page lists; it tells how many more there are. */
export const PAGE_TOOLS_MAX = 50

/** Characters of the query of a callback that are read: a code and a state have a few hundred. */
export const CALLBACK_QUERY_CHARS_MAX = 8_192
