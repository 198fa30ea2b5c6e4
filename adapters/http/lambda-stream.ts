/**
 * The only place that knows Lambda's `awslambda` global. A stream of our own hosts (the local twin,
 * the in-process peers) takes its head itself; either way status and headers leave with the first
 * write. The AWS SDK defines an `awslambda` without streaming, so the functions inside it are
 * checked.
 */
import { Fault } from '../../core/errors.ts'
import type { ResponseHead, ResponseStream, StreamingHandler } from './events.ts'
import { readContext, readFunctionUrlEvent } from './read-event.ts'

export type ResponseHeaders = ResponseHead['headers']

export type RawStreamingHandler = (
  event: unknown,
  out: ResponseStream,
  context: unknown,
) => Promise<void>

type StreamingHost = {
  streamifyResponse(handler: RawStreamingHandler): RawStreamingHandler
  readonly HttpResponseStream: { from(out: ResponseStream, head: ResponseHead): ResponseStream }
}

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Visible ASCII, space and tab: no header of ours needs more, and none can split the answer. */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

/**
 * By name, the last value that passed the check: most answers carry the same values. Names are our
 * own.
 */
const fit = new Map<string, string>()

/** Streams that do not keep it themselves. An entry costs a call of the twin a microsecond. */
const started = new WeakSet<ResponseStream>()

/** Makes the handler that a streaming function exports. Throws when the host does not stream. */
export function streaming(handler: StreamingHandler): RawStreamingHandler {
  return streamingHost().streamifyResponse((event, out, context) =>
    handler(readFunctionUrlEvent(event), out, readContext(context)),
  )
}

/**
 * Sets status and headers; they leave with the first write, so write something at once. Answers the
 * stream to write to, which is the given one.
 */
export function startResponse(out: ResponseStream, head: ResponseHead): ResponseStream {
  const { headers } = head
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (fit.get(name) === value) continue
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw new Error(`response header ${JSON.stringify(name.slice(0, 64))} cannot be sent`)
    }
    fit.set(name, value)
  }
  if (out.hasHead === undefined) started.add(out)
  if (out.setHead === undefined) return streamingHost().HttpResponseStream.from(out, head)
  out.setHead(head)
  return out
}

/** True once a status was set: from then on a failure can only end the stream. */
export function hasStarted(out: ResponseStream): boolean {
  return out.hasHead ?? started.has(out)
}

function streamingHost(): StreamingHost {
  const host: unknown = Reflect.get(globalThis, 'awslambda')
  if (isStreamingHost(host)) return host
  throw new Fault('internal', 'this host does not stream: it has no awslambda.streamifyResponse')
}

function isStreamingHost(host: unknown): host is StreamingHost {
  if (typeof host !== 'object' || host === null) return false
  const stream: unknown = Reflect.get(host, 'HttpResponseStream')
  return (
    typeof Reflect.get(host, 'streamifyResponse') === 'function' &&
    (typeof stream === 'function' || (typeof stream === 'object' && stream !== null)) &&
    typeof Reflect.get(stream, 'from') === 'function'
  )
}
