/**
 * The body that answers one POST of Streamable HTTP: one JSON document with its own status, or an
 * SSE stream (200) if a message precedes the answer. A stream cannot change its status; comments
 * keep it alive. Bound by MCP 2025-11-25, basic/transports, Streamable HTTP, and docs/service.md,
 * Streamable HTTP.
 */
import type { Clock } from '../../core/ports/outside.ts'
import { COMMENT_BLOCK, writeMessageEvent } from '../../core/sse/frame.ts'
import type { AcceptedTypes } from './accept.ts'
import type { AgentRequest } from './agent-door.ts'
import { answerEmpty, answerText } from './answer.ts'
import { type BlockWriter, EVENT_STREAM_HEADERS, makeBlockWriter } from './block-writer.ts'
import { startResponse } from './lambda-stream.ts'

export type ReplyBody = {
  readonly accepts: AcceptedTypes
  /** Sends a message before the answer; the first one makes the body a stream. */
  send(json: string): void
  /** True after the first message. */
  isOpen(): boolean
  /** Sends the answer; a body that is already a stream ignores `status`. */
  answer(status: number, json: string): Promise<void>
  /** Answers a batch: an array, or one event each. */
  answerAll(jsons: readonly string[]): Promise<void>
  /** Ends the body without an answer: 202, or the end of the stream. */
  leave(): Promise<void>
}

/**
 * The same interval as for HTTP+SSE streams: proxies drop connections that are silent for longer.
 */
const COMMENT_EVERY_MS = 5_000

export function makeReplyBody(
  request: Pick<AgentRequest, 'out' | 'cors'>,
  options: { readonly accepts: AcceptedTypes; readonly clock: Clock },
): ReplyBody {
  const { cors, out } = request
  let stream: OpenStream | undefined
  const open = () => {
    stream ??= openStream(request, options.clock)
    return stream
  }
  const end = async ({ over, writer }: OpenStream, jsons: readonly string[]) => {
    over.abort(OVER)
    for (const json of jsons) await writer.write(writeMessageEvent(json))
    await writer.end()
  }
  const isStream = (status: number) =>
    stream !== undefined || (options.accepts === 'sse' && status === 200)
  const answerWhole = (status: number, json: string) =>
    answerText(out, status, json, { 'content-type': 'application/json', ...cors })
  return {
    accepts: options.accepts,
    send: (json) => void open().writer.write(writeMessageEvent(json)),
    isOpen: () => stream !== undefined,
    answer: (status, json) => (isStream(status) ? end(open(), [json]) : answerWhole(status, json)),
    answerAll: (jsons) =>
      isStream(200) ? end(open(), jsons) : answerWhole(200, `[${jsons.join(',')}]`),
    leave: () => (stream === undefined ? answerEmpty(out, 202, cors) : end(stream, [])),
  }
}

const OVER = 'over'

/** `over` aborts when the answer is about to be written. */
type OpenStream = { readonly writer: BlockWriter; readonly over: AbortController }

function openStream({ cors, out }: Pick<AgentRequest, 'out' | 'cors'>, clock: Clock): OpenStream {
  const headers = { ...EVENT_STREAM_HEADERS, ...cors }
  const writer = makeBlockWriter(startResponse(out, { statusCode: 200, headers }))
  const over = new AbortController()
  void keepAlive(writer, clock, over.signal)
  return { writer, over }
}

async function keepAlive(writer: BlockWriter, clock: Clock, over: AbortSignal): Promise<void> {
  const stop = new AbortController()
  const onEnd = () => stop.abort(OVER)
  for (const end of [over, writer.closed]) end.addEventListener('abort', onEnd, { once: true })
  while (!over.aborted && !writer.closed.aborted) {
    await clock.sleep(COMMENT_EVERY_MS, stop.signal)
    if (!over.aborted) void writer.write(COMMENT_BLOCK)
  }
}
