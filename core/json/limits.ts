/** Default limits of reading JSON. Callers may pass smaller or larger ones. */

/** Bytes: a request body of an agent or a REST client. 1 MiB is far above any real tool call. */
export const JSON_BYTES_MAX = 1_048_576

/** Nested arrays and objects, including the outermost: `[]` is 1. Recursive readers rely on it. */
export const JSON_DEPTH_MAX = 64

export type JsonLimits = {
  /** Default {@link JSON_BYTES_MAX}. */
  readonly bytesMax?: number
  /** Default {@link JSON_DEPTH_MAX}. */
  readonly depthMax?: number
  /** What error texts call the input; default `body`. */
  readonly subject?: string
}
