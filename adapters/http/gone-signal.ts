/** Aborts when the caller leaves before its answer. Lambda does not report that. */
import type { ResponseStream } from './events.ts'

export function goneSignal(out: ResponseStream): AbortSignal {
  const gone = new AbortController()
  const leave = () => {
    if (!out.writableEnded) gone.abort('gone')
  }
  out.once('close', leave)
  out.on('error', leave)
  if (out.destroyed) leave()
  return gone.signal
}
