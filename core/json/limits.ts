/** How much JSON is read at once. Callers may ask for less or more; these hold when they do not. */

/** Bytes: a request body of an agent or a REST client. 1 MiB is far above any real tool call. */
export const JSON_BYTES_MAX = 1_048_576

/** Nested arrays and objects, the outermost counted: `[]` is 1. Beyond it recursive readers break. */
export const JSON_DEPTH_MAX = 64

export type JsonLimits = {
  /** Default {@link JSON_BYTES_MAX}. */
  readonly bytesMax?: number
  /** Default {@link JSON_DEPTH_MAX}. */
  readonly depthMax?: number
  /** What error texts call the input; default `body`. */
  readonly what?: string
}
