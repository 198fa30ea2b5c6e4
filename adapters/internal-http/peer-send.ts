/** The types of a request to a peer door: one POST, over a signed connection or in this process. */
export type InternalRequest = {
  /** Appended to the peer's URL: `/v1/execute`. */
  readonly path: string
  /** Lower-case names. */
  readonly headers: { readonly [name: string]: string }
  readonly body: Uint8Array
}

export type InternalAnswer = { readonly status: number; readonly body: Uint8Array }

/** Throws `Fault('internal')` if no complete answer arrives before `until` ends. */
export type InternalSend = (
  request: InternalRequest,
  until: { readonly timeoutMs: number; readonly signal?: AbortSignal },
) => Promise<InternalAnswer>
