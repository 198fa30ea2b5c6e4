/**
 * Calls a door's handler inside this process as its function URL with AWS_IAM would: with the same
 * event and a proven caller. The answer is complete at `end()`, while the handler may still work.
 * For processes that host all doors.
 */
import { randomUUID } from 'node:crypto'
import { Fault } from '../../core/errors.ts'
import type { Log } from '../../core/ports/outside.ts'
import type { ExecuteDoor, MessagesDoor } from '../../core/ports/sessions.ts'
import {
  CollectingStream,
  type DoorContext,
  type DoorEvent,
  type DoorHandler,
} from './door-handler.ts'
import { makeExecuteDoor } from './execute-peer.ts'
import { makeMessagesDoor } from './messages-peer.ts'
import type { InternalAnswer, InternalRequest, InternalSend } from './peer-send.ts'

export type InProcessOptions = {
  /**
   * Receives an error that a handler throws after its answer. Guarded doors throw nothing; without
   * a log, such a bug ends the process as an unhandled rejection.
   */
  readonly log?: Log
}

export function makeInProcessSend(
  handler: DoorHandler,
  options: InProcessOptions = {},
): InternalSend {
  return (request, until) => {
    const timeout = AbortSignal.timeout(until.timeoutMs)
    const signal = until.signal === undefined ? timeout : AbortSignal.any([timeout, until.signal])
    return new Promise((resolve, reject) => {
      const leave = () => {
        reject(new Fault('internal', `no answer from the door to ${request.path}`, signal.reason))
      }
      if (signal.aborted) return leave()
      signal.addEventListener('abort', leave, { once: true })
      callHandler(handler, request, options.log)
        .finally(() => signal.removeEventListener('abort', leave))
        .then(resolve, reject)
    })
  }
}

/** Settles when the answer ends, or when the handler throws or returns without an answer. */
function callHandler(
  handler: DoorHandler,
  request: InternalRequest,
  log: Log | undefined,
): Promise<InternalAnswer> {
  const out = new CollectingStream()
  const requestId = randomUUID()
  return new Promise((resolve, reject) => {
    out.once('finish', () => resolve({ status: out.status, headers: out.headers, body: out.body }))
    const work = handler(makeEvent(request, requestId), out, makeContext(requestId))
    work.then(
      () => {
        if (!out.writableEnded) reject(new Fault('internal', 'the door returned without an answer'))
      },
      (cause: unknown) => {
        if (!out.writableEnded) return reject(new Fault('internal', 'the door threw', cause))
        if (log === undefined) throw cause
        log.note('error', 'door-failed', { requestId }, cause)
      },
    )
  })
}

function makeEvent({ path, headers, body }: InternalRequest, requestId: string): DoorEvent {
  return {
    version: '2.0',
    rawPath: path,
    rawQueryString: '',
    headers,
    requestContext: {
      http: { method: 'POST', path, sourceIp: '127.0.0.1' },
      authorizer: { iam: { accountId: 'in-process', userArn: 'in-process' } },
      requestId,
      domainName: 'in-process',
    },
    body: Buffer.from(body).toString('base64'),
    isBase64Encoded: true,
  }
}

function makeContext(requestId: string): DoorContext {
  return { awsRequestId: requestId, getRemainingTimeInMillis: () => Number.POSITIVE_INFINITY }
}

/** The execute door of this process, with the same contract as over HTTP. */
export function inProcessExecute(
  handler: DoorHandler,
  options: InProcessOptions = {},
): ExecuteDoor {
  return makeExecuteDoor(makeInProcessSend(handler, options))
}

/** The messages door of this process, with the same contract as over HTTP. */
export function inProcessMessages(
  handler: DoorHandler,
  options: InProcessOptions = {},
): MessagesDoor {
  return makeMessagesDoor(makeInProcessSend(handler, options))
}
