/** Times of one call, shared by tools/call, execute and the stream; and sizes of its answer. */

/**
 * A slow call is cut off (docs/service.md, Tool calls). Counted from the POST, or for REST callers
 * from execute's start.
 */
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

/** Questions of one `input_required`: each is a dialogue that a person has to go through. */
export const INPUT_REQUESTS_MAX = 16
/** Characters of the key of one question: it names an answer, and comes back with it. */
export const INPUT_KEY_CHARS_MAX = 128
/** JSON text of all questions of one answer: a schema of a form has a few kilobytes. */
export const INPUT_REQUESTS_BYTES_MAX = 65_536
/** UTF-8 bytes of an upstream's state: it travels to the client and back with each round. */
export const INPUT_STATE_BYTES_MAX = 32_768
/** Characters of `input.state` as it comes back: what the largest state is when sealed, and room. */
export const INPUT_STATE_CHARS_MAX = 49_152
/** A person answers a question within minutes; a state that is older belongs to a dialogue that is over. */
export const INPUT_STATE_TTL_MS = 900_000
/** Answers in one request; extra ones are ignored, a crowd of them is not. */
export const INPUT_RESPONSES_MAX = 64
/** Capabilities that one client declares; MCP knows half a dozen. */
export const INPUT_CAPABILITIES_MAX = 64

/** Mirrored headers of one request: parameters that a skill annotates, and those that it does not. */
export const PARAM_HEADERS_MAX = 64
/** Characters of these headers as our functions hand them on: a function URL takes 10 kB of headers. */
export const PARAM_HEADERS_CHARS_MAX = 6_144
