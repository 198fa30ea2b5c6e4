/**
 * Size limits of a guide. The extension lets hosts rely on 512 files and 16 MiB; ours are smaller,
 * so that a guide is one request, one transaction and a few items.
 */

/** Characters of a guide's id, which is the name in its front matter (Agent Skills, name). */
export const GUIDE_ID_CHARS_MAX = 64
/** Characters of the description, which every host shows to its model (Agent Skills). */
export const GUIDE_DESCRIPTION_CHARS_MAX = 1_024
/** UTF-8 bytes of the front matter as JSON. Each list of guides has it. */
export const GUIDE_FRONT_MATTER_BYTES_MAX = 8_192
/** Files of one guide. An entry of the list names each of them and is never split. */
export const GUIDE_FILES_MAX = 100
/** Characters of a path in a guide. */
export const GUIDE_PATH_CHARS_MAX = 200
/** Bytes of one file. As JSON or Base64 it fits the 1 MiB that a stream carries. */
export const GUIDE_FILE_BYTES_MAX = 524_288
/** Bytes of all files of one guide, which are written in one transaction of 4 MB. */
export const GUIDE_BYTES_MAX = 1_048_576
/** Versions of a guide that are stored. Each new version removes the oldest. */
export const GUIDE_VERSIONS_KEPT = 20
/** Lines with a price table in all files of one guide. Each is written anew for each reader. */
export const GUIDE_PRICE_TABLES_MAX = 8
/** Names and globs of one price table. */
export const GUIDE_PRICE_GLOBS_MAX = 32
