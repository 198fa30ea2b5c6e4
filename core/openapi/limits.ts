/** Limits of reading an OpenAPI document, and of the tools that are made of it. */

/** Nested arrays and objects of a document. Schemas of real documents have up to 40. */
export const DOCUMENT_DEPTH_MAX = 100
/** Operations of one document. The largest known documents have about 1,300. */
export const OPERATIONS_MAX = 2_000
/** Operations that are imported without `all`. A model reads the whole list. */
export const SELECTED_MAX = 40
/** UTF-8 bytes of one tool's input schema. */
export const INPUT_BYTES_MAX = 32_000
/** UTF-8 bytes of one tool's output schema. Clients compile each one when they list tools. */
export const OUTPUT_BYTES_MAX = 8_000
/** Nesting of a tool's schemas. A skill may have 32 levels. */
export const SCHEMA_DEPTH_MAX = 32
export const TOOL_DESCRIPTION_CHARS_MAX = 1_000
export const PARAMETER_DESCRIPTION_CHARS_MAX = 200
/** Characters of a tool's name with the gateway's prefixes. Hosts add another prefix. */
export const TOOL_NAME_CHARS_MAX = 48
export const NAME_HASH_CHARS = 6
export const SKILL_NAME_CHARS_MAX = 128
/** Characters of an argument's name. The strictest model APIs accept 64. */
export const ARGUMENT_NAME_CHARS_MAX = 64
export const ARGUMENTS_MAX = 128
/** Pairs of arguments of an optional body of which one needs the other in the schema. */
export const NEEDED_PAIRS_MAX = 400
/** Parameters of one operation, including those that are left out. */
export const PARAMETERS_MAX = 1_000
/** References to references that are followed. More are treated as a circle. */
export const REFERENCE_STEPS_MAX = 20
/** External references that a refusal lists. */
export const EXTERNAL_SHOWN_MAX = 20
/** Actions of one Overlay document, and places that one action may change. */
export const OVERLAY_ACTIONS_MAX = 200
export const OVERLAY_PLACES_MAX = 5_000
/** UTF-8 bytes of an Overlay's updates, counted at every place: as many as a document may have. */
export const OVERLAY_BYTES_MAX = 4_000_000
/**
 * Steps of one document (work-budget.ts), at most about 4 s of a core. The largest known document
 * takes 4.2 million with all its operations.
 */
export const DOCUMENT_STEPS_MAX = 12_000_000
/** Characters of a prefix. */
export const PREFIX_CHARS_MAX = 20

/**
 * UTF-8 bytes of an import's body. Lambda accepts an event of 6 MB, which has the body as a JSON
 * string: each quote and line end needs another byte. Documents without indentation grow by at most
 * a fifth, so 4 MB fit.
 */
export const IMPORT_BODY_BYTES_MAX = 4_000_000
