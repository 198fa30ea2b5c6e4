/** Times of one call, shared by tools/call, execute and the stream; and sizes of its answer. */

/** Spec: a slow tool call is cut off by a 15-second guard. Counted from the POST, or for REST callers from execute's start. */
export const CALL_TIMEOUT_MS = 15_000
/** Execute cuts the upstream so long before its caller's deadline: time to refund and to answer. */
export const DEADLINE_MARGIN_MS = 750
/** While a call runs, execute looks this often whether it was voided. */
export const VOID_WATCH_MS = 1_000

/** Blocks of one result: each costs a client a widget, and an empty one 25 bytes. */
export const CONTENT_BLOCKS_MAX = 100
/** RFC 6838 allows 127 for each half; real ones have 80. */
export const MIME_TYPE_CHARS_MAX = 128
/** Of a resource or a link: what clients show and open. */
export const RESOURCE_URI_CHARS_MAX = 2048
/** Name, title and description of a link, each. */
export const LINK_TEXT_CHARS_MAX = 1024
/** Characters of a failed answer that the model gets to see: enough for an error message. */
export const FAILURE_TEXT_CHARS_MAX = 500
