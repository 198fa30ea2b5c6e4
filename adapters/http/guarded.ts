/**
 * The only place that catches an error which a streaming door throws. It logs the error once with
 * its cause. Then it answers a problem document, or ends the stream if a status was already sent.
 * It never rethrows, because the host would then answer in its own words. Each request runs in its
 * trace.
 */
import { ERRORS } from '../../core/errors.ts'
import type { Log } from '../../core/ports/outside.ts'
import { readIncomingTrace, runWithTrace } from '../config/trace.ts'
import type { FunctionUrlEvent, StreamingHandler } from './events.ts'
import { hasStarted, type ResponseHeaders } from './lambda-stream.ts'
import { answerProblem, toThrownRefusal } from './problem.ts'

export type GuardOptions = {
  readonly log: Log
  /** Headers that error answers also need (CORS). */
  readonly headersOf?: (event: FunctionUrlEvent) => ResponseHeaders
}

/** The handler in its trace and with the catch. */
export function guardDoor(options: GuardOptions, handler: StreamingHandler): StreamingHandler {
  const answer = catchErrors(options, handler)
  return (event, out, context) =>
    runWithTrace(readIncomingTrace(event.headers), () => answer(event, out, context))
}

function catchErrors(options: GuardOptions, handler: StreamingHandler): StreamingHandler {
  return async (event, out, context) => {
    try {
      await handler(event, out, context)
      if (!out.writableEnded && !out.destroyed) throw new Error('the door left its answer open')
    } catch (cause) {
      const refusal = toThrownRefusal(cause)
      const fields = { code: refusal.code, requestId: context.awsRequestId }
      options.log.note(ERRORS[refusal.code].logLevel, 'door-failed', fields, cause)
      if (!hasStarted(out)) return answerProblem(out, refusal, options.headersOf?.(event))
      if (!out.writableEnded && !out.destroyed) out.end()
    }
  }
}
