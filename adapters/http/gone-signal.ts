/** Aborts when the caller leaves before its answer, or its server stops. Lambda does not report that. */
import { CALLER_LEFT, SERVER_STOPS } from '../../core/call/no-answer.ts'
import type { ResponseStream } from './events.ts'

/** Its reason is one of core/call/no-answer.ts. */
export function goneSignal(out: ResponseStream): AbortSignal {
  const gone = new AbortController()
  const leave = () => {
    if (!out.writableEnded) gone.abort(out.isCut === true ? SERVER_STOPS : CALLER_LEFT)
  }
  out.once('close', leave)
  out.on('error', leave)
  if (out.destroyed) leave()
  return gone.signal
}
