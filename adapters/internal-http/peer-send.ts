/**
 * A request to a peer door: one POST, over a signed connection or in this process, with its trace.
 */
import { currentTraceparent } from '../config/trace.ts'

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

/** Throws `Fault('internal')` if no complete answer arrives before `until` ends. */
export type InternalSend = (
  request: InternalRequest,
  until: { readonly timeoutMs: number; readonly signal?: AbortSignal },
) => Promise<InternalAnswer>

/** Adds the running request's trace, so that the peer's log lines have the same id. */
export function makeTracedSend(send: InternalSend): InternalSend {
  return (request, until) => {
    const traceparent = currentTraceparent()
    if (traceparent === undefined) return send(request, until)
    return send({ ...request, headers: { ...request.headers, traceparent } }, until)
  }
}
