/**
 * Limits of a page that is turned into Markdown. In a file of their own, since the converter is
 * loaded late.
 */

/** Of unpacked HTML: far more than a model reads at once. */
export const HTML_BYTES_MAX = 512_000
/** The depth to which browsers nest; past it the converter's time grows with the square. */
export const HTML_DEPTH_MAX = 512
/** Escapes may double a text; longer Markdown comes from nested lists or quotes. */
export const MARKDOWN_CHARS_MAX = 1_024_000
/**
 * A page of the largest size takes a tenth of this on one core; most of the call's guard is left.
 */
export const CONVERT_MS_MAX = 5_000
/**
 * Of the process. A page that had less when its 5 s are over goes on, until it had so much or its call ends: a function with a
 * ninth of a core gives 0.5 s of processor in 5 s, and a page of the largest size takes up to 1 s there.
 */
export const CONVERT_CPU_MS_MAX = 1_500
/**
 * A page of the largest size with a tag every 30 characters needs 40. More would not fit into the function beside a long list
 * of tools (ADR 0076).
 */
export const CONVERT_MEMORY_MB_MAX = 48
/** A thread that had a longer page is ended: its heap would stay. One of this length leaves 14 MB at most. */
export const KEPT_HTML_CHARS_MAX = 100_000
/** Pages converted at once; others wait, within their own guard. */
export const CONVERT_THREADS_MAX = 2
