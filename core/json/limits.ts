/** Default limits of reading JSON. Callers may pass smaller or larger ones. */
import type { PartLimits } from './json-parts.ts'

/** Bytes: a request body of an agent or a REST client. 1 MiB is far above any real tool call. */
export const JSON_BYTES_MAX = 1_048_576

/** Nested arrays and objects, including the outermost: `[]` is 1. Recursive readers rely on it. */
export const JSON_DEPTH_MAX = 64

/**
 * Names, values, and openings of arrays and objects in an upstream's answer: empty objects take 45 bytes a part. Rows of
 * records of 4 MB have 600,000. More does not fit into the function (ADR 0076).
 */
export const JSON_PARTS_MAX = 700_000

/** Names that differ, in an upstream's answer: each takes 160 bytes. */
export const JSON_NAMES_MAX = 150_000

export type JsonLimits = {
  /** Default {@link JSON_BYTES_MAX}. */
  readonly bytesMax?: number
  /** Default {@link JSON_DEPTH_MAX}. */
  readonly depthMax?: number
  /** Default none: other texts are small. */
  readonly parts?: PartLimits
  /** Default: refused. `last` takes the last value, as JSON.parse does: for answers of services that nobody here can correct. */
  readonly repeatedNames?: 'last'
  /** What error texts call the input; default `body`. */
  readonly subject?: string
}
