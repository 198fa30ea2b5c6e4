/**
 * How much of everything a skill may have. examples/skills/skill.schema.json repeats these numbers
 * for editors; a test compares the two. Characters are Unicode code points, as JSON Schema counts.
 */

/** The whole unified JSON in UTF-8: a DynamoDB item holds 400 kB, with room for the other fields. */
export const DEFINITION_BYTES_MAX = 256_000
/** Of Markdown with its prose: its parser takes a time that grows with the square of some texts. */
export const MARKDOWN_BYTES_MAX = 64_000
/** With the prefix. A private skill's tool name is cut to fit, so its id may be long. */
export const SKILL_ID_CHARS_MAX = 200
/** Official and market skills are called by their id, and hosts take names of 64 characters. */
export const SHARED_SKILL_ID_CHARS_MAX = 64
export const NAME_CHARS_MAX = 128
/** Every description is in the context of every model that lists the tool. */
export const DESCRIPTION_CHARS_MAX = 4096
/** UTF-16 code units: the longest family emoji has 11. */
export const EMOJI_UNITS_MAX = 16
export const TAGS_MAX = 32
export const TAG_CHARS_MAX = 64
/** Nesting of `meta.parameters`; with `meta` around it well under the 64 of a request body. */
export const PARAMETERS_DEPTH_MAX = 32
export const PROPERTIES_MAX = 128
/** Of an HTTP header that mirrors an argument, without `Mcp-Param-`. */
export const PARAM_HEADER_CHARS_MAX = 64
/** What servers and proxies take as a URL, placeholders included. */
export const ENDPOINT_CHARS_MAX = 2048
export const HEADERS_MAX = 32
export const QUERY_MAX = 32
export const PAIR_NAME_CHARS_MAX = 128
export const PAIR_VALUE_CHARS_MAX = 1024
export const HOOK_NAME_CHARS_MAX = 64
/** A JSON Pointer into an answer. */
export const PICK_CHARS_MAX = 512
/** Sends of one call besides the first: more would only eat the guard of a call in trouble. */
export const RETRIES_MAX = 2
/** The guard of a tool call (docs/service.md, Tool calls); an upstream can only be given less. */
export const TIMEOUT_MS_MAX = 15_000
export const TIMEOUT_MS_DEFAULT = 15_000
/** What a call usually takes cannot be longer than what it may take. */
export const TYPICAL_MS_MAX = 15_000
export const RESPONSE_BYTES_MAX = 4_000_000
export const RESPONSE_BYTES_DEFAULT = 1_000_000
/** Credits per call: a typing error of some zeros must not empty an account at once. */
export const PRICE_CREDITS_MAX = 10_000
/** Prices are whole micro-credits, as the ledger keeps them. */
export const PRICE_DECIMALS = 6
/** Faults in one answer; the rest shows when these are mended. */
export const FAULTS_MAX = 100

/** Private tool names (docs/service.md, Tool names). */
export const TOOL_NAME_CHARS_MAX = 64
/** Hosts put a prefix such as `mcp__skillgate__` before a name and count 64 with it. */
export const TOOL_NAME_CHARS_WARN = 48
export const HASH_CHARS = 8

/** Tools in one page of tools/list. */
export const TOOLS_PAGE_SIZE = 500
export const CURSOR_CHARS_MAX = 256

/** Skills in one page of the administrators' list. */
export const SKILLS_PAGE_MAX = 100
export const SKILLS_PAGE_DEFAULT = 50
/** Definitions in such a page, in UTF-8: the platform's 6 MB of an answer holds it escaped once more. */
export const SKILLS_PAGE_BYTES_MAX = 2_000_000

/** A piece of a list that is made in steps: no rebuild pauses so long between two of them. */
export const TOOLS_DRAFT_TTL_SEC = 3_600

/** Characters of a question to the search tool; a sentence or two. */
export const SEARCH_QUERY_CHARS_MAX = 400
/** Tools in an answer of the search: all of it is read by a model. */
export const SEARCH_LIMIT_MAX = 50
export const SEARCH_LIMIT_DEFAULT = 10
/** Characters of a description in such an answer; the tool list has the whole of it. */
export const SEARCH_DESCRIPTION_CHARS_MAX = 300
