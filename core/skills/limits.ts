/**
 * Size limits of a skill. examples/skills/skill.schema.json repeats these numbers for editors; a
 * test compares the two. Characters are Unicode code points, as in JSON Schema.
 */

/** Versions of a skill that are stored. Each new version removes the oldest. */
export const SKILL_VERSIONS_KEPT = 50
/** Versions in one page. Each may have a definition of DEFINITION_BYTES_MAX. */
export const SKILL_VERSIONS_PAGE_MAX = 50
export const SKILL_VERSIONS_PAGE_DEFAULT = 20

/** UTF-8 bytes of the whole unified JSON. A DynamoDB item has at most 400 kB with all fields. */
export const DEFINITION_BYTES_MAX = 256_000
/** UTF-8 bytes that a state, a reason of 300 characters and 16 groups add to a definition. */
export const OPERATING_BYTES_MAX = 4_000
/** UTF-8 bytes of Markdown. For some texts, the parser's time grows quadratically. */
export const MARKDOWN_BYTES_MAX = 64_000
/** Lines of Markdown. Each blocks the process for up to 20 µs, however short it is. */
export const MARKDOWN_LINES_MAX = 4_000
/** Characters with the prefix. A private skill's tool name is shortened, so its id may be long. */
export const SKILL_ID_CHARS_MAX = 200
/** Official and market skills are called by their id, and hosts accept names of 64 characters. */
export const SHARED_SKILL_ID_CHARS_MAX = 64
export const NAME_CHARS_MAX = 128
/** A description uses tokens of every model that lists the tool. */
export const DESCRIPTION_CHARS_MAX = 4096
/** UTF-16 units. A family of four with skin tones has 19, and a font may join more characters. */
export const EMOJI_UNITS_MAX = 32
export const TAGS_MAX = 32
export const TAG_CHARS_MAX = 64
/** Nesting of `meta.parameters`, well below the 64 levels of a request body. */
export const PARAMETERS_DEPTH_MAX = 32
export const PROPERTIES_MAX = 128
/** Characters of a header name that mirrors an argument, without `Mcp-Param-`. */
export const PARAM_HEADER_CHARS_MAX = 64
/** Characters of a URL with its placeholders. Servers and proxies accept URLs of this length. */
export const ENDPOINT_CHARS_MAX = 2048
export const HEADERS_MAX = 32
export const QUERY_MAX = 32
export const PAIR_NAME_CHARS_MAX = 128
export const PAIR_VALUE_CHARS_MAX = 1024
/** Characters of a role's ARN in `config.auth`: two policies and 4 kB of variables hold the list. */
export const ROLE_ARN_CHARS_MAX = 256
/** Characters of the external id of a role: AWS's own limit. */
export const EXTERNAL_ID_CHARS_MAX = 1_224
/** Hooks of one skill: a token, a signature, a conversion and one more. */
export const HOOKS_MAX = 4
/** Names in one template place: the argument, and the members inside. */
export const ARG_PARTS_MAX = 8
export const HOOK_NAME_CHARS_MAX = 64
/** Characters of a JSON Pointer into an answer. */
export const PICK_CHARS_MAX = 512
/** Conditions of one `fail_if`. Each is checked for every answer. */
export const FAIL_CONDITIONS_MAX = 8
/** Characters of a text that `fail_if` searches for. */
export const FAIL_TEXT_CHARS_MAX = 256
/** Statuses other than 2xx that one skill accepts as answers. */
export const OK_STATUSES_MAX = 16
/**
 * Seconds of `config.repeat.forgive_within_sec`: a model repeats a lost call within a few seconds.
 */
export const FORGIVE_WITHIN_SEC_MIN = 10
/** A longer time would make every second call of a client that polls once a minute free. */
export const FORGIVE_WITHIN_SEC_MAX = 60
/** Seconds of `config.task.max_sec`. */
export const TASK_SEC_MIN = 1
/** The function that works on has 900 s; the rest is for the end of the task. */
export const TASK_SEC_MAX = 840
/**
 * Seconds of `config.task.max_sec` with `job`: nothing runs in between, but the price is on hold.
 */
