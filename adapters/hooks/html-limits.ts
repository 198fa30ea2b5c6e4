/** How much of everything a page may have that is turned into Markdown. Beside the code that is loaded late. */

/** Of HTML, unpacked: far more than a model reads at once. */
export const HTML_BYTES_MAX = 512_000
/** As browsers nest at most; past it parser and converter grow with the square. */
export const HTML_DEPTH_MAX = 512
/** Escapes may double a text; what is longer than that was blown up by nested lists or quotes. */
export const MARKDOWN_CHARS_MAX = 1_024_000
/** A page of the largest size takes a tenth of it on one core; most of the guard is left. */
export const CONVERT_MS_MAX = 5_000
/** Half more than the largest page needs that has a tag every four characters. */
export const CONVERT_MEMORY_MB_MAX = 96
/** Pages at once; others wait, within their own guard. */
export const CONVERT_THREADS_MAX = 2
