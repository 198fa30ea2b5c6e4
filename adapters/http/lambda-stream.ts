/**
 * The only file that uses Lambda's global `awslambda`. A stream of this gateway's hosts (the twin,
 * the in-process peers) has `setHead` instead. In both cases the first write sends status and
 * headers. The AWS SDK defines an `awslambda` without streaming, so its members are checked.
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
/**
 * Visible ASCII, space and tab: no header of the gateway needs more, and none can split an answer.
 */
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

/** The last value of each header that passed the check: most answers have the same values. */
const checkedValues = new Map<string, string>()

/**
 * Begun responses whose stream has no `hasHead`. An entry would cost the twin a microsecond a call.
 */
const started = new WeakSet<ResponseStream>()

/** Makes the handler that a streaming function exports. Throws if the host cannot stream. */
export function makeStreamingHandler(handler: StreamingHandler): RawStreamingHandler {
  return findStreamingHost().streamifyResponse((event, out, context) =>
    handler(readFunctionUrlEvent(event), out, readContext(context)),
  )
}

/**
 * Sets status and headers, which the first write sends, so the caller writes at once. Returns the
 * stream to write to.
 */
export function startResponse(out: ResponseStream, head: ResponseHead): ResponseStream {
  const { headers } = head
  for (const name in headers) {
    const value = headers[name] ?? ''
    if (checkedValues.get(name) === value) continue
    if (!HEADER_NAME.test(name) || !HEADER_VALUE.test(value)) {
      throw new Error(`response header ${JSON.stringify(name.slice(0, 64))} cannot be sent`)
    }
    checkedValues.set(name, value)
  }
  if (out.hasHead === undefined) started.add(out)
  if (out.setHead === undefined) return findStreamingHost().HttpResponseStream.from(out, head)
  out.setHead(head)
  return out
}

/** True if a status was set: then a failure can only end the stream. */
export function hasStarted(out: ResponseStream): boolean {
  return out.hasHead ?? started.has(out)
}

function findStreamingHost(): StreamingHost {
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
