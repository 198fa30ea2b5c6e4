/**
 * Writes SSE blocks to a response stream, whole and in order. Function URLs hold back a small chunk
 * until the next write. So an empty comment follows each event in a later tick; in the same tick
 * both would be one chunk. It never throws: `closed` says that the peer has left. Bound by
 * docs/service.md, Streams.
 */
import { COMMENT_BLOCK } from '../../core/sse/frame.ts'
import { splitText } from './answer.ts'
import type { ResponseStream } from './events.ts'
import type { ResponseHeaders } from './lambda-stream.ts'

export type BlockWriter = {
  /**
   * Resolves when the block, and an event's comment, were accepted; at once if the peer has left.
   * Callers await it before they make the next block, so that a slow reader slows them down.
   */
  write(block: string): Promise<void>
  /** Aborts when the peer leaves or the response finishes. */
  readonly closed: AbortSignal
  /** Writes the queued blocks without waiting for a slow reader, then ends. */
  end(): Promise<void>
}

export type BlockWriterOptions = {
  /** Resolves in a later tick of the event loop. */
  readonly yieldTick?: () => Promise<void>
}

export function makeBlockWriter(
  out: ResponseStream,
  options: BlockWriterOptions = {},
): BlockWriter {
  const { yieldTick = nextTurn } = options
  const closed = makeClosedSignal(out)
  let isEnding = false
  /** Ends the wait of a block for a slow reader. */
  let giveUp: (() => void) | undefined
  let queue = Promise.resolve()

  const put = async (block: string) => {
    for (const part of splitText(block)) {
      if (closed.aborted || out.write(part)) continue
      // The write itself may have found that the peer has left.
      if (closed.aborted || isEnding) continue
      await waitForDrain(out, closed, (done) => {
        giveUp = done
      })
    }
  }
  const putBlock = async (block: string) => {
    await put(block)
    // A comment needs no second write after it: no client waits for a comment.
    if (block.startsWith(':') || closed.aborted) return
    await yieldTick()
    await put(COMMENT_BLOCK)
  }
  return {
    closed,
    write: (block) => {
      if (isEnding) return queue
      queue = queue.then(() => putBlock(block))
      return queue
    },
    end: async () => {
      isEnding = true
      giveUp?.()
      await queue
      if (!closed.aborted && !out.writableEnded) out.end()
    },
  }
}

function makeClosedSignal(out: ResponseStream): AbortSignal {
  const closed = new AbortController()
  const close = () => closed.abort()
  if (out.destroyed) close()
  // `on`, not `once`, which keeps two more objects each. A second error must not be uncaught,
  // either.
  out.on('close', close)
  out.on('finish', close)
  out.on('error', close)
  return closed.signal
}

/** Waits until the stream accepts more. `onWait` gets a function that ends the wait early. */
function waitForDrain(
  out: ResponseStream,
  closed: AbortSignal,
  onWait: (giveUp: () => void) => void,
): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      out.off('drain', done)
      closed.removeEventListener('abort', done)
      resolve()
    }
    out.once('drain', done)
    closed.addEventListener('abort', done)
    onWait(done)
  })
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** Headers of an SSE stream: no proxy may buffer or compress it. */
export const EVENT_STREAM_HEADERS: ResponseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}
