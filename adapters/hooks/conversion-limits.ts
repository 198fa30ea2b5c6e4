/**
 * Limits of CSV and XML that become JSON. Both parsers run on the event loop, so the limits keep the worst
 * text that was found to 40 ms of it, 65 ms as the first of a process (ADR 0041). In a file of their own,
 * since the parsers are loaded late.
 */

/** Of unpacked text, as for HTML. */
export const TABLE_BYTES_MAX = 512_000
/** Lines of CSV, the header and empty ones included. */
export const CSV_LINES_MAX = 10_000
export const CSV_COLUMNS_MAX = 512
/** Elements inside each other. JSON nests twice as deep, and clients take 64 levels. */
export const XML_DEPTH_MAX = 30
/** Elements and attributes of one document. */
export const XML_PARTS_MAX = 30_000
/** Of JSON made of CSV: each row repeats the names of its columns. */
export const JSON_CHARS_MAX = 1_024_000
