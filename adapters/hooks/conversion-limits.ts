/**
 * Limits of CSV and XML that become JSON. Both parsers block the event loop, so the limits keep the worst
 * known text to 40 ms, or 65 ms as the first of a process (ADR 0041). These limits have their own file,
 * because the parsers are loaded late.
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
