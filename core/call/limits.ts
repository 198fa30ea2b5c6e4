/**
 * Time limits of one call, shared by tools/call, execute and the stream; size limits of its answer.
 */

/**
 * A call that takes longer is cut off (docs/service.md, Tool calls). Counted from the POST, or for
 * REST callers from execute's start.
 */
export const CALL_TIMEOUT_MS = 15_000
/**
 * The upstream is cut this long before the call's deadline, at every door, to refund and to answer
 * in time. The rest is the upstream's: TIMEOUT_MS_MAX of core/skills.
 */
export const DEADLINE_MARGIN_MS = 750
/** A failure is looked into within days; older excerpts are data without a use. */
export const EXCERPT_TTL_MS = 7 * 86_400_000
/** How often execute checks whether a running call was voided. */
export const VOID_WATCH_MS = 1_000

/** Blocks of one result: a client shows a widget for each, and an empty one takes only 25 bytes. */
export const CONTENT_BLOCKS_MAX = 100
/** Longest media type. RFC 6838 allows 127 characters for each half; real ones have at most 80. */
export const MIME_TYPE_CHARS_MAX = 128
/** Longest URI of a resource or a link, which clients show and open. */
export const RESOURCE_URI_CHARS_MAX = 2048
/** Name, title and description of a link, each. */
export const LINK_TEXT_CHARS_MAX = 1024
/** Characters of one response header that a skill shows: a Link with four long URLs. */
export const SHOWN_HEADER_CHARS_MAX = 4096
/** Characters of a failed answer shown to the model: enough for an error message. */
export const FAILURE_TEXT_CHARS_MAX = 500

/** Questions of one `input_required`: a person has to answer each in a dialogue. */
export const INPUT_REQUESTS_MAX = 16
/** Characters of a question's key, which comes back with its answer. */
export const INPUT_KEY_CHARS_MAX = 128
/** JSON text of all questions of one answer: the schema of one form takes a few kilobytes. */
export const INPUT_REQUESTS_BYTES_MAX = 65_536
/** UTF-8 bytes of an upstream's state: it travels to the client and back with each round. */
export const INPUT_STATE_BYTES_MAX = 32_768
/** Characters of `input.state`: the largest state after sealing, and some room. */
export const INPUT_STATE_CHARS_MAX = 49_152
/** A person answers within minutes; an older state belongs to a dialogue that is over. */
export const INPUT_STATE_TTL_MS = 900_000
/** Answers in one request. A few unknown ones are ignored; more than this is refused. */
export const INPUT_RESPONSES_MAX = 64
/** Capabilities that one client declares; MCP knows half a dozen. */
export const INPUT_CAPABILITIES_MAX = 64

/** Mirrored headers of one request, those that no parameter annotates included. */
export const PARAM_HEADERS_MAX = 64
/** Characters of these headers between our functions: a function URL accepts 10 kB of headers. */
export const PARAM_HEADERS_CHARS_MAX = 6_144

/**
 * Names of pairs that the arguments of one call may make in query, path and form: servers read a thousand, and each
 * name is compared with those of the skill.
 */
export const PAIR_NAMES_MAX = 10_000
