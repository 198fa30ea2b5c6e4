/** The response stream of the twin: the one of our servers, with what the twin says when it stops. */
import type { ServerResponse } from 'node:http'
import { problemAnswer } from '../../adapters/http/server-answers.ts'
import { ServerResponseStream } from '../../adapters/http/server-response-stream.ts'

/** For clients that wait for an answer when the twin stops. */
const UNANSWERED = problemAnswer(
  'store_unavailable',
  'The twin stopped before it answered. The credits of the call are refunded; send it again, under the same Idempotency-Key if it had one: such a call may have been charged, once.',
  { 'retry-after': '1' },
)

export class LocalResponseStream extends ServerResponseStream {
  constructor(response: ServerResponse, options: { readonly holdLastChunk: boolean }) {
    super(response, { ...options, unanswered: UNANSWERED })
  }
}
