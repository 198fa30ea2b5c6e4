/** Adds the running request's trace, so that the peer's log lines have the same id. */
import { currentTraceparent } from '../config/trace.ts'
import type { InternalSend } from './peer-send.ts'

export function tracedSend(send: InternalSend): InternalSend {
  return (request, until) => {
    const traceparent = currentTraceparent()
    if (traceparent === undefined) return send(request, until)
    return send({ ...request, headers: { ...request.headers, traceparent } }, until)
  }
}
