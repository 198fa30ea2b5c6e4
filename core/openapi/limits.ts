/** Limits of reading an OpenAPI document and of what is made of it. */

/** Nested arrays and objects of a document; schemas of real ones have up to 40. */
export const DOCUMENT_DEPTH_MAX = 100
/** Operations of one document: the largest known ones have about 1,300. */
export const OPERATIONS_MAX = 2_000
/** Operations that are imported without `all`: a model reads the whole list. */
export const SELECTED_MAX = 40
/** UTF-8 bytes of one tool's input schema. */
export const INPUT_BYTES_MAX = 32_000
/** UTF-8 bytes of one tool's output schema: clients compile each one when they list tools. */
export const OUTPUT_BYTES_MAX = 8_000
/** Nesting of a tool's schemas; a skill may have 32. */
export const SCHEMA_DEPTH_MAX = 32
export const TOOL_DESCRIPTION_CHARS_MAX = 1_000
export const PARAMETER_DESCRIPTION_CHARS_MAX = 200
/** Characters of a tool's name, with the prefixes: hosts put a prefix of their own before it. */
export const TOOL_NAME_CHARS_MAX = 48
export const NAME_HASH_CHARS = 6
export const SKILL_NAME_CHARS_MAX = 128
/** Characters of the name that an argument has; the strictest model APIs take 64. */
export const ARGUMENT_NAME_CHARS_MAX = 64
export const ARGUMENTS_MAX = 128
/** Parameters of one operation, with those that no tool has; more are refused before any is named. */
export const PARAMETERS_MAX = 1_000
/** References that lead to references, before they count as a circle. */
export const REFERENCE_STEPS_MAX = 20
/** External references that a refusal names. */
export const EXTERNAL_SHOWN_MAX = 20
/** Actions of one Overlay document, and places that one of them may change. */
export const OVERLAY_ACTIONS_MAX = 200
export const OVERLAY_PLACES_MAX = 5_000
/**
 * UTF-8 bytes of the updates of one Overlay document, each counted at every place that it changes: as much as a
 * document may have.
 */
export const OVERLAY_BYTES_MAX = 4_000_000
/**
 * Steps of one document (work-budget.ts): nearly three times what the largest known one takes with all its operations (4.2 million).
 * They take at most some 4 s of a core.
 */
export const DOCUMENT_STEPS_MAX = 12_000_000
/** Characters of a prefix. */
export const PREFIX_CHARS_MAX = 20

/**
 * UTF-8 bytes of the body of an import. Lambda takes an event of 6 MB, which holds the body as JSON text: a
 * quote or a line end takes a byte more there. Documents without indentation grow by a fifth or less, so
 * 4 MB fit.
 */
export const IMPORT_BODY_BYTES_MAX = 4_000_000
