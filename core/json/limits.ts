/** Default limits of reading JSON. Callers may pass smaller or larger limits. */
import type { PartLimits } from './json-parts.ts'

/** Bytes of a request body of an agent or a REST client. 1 MiB is far above any real tool call. */
export const JSON_BYTES_MAX = 1_048_576

/** Nested arrays and objects: `[]` has depth 1. Recursive readers rely on this limit. */
export const JSON_DEPTH_MAX = 64

/**
 * Names, values, arrays and objects in an upstream's answer. An empty object takes 45 bytes of
 * memory per part. 4 MB of table rows have 600,000 parts. More does not fit into the function's
 * memory (docs/design/functions.md#memory).
 */
export const JSON_PARTS_MAX = 700_000

/** Different names in an upstream's answer. Each takes 160 bytes of memory. */
export const JSON_NAMES_MAX = 150_000

export type JsonLimits = {
  /** Default {@link JSON_BYTES_MAX}. */
  readonly bytesMax?: number
  /** Default {@link JSON_DEPTH_MAX}. */
  readonly depthMax?: number
  /** By default there is no limit, because other texts are small. */
  readonly parts?: PartLimits
  /**
   * By default, a repeated name is refused. `last` keeps the last value, as JSON.parse does. It is
   * for answers of upstreams, which the caller cannot correct.
   */
  readonly repeatedNames?: 'last'
  /** The word for the input in error texts; default `body`. */
  readonly subject?: string
}

/**
 * Bytes of an answer that are read as text or JSON. A longer one is kept as it came: parsed, it
 * would not fit the memory of a function.
 */
export const TEXT_BYTES_MAX = 4_000_000
