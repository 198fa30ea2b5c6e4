/** Whether the caller has left before its answer; on Lambda nobody tells us. */
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
