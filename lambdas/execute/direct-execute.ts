/**
 * The execute door without its HTTP, for the function mcp and for the twin: runs what the door runs (answer-call.ts) with the
 * values that the door would have parsed, and returns its answer unchanged. The same tests hold both
 * (test/contracts/execute-contract.ts). In addition it can tell a call that its caller has left. Bound by ADR 0062.
 */
import { currentTraceId } from '../../adapters/config/trace.ts'
import { refusalOfThrown } from '../../adapters/http/problem.ts'
import { REQUEST_BODY_BYTES_MAX, textOrBytesOf } from '../../adapters/http/request.ts'
import type { ExecuteAnswer } from '../../core/call/execute.ts'
import { problemOf } from '../../core/call/problem.ts'
import { readExecuteBody } from '../../core/call/read-execute.ts'
import { ERRORS, Fault } from '../../core/errors.ts'
import { voidCall } from '../../core/flow/execute/void-call.ts'
import type { ExecuteDoor } from '../../core/ports.ts'
import { answerCall, type ExecuteHost } from './answer-call.ts'

type Call = Parameters<ExecuteDoor['execute']>[0]

export type DirectHost = ExecuteHost & {
  /** Counts work behind an answer as running too: a stop, or the end of an invocation, waits for it. */
  track<T>(work: Promise<T>): Promise<T>
}

export function directExecute(host: DirectHost): ExecuteDoor {
  return {
    execute: (call, signal) => answerOf(host, call, signal),
    voidCall: async (call) => {
      const voided = await voidCall(host.ports, call)
      if (!voided.ok) throw new Fault('internal', `a void was refused: ${voided.error.code}`)
    },
  }
}

async function answerOf(host: DirectHost, call: Call, gone: AbortSignal): Promise<ExecuteAnswer> {
  const { ports } = host
  const { authorization, terms } = call
  try {
    const sent = textOrBytesOf(jsonOf(call.body), { bytesMax: REQUEST_BODY_BYTES_MAX })
    if (!sent.ok) return { kind: 'problem', body: problemOf(sent.error) }
    const body = readExecuteBody(call.body)
    if (!body.ok) return { kind: 'problem', body: problemOf(body.error) }
    const request = {
      authorization,
      body: body.value,
      terms,
      idempotencyKey: undefined,
      gone,
      traceId: currentTraceId(),
    }
    const executed = await host.track(answerCall(host, request))
    if (executed.after !== undefined) finishAfterAnswer(host, executed.after)
    return executed.answer
  } catch (cause) {
    const refusal = refusalOfThrown(cause)
    const fields = { code: refusal.code, callId: terms.callId }
    ports.log.note(ERRORS[refusal.code].logLevel, 'door-failed', fields, cause)
    return { kind: 'problem', body: problemOf(refusal) }
  }
}

/** As the door would get it: JSON of ours may be longer than what the agent posted. */
function jsonOf(body: Call['body']) {
  return { body: JSON.stringify(body), isBase64Encoded: false }
}

/** Runs in a later turn: the answer leaves first (docs/service.md, Order of a call). */
function finishAfterAnswer({ ports, track }: DirectHost, after: () => Promise<void>): void {
  const failed = (cause: unknown) => {
    ports.log.note('error', 'door-failed', { code: 'internal' }, cause)
  }
  void track(laterTurn().then(after).catch(failed))
}

let later: Promise<void> | undefined

/**
 * Resolves for all calls of this turn behind its end, one after the other, each in its own trace. So the answers of
 * a turn are written together (local/http/response-stream.ts) and their settling follows; mixed, each would evict
 * the other from the processor's caches.
 */
function laterTurn(): Promise<void> {
  later ??= new Promise((resolve) => {
    const run = () => {
      later = undefined
      resolve()
    }
    setImmediate(() => setImmediate(run))
  })
  return later
}
