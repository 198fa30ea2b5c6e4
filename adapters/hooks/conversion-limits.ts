/**
 * Limits of conversions, in their own file because the converters are loaded late. The parsers of
 * CSV and XML block the event loop, so the limits keep the worst known text to 40 ms, or 65 ms as
 * the first of a process (docs/design/calls.md#what-a-skill-says-of-answers). HTML is converted in a thread.
 */

/** Bytes of unpacked text, as for HTML. */
export const TABLE_BYTES_MAX = 512_000
/** Lines of CSV, with the header and empty lines. */
export const CSV_LINES_MAX = 10_000
export const CSV_COLUMNS_MAX = 512
/** Levels of nested elements. The JSON nests twice as deep, and clients accept 64 levels. */
export const XML_DEPTH_MAX = 30
/** Elements and attributes of one document. */
export const XML_PARTS_MAX = 30_000
/** Characters of JSON made from CSV: each row repeats the names of its columns. */
export const JSON_CHARS_MAX = 1_024_000

/** Bytes of unpacked HTML: far more than a model reads at once. */
export const HTML_BYTES_MAX = 512_000
/** Levels of nesting, as in browsers; beyond them the converter's time grows with the square. */
export const HTML_DEPTH_MAX = 512
/** Characters of Markdown: escapes may double a text; nested lists or quotes make it longer. */
export const MARKDOWN_CHARS_MAX = 1_024_000
/** A page of the largest size takes a tenth of this time on one core; a call may take 15 s. */
export const CONVERT_MS_MAX = 5_000
/**
 * Processor time of the process. A page that used less within CONVERT_MS_MAX continues until it has
 * used this much or its call ends. A function with a ninth of a core has 0.5 s of processor time in
 * 5 s, and a page of the largest size needs up to 1 s there.
 */
export const CONVERT_CPU_MS_MAX = 1_500
/**
 * Memory of a thread: a page of the largest size with a tag every 30 characters needs 40 MB. More
 * would not fit into the function together with a long tool list (docs/design/functions.md#memory).
 */
export const CONVERT_MEMORY_MB_MAX = 48
/**
 * A thread is ended after a longer page, because its heap would remain; shorter pages leave 14 MB
 * at most.
 */
export const KEPT_HTML_CHARS_MAX = 100_000
/** Pages that are converted at once; others wait, up to the deadline of their call. */
export const CONVERT_THREADS_MAX = 2
