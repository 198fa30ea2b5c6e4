/**
 * The HTTP server of a Web Function: many requests at once in one process, each given to the door
 * as the event of a function URL. Bound by ADR 0069.
 */
import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type {
  FunctionUrlEvent,
  InvocationContext,
  RequestHeaders,
  StreamingHandler,
} from '../../adapters/http/events.ts'
import { PLATFORM_BODY_BYTES_MAX, readBody } from '../../adapters/http/request-body.ts'
import { makeRunning, type RunningWork } from '../../adapters/http/running.ts'
import { problemAnswer, sendAnswer } from '../../adapters/http/server-answers.ts'
import { functionUrlEvent, headersOf } from '../../adapters/http/server-events.ts'
import { ServerResponseStream } from '../../adapters/http/server-response-stream.ts'
import type { Clock, Log } from '../../core/ports.ts'
import {
  BODY_BYTES_MAX,
  CONCURRENT_REQUESTS_MAX,
  HEADER_BYTES_MAX,
  REQUEST_SEC_MAX,
  STOP_GRACE,
} from './limits.ts'

export type WebServer = {
  readonly server: Server
  /** Takes no new request, ends streams, waits for the others, then cuts. Resolves when all has ended. */
  stop(): Promise<void>
}

type Host = {
  readonly door: StreamingHandler
  /** Answers requests whose body is over {@link BODY_BYTES_MAX}; their event has none. */
  readonly tooLarge: StreamingHandler
  /** Whether the answer stays open without end. Streams end at once when the server stops. */
  readonly isStream: (event: FunctionUrlEvent) => boolean
  readonly clock: Pick<Clock, 'nowMs'>
  readonly log: Pick<Log, 'note'>
}

const STOPPED = problemAnswer('store_unavailable', 'The server was replaced; send it again.', {
  'retry-after': '1',
})
const FULL = problemAnswer('store_unavailable', 'This server is full; send it again.', {
  'retry-after': '1',
})
const FAULT = problemAnswer('internal', 'The gateway failed; its log shows why.')
const TOO_LARGE = problemAnswer(
  'too_large',
  `body: is over ${PLATFORM_BODY_BYTES_MAX} bytes; send a smaller one.`,
  { connection: 'close' },
)

/** Has no address yet: the caller listens. */
export function webServer(host: Host): WebServer {
  const running = makeRunning()
  let open = 0
  const server = createServer({ maxHeaderSize: HEADER_BYTES_MAX }, (request, response) => {
    // The platform sends no more; a server without this bound would trust it with its memory.
    if (open >= CONCURRENT_REQUESTS_MAX) return sendAnswer(response, FULL)
    open += 1
    response.once('close', () => {
      open -= 1
    })
    running.track(
      serve(host, running, request, response).catch((cause: unknown) => {
        host.log.note('error', 'request-failed', {}, cause)
        sendAnswer(response, FAULT)
      }),
    )
  })
  const stop = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()))
    server.closeIdleConnections()
    await running.stop(STOP_GRACE)
    server.closeAllConnections()
    await closed
  }
  return { server, stop }
}

async function serve(
  { clock, door, isStream, tooLarge }: Host,
  running: RunningWork,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const context = contextOf(clock)
  const read = await readBody(request, BODY_BYTES_MAX)
  if (read.kind === 'aborted') {
    response.destroy()
    return
  }
  if (read.kind === 'too_large' && !read.isRead) {
    sendAnswer(response, TOO_LARGE)
    request.resume()
    return
  }
  const out = new ServerResponseStream(response, { holdLastChunk: false, unanswered: STOPPED })
  const requestId = context.awsRequestId
  const headers = headersOf(request)
  const isKept = read.kind === 'body'
  const body = isKept ? read.bytes : Buffer.alloc(0)
  const sourceAddress = addressOf(headers)
  const event = functionUrlEvent({ request, headers, body, requestId, sourceAddress })
  running.opened(out, isKept && isStream(event) ? 'stream' : 'call')
  await (isKept ? door : tooLarge)(event, out, context)
  if (!out.writableEnded) out.destroy()
}

/** The connection is the platform's. It appends its client's address; what stands before is that client's own word. */
function addressOf(headers: RequestHeaders): string | undefined {
  const last = headers['x-forwarded-for']?.split(',').at(-1)?.trim()
  return last === '' ? undefined : last
}

/** The platform cuts a response by its age, so streams rotate before that, as in an event function. */
function contextOf({ nowMs }: Pick<Clock, 'nowMs'>): InvocationContext {
  const endsAtMs = nowMs() + REQUEST_SEC_MAX * 1_000
  return { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => endsAtMs - nowMs() }
}
