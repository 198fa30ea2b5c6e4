/** Limits of MCP servers as upstreams. docs/wire.md lists them. */

/** Upstreams of one gateway. The sweep reads all of them each minute. */
export const UPSTREAMS_MAX = 100
/** Characters of an upstream's id, which stands in paths and in marks of skills. */
export const UPSTREAM_ID_CHARS_MAX = 40
/** Characters of a prefix, so that most tool names fit behind it. */
export const UPSTREAM_PREFIX_CHARS_MAX = 20
/**
 * Characters of a tool's name here. Hosts add `mcp__server__`, some cut at 63, and all take 60.
 */
export const UPSTREAM_TOOL_NAME_CHARS_MAX = 60
/** Characters of sha256 that end a name which was cut. */
export const UPSTREAM_NAME_HASH_CHARS = 6
/** UTF-8 bytes of one upstream's list of tools, all pages together. */
export const UPSTREAM_LIST_BYTES_MAX = 5_000_000
/** Tools of one approval, and prices by tool: as many as a server's list may have. */
export const UPSTREAM_LIST_TOOLS_MAX = 1_000
/** UTF-8 bytes of one entry: it becomes a skill, whose definition has a limit of its own. */
export const UPSTREAM_TOOL_BYTES_MAX = 200_000
/** UTF-16 units of the server's own name of a tool, as MCP advises servers. */
export const UPSTREAM_TOOL_CHARS_MAX = 128
/** Globs in `include`, and in `exclude`. */
export const UPSTREAM_GLOBS_MAX = 50
/** Characters of a glob. */
export const UPSTREAM_GLOB_CHARS_MAX = 128
/** Minutes between refreshes. A shorter time would ask a server all day for nothing. */
export const REFRESH_MINUTES_MIN = 5
export const REFRESH_MINUTES_MAX = 10_080
export const REFRESH_MINUTES_DEFAULT = 60
/** Refreshes without a list after which an upstream is stale. */
export const STALE_AFTER_FAILURES = 3
/**
 * Longest work on one upstream's tools, in ms: longer than the functions admin and sweep run, so
 * that a lease that is over belongs to nobody who still writes.
 */
export const UPSTREAM_LEASE_MS = 120_000
/** Refreshes that one run of the sweep begins. */
export const REFRESHES_PER_RUN_MAX = 20
/** Refreshes that run at once: each holds a list of up to 5 MB. */
export const REFRESHES_AT_ONCE = 2
/** Characters of base64 in a description, past which it hides something rather than shows it. */
export const BASE64_CHARS_MAX = 200
/**
 * UTF-8 bytes, as JSON, of what is kept of an upstream's resources, templates and prompts: they are
 * one item, and an item of the store has 400 kB.
 */
export const UPSTREAM_HELD_BYTES_MAX = 300_000
/** Entries that are kept of each of the three lists. */
export const UPSTREAM_HELD_ENTRIES_MAX = 500
/** Characters of a description of a resource, a template or a prompt. */
export const UPSTREAM_HELD_TEXT_CHARS_MAX = 4_096
/** UTF-8 bytes of an answer to resources/read or prompts/get of an upstream. */
export const UPSTREAM_READ_BYTES_MAX = 1_000_000
/** Contents of one resource, and messages of one prompt. */
export const UPSTREAM_READ_PARTS_MAX = 100
