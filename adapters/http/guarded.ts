/**
 * The one place that catches a streaming door's throw. Logs it once with its cause, then answers a
 * problem while no status was sent, and otherwise ends the stream. Rethrows nothing, since the host
 * would then answer in its own words. Each request runs in its trace, its failure included.
 */
import { ERRORS } from '../../core/errors.ts'
import type { Log } from '../../core/ports/outside.ts'
import { incomingTrace, runWithTrace } from '../config/trace.ts'
import type { FunctionUrlEvent, StreamingHandler } from './events.ts'
import { hasStarted, type ResponseHeaders } from './lambda-stream.ts'
import { answerProblem, refusalOfThrown } from './problem.ts'

export type GuardOptions = {
  readonly log: Log
  /** Headers that error answers need too (CORS); constants or derived from the event. */
  readonly headersOf?: (event: FunctionUrlEvent) => ResponseHeaders
}

export function guarded(options: GuardOptions, handler: StreamingHandler): StreamingHandler {
  const answer = caught(options, handler)
  return (event, out, context) =>
    runWithTrace(incomingTrace(event.headers), () => answer(event, out, context))
}

function caught(options: GuardOptions, handler: StreamingHandler): StreamingHandler {
  return async (event, out, context) => {
    try {
      await handler(event, out, context)
      if (!out.writableEnded && !out.destroyed) throw new Error('the door left its answer open')
    } catch (cause) {
      const refusal = refusalOfThrown(cause)
      const fields = { code: refusal.code, requestId: context.awsRequestId }
      options.log.note(ERRORS[refusal.code].logLevel, 'door-failed', fields, cause)
      if (!hasStarted(out)) return answerProblem(out, refusal, options.headersOf?.(event))
      if (!out.writableEnded && !out.destroyed) out.end()
    }
  }
}