export const JOB_SEC_MAX = 86_400
/** Seconds between two questions about one job: each is a request to its upstream. */
export const JOB_POLL_SEC_MIN = 2
export const JOB_POLL_SEC_MAX = 3_600
export const JOB_POLL_SEC_DEFAULT = 10
/**
 * Values of the start's answer that one job keeps: an id, and what its addresses need beside it.
 */
export const JOB_VALUES_MAX = 8
/** Words of a status that mean the same: done, or failed. */
export const JOB_WORDS_MAX = 16
/** Characters of one such word. */
export const JOB_WORD_CHARS_MAX = 128
/** Repeated sends of one call. More would only use up the call's time limit. */
export const RETRIES_MAX = 2
/**
 * The upstream's time in a call at every door: the 15 s that the agent waits, minus the 750 ms in
 * which the gateway refunds and answers (core/call/limits.ts). A skill can only set a shorter time.
 */
export const TIMEOUT_MS_MAX = 14_250
export const TIMEOUT_MS_DEFAULT = 14_250
/** A typical duration cannot be longer than a call. */
export const TYPICAL_MS_MAX = 15_000
/** A longer answer would not fit the memory of a function beside its copy that is kept. */
export const RESPONSE_BYTES_MAX = 16_000_000
export const RESPONSE_BYTES_DEFAULT = 1_000_000
/** Credits per call. A price with too many zeros must not use up an account at once. */
export const PRICE_CREDITS_MAX = 10_000
/** Characters of the reason why a skill is disabled, which agents read. */
export const STATE_REASON_CHARS_MAX = 300
/** Prices are whole micro-credits, as in the ledger. */
export const PRICE_DECIMALS = 6
/** Field errors in one answer. The others appear once these are corrected. */
export const FAULTS_MAX = 100

/** Characters of private tool names (docs/service.md, Tool names). */
export const TOOL_NAME_CHARS_MAX = 64
/** Hosts add a prefix such as `mcp__skillgate__` to a name and allow 64 characters in all. */
export const TOOL_NAME_CHARS_WARN = 48
export const HASH_CHARS = 8

/** Characters of a tool's name at an MCP server. MCP asks for 128 at most; some servers have more. */
export const MCP_TOOL_CHARS_MAX = 256
/** Characters of the id of an upstream in `config.mcp`. */
export const MCP_UPSTREAM_CHARS_MAX = 64

/** Tools in one page of tools/list. */
export const TOOLS_PAGE_SIZE = 500
export const CURSOR_CHARS_MAX = 256

/** Skills in one page of the admin list. */
export const SKILLS_PAGE_MAX = 100
export const SKILLS_PAGE_DEFAULT = 50
/** UTF-8 bytes of a page's definitions. With escapes, they fit into Lambda's answer of 6 MB. */
export const SKILLS_PAGE_BYTES_MAX = 2_000_000
/** Skills that one request of the list reads to find those that fit its filters. */
export const SKILLS_READ_MAX = 500
/** Characters of the words that the list is searched for. */
export const SKILLS_SEARCH_CHARS_MAX = 100

/** Lifetime of an unfinished part of a list. No rebuild pauses so long between two parts. */
export const TOOLS_DRAFT_TTL_SEC = 3_600

/** Characters of a query to the search tool: a sentence or two. */
export const SEARCH_QUERY_CHARS_MAX = 400
/** Tools in one search answer. A model reads all of them. */
export const SEARCH_LIMIT_MAX = 50
export const SEARCH_LIMIT_DEFAULT = 10
/** Characters of a description in a search answer. The tool list has the full text. */
export const SEARCH_DESCRIPTION_CHARS_MAX = 300
/**
 * UTF-8 bytes of the tools in an answer with schemas, unless the first one alone is longer. A model
 * reads all of it, and a stream carries 1 MiB, of which the answer takes its bytes twice.
 */
export const SEARCH_SCHEMAS_BYTES_MAX = 256_000
