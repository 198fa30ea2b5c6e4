/** Headers of an SSE stream: no proxy may buffer or compress it. */
import type { ResponseHeaders } from './lambda-stream.ts'

export const EVENT_STREAM_HEADERS: ResponseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
}
