/** Limits of one call, shared by tools/call, execute and the stream: its time, input and answer. */

/**
 * A longer call is stopped (docs/service.md, Tool calls). The time starts with the POST; for REST
 * callers it starts when execute starts.
 */
export const CALL_TIMEOUT_MS = 15_000
/**
 * Every door stops the upstream this long before the call's deadline, so that the refund and the
 * answer are in time. The upstream has the rest: TIMEOUT_MS_MAX of core/skills.
 */
export const DEADLINE_MARGIN_MS = 750
/** Failures are investigated within days. Older excerpts have no use. */
export const EXCERPT_TTL_MS = 7 * 86_400_000
/** Interval at which execute checks whether a running call was voided. */
export const VOID_WATCH_MS = 1_000

/**
 * Bytes of an answer that are read as text or JSON. A longer one is kept as it came: parsed, it
 * would not fit the memory of a function.
 */
export const TEXT_BYTES_MAX = 4_000_000
/**
 * Bytes of an answer that are in the result itself. As base64 they are a third more, which clients
 * and the answer of a function still take. A longer answer is kept.
 */
export const INLINE_BYTES_MAX = 4_000_000
/** Characters of a kept text that its result shows: enough for a model to see what it is. */
export const RESULT_HEAD_CHARS = 2_000

/** Blocks of one result. A client shows a widget for each, and an empty one has only 25 bytes. */
export const CONTENT_BLOCKS_MAX = 100
/** Characters of a media type. RFC 6838 allows 127 for each half; real ones have at most 80. */
export const MIME_TYPE_CHARS_MAX = 128
/** Characters of the URI of a resource or a link, which clients show and open. */
export const RESOURCE_URI_CHARS_MAX = 2048
/** Characters of the name, the title and the description of a link, each. */
export const LINK_TEXT_CHARS_MAX = 1024
/** Characters of one response header that a skill shows: a Link with four long URLs. */
export const SHOWN_HEADER_CHARS_MAX = 4096
/** Characters of a failed answer shown to the model: enough for an error message. */
export const FAILURE_TEXT_CHARS_MAX = 500

/** Questions of one `input_required`. A person has to answer each one in a dialogue. */
export const INPUT_REQUESTS_MAX = 16
/** Characters of a question's key, which its answer repeats. */
export const INPUT_KEY_CHARS_MAX = 128
/** Bytes of the JSON text of all questions of one answer. The schema of a form takes a few kB. */
export const INPUT_REQUESTS_BYTES_MAX = 65_536
/** UTF-8 bytes of an upstream's state, which goes to the client and back in each round. */
export const INPUT_STATE_BYTES_MAX = 32_768
/** Characters of `input.state`: the largest state after sealing, and a margin. */
export const INPUT_STATE_CHARS_MAX = 49_152
/** A person answers within minutes. An older state belongs to a dialogue that is over. */
export const INPUT_STATE_TTL_MS = 900_000
/** Answers in one request. Unknown answers are ignored up to this limit; more are refused. */
export const INPUT_RESPONSES_MAX = 64
/** Capabilities that one client declares. MCP defines about six. */
export const INPUT_CAPABILITIES_MAX = 64

/** Mirrored headers of one request, including headers that no parameter annotates. */
export const PARAM_HEADERS_MAX = 64
/** Characters of these headers between functions. A function URL accepts 10 kB of headers. */
export const PARAM_HEADERS_CHARS_MAX = 6_144

/**
 * Names of pairs that the arguments of one call may make in query, path and form. Servers read
 * about a thousand, and each name is compared with those of the skill.
 */
export const PAIR_NAMES_MAX = 10_000

/** Characters of a value of a start's answer that its job keeps: a path of some ids. */
export const JOB_VALUE_CHARS_MAX = 512
/** Questions in a row without a state, after which a job is given up. */
export const JOB_ERRORS_MAX = 10
/**
 * For the questions of one visit to a job. Whoever polls waits for them, and the next visit asks
 * again.
 */
export const JOB_VISIT_MS = 10_000
