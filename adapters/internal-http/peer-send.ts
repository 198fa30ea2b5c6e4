/**
 * The type of a request to a peer door: one POST, over a signed connection or inside this process.
 */

export type InternalRequest = {
  /** Appended to the peer's URL: `/v1/execute`. */
  readonly path: string
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array
}

export type InternalAnswer = {
  readonly status: number
  /** Lower-case names; absent where the peer sends none that matter. */
  readonly headers?: { readonly [name: string]: string | readonly string[] | undefined }
  readonly body: Uint8Array
}

/** Throws `Fault('internal')` when no whole answer came before `until` aborted. */
export type InternalSend = (
  request: InternalRequest,
  until: { readonly timeoutMs: number; readonly signal?: AbortSignal },
) => Promise<InternalAnswer>
