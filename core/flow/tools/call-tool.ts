/**
 * tools/call: a built-in tool answers here; any other name goes to execute with the caller's
 * header, a call id and a deadline. Execute cuts the upstream at the deadline. A second alarm here, on the same timer,
 * covers an execute that does not answer: when it rings, the call is voided first and the agent
 * hears of the failure afterwards. Failures are results. Bound by docs/service.md, Tool calls.
 */

import { numbersRefusal } from '../../call/check-numbers.ts'
import type { ExecuteInput, ExecuteSuccess, GivenAnswer } from '../../call/execute.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import type { FieldFault } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { shortClient, shortClientCallId } from '../../ledger/call-facts.ts'
import { CALL_METHOD } from '../../mcp/methods.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CallScope } from '../../ports/sessions.ts'
import type { Settings } from '../../settings.ts'
import { builtInName } from '../../skills/built-in-names.ts'
import { noteRefusedKey, readCredential } from '../access/authenticate.ts'
import type { BuiltInTool } from './built-in-tool.ts'
import { BUILT_IN_TOOLS } from './built-in-tools.ts'
import { type BuiltInNeeds, callBuiltIn } from './call-built-in.ts'
import { failedRequest } from './dispatch-intent.ts'
import { refusedCall } from './refused-call.ts'
import type { ToolListCache } from './tool-list-cache.ts'
import { errorOfCall, failedCall, resultOf, type ToolOutcome } from './tool-outcome.ts'
import { type VoidableCall, voidSafely } from './void-safely.ts'

export type CallToolNeeds = BuiltInNeeds & Pick<Ports, 'clock' | 'execute' | 'log'>

export type ToolCall = VoidableCall & {
  readonly name: string
  readonly arguments: JsonObject
  /** Numbers in the arguments that are not what was posted; undefined: none. */
  readonly changedNumbers?: readonly FieldFault[] | undefined
  /** The Authorization header of the session or of the request; undefined for an anonymous caller. */
  readonly authorization: string | undefined
  readonly deadlineMs: number
  /** Of the request that makes the call. */
  readonly scope: CallScope
  /** Cached tool lists of this environment, for the built-in search. */
  readonly lists: ToolListCache
  /** Requests that the client can answer, and its answers; undefined where it can answer none. */
  readonly input?: ExecuteInput | undefined
  /** The client declared its capabilities in this request: a missing one is its error to mend. */
  readonly declares?: boolean
  /** `Mcp-Param-*`; undefined where the revision mirrors none. */
  readonly paramHeaders?: { readonly [name: string]: string } | undefined
  /** For the record of the call. */
  readonly door: 'mcp' | 'sse'
  readonly client?: string | undefined
  /** The id that the agent's own software gave the call; for the record of the call. */
  readonly clientCallId?: string | undefined
  /** Of the client; a built-in tool costs nothing and ignores it. */
  readonly idempotencyKey?: string | undefined
  /** Aborts when the caller wants the call no more. */
  readonly cancelled?: AbortSignal | undefined
}

export async function callTool(
  ports: CallToolNeeds,
  settings: Settings,
  call: ToolCall,
): Promise<ToolOutcome> {
  const { callId } = call
  const builtIn = builtInName(settings.prefix, call.name)
  if (builtIn !== undefined) return callNamed(ports, settings, BUILT_IN_TOOLS[builtIn], call)
  if (call.authorization === undefined) {
    ports.log.note('info', 'call-refused', { callId, code: 'unauthenticated' })
    return resultOf(failedCall(callId, { code: 'unauthenticated' }))
  }
  // Reject malformed keys before forwarding: execute would answer them like a fault of ours.
  const credential = readCredential(call.authorization)
  if (credential.kind === 'refused') {
    noteRefusedKey(ports, call.authorization, 'malformed')
    ports.log.note('info', 'call-refused', { callId, code: credential.refusal.code })
    return { kind: 'denied', refusal: credential.refusal, callId }
  }
  if (call.changedNumbers !== undefined) {
    const refusal = numbersRefusal(call.changedNumbers)
    ports.log.note('info', 'call-refused', { callId, code: refusal.code })
    return resultOf(failedCall(callId, refusal))
  }
  const answer = await raceGuard(ports, call, call.authorization)
  switch (answer) {
    case 'cancelled':
      await voidSafely(ports, call, 'cancelled')
      return { kind: 'cancelled', callId }
    case 'cut':
    case 'broken': {
      const free = await voidSafely(ports, call, 'void')
      const code = answer === 'cut' ? 'timed_out' : 'internal'
      return resultOf(failedCall(callId, { code, afterMs: CALL_TIMEOUT_MS, free }))
    }
    default:
      // Keeps the common case free of an extra await.
      return answer.kind === 'success'
        ? succeeded(answer.body, answer.replayed)
        : outcomeOf(ports, settings, call, answer)
  }
}

/** A fault of the store is an error under the call's id, by which its line in the log is found. */
async function callNamed(
  ports: CallToolNeeds,
  settings: Settings,
  tool: BuiltInTool,
  call: ToolCall,
): Promise<ToolOutcome> {
  const { callId } = call
  try {
    return await callBuiltIn(ports, settings, tool, call)
  } catch (cause) {
    const error = failedRequest(ports.log, CALL_METHOD, cause, callId)
    return { kind: 'error', status: 200, error: errorOfCall(callId, error) }
  }
}

async function outcomeOf(
  ports: CallToolNeeds,
  settings: Settings,
  call: ToolCall,
  answer: Exclude<GivenAnswer, { kind: 'success' }>,
): Promise<ToolOutcome> {
  switch (answer.kind) {
    case 'input': {
      const { inputRequests, requestState } = answer.body
      const { callId } = call
      return { kind: 'input', input: { callId, requests: inputRequests, state: requestState } }
    }
    case 'problem': {
      const { callId = call.callId, code } = answer.body
      // Another attempt of this call runs and would be charged after this one reported a failure.
      const isOwn = code === 'conflict' && callId === call.callId
      if (isOwn) await voidSafely(ports, call, 'void')
      return refusedCall({ ...call, callId }, answer, settings)
    }
    default:
      return answer satisfies never
  }
}

/** An answer that is given again is about the first call. */
function succeeded(
  { callId, content, credits, isError, structuredContent }: ExecuteSuccess,
  replayed: true | undefined,
): ToolOutcome {
  const more = structuredContent === undefined ? {} : { structuredContent }
  const marked = replayed === undefined ? {} : { replayed }
  return resultOf({ content, call: { callId }, credits, isError, ...more, ...marked })
}

type ExecuteOutcome = GivenAnswer | 'cut' | 'broken' | 'cancelled'

/** The first of: execute's answer, the timer, the caller's cancellation. */
function raceGuard(
  ports: CallToolNeeds,
  call: ToolCall,
  authorization: string,
): Promise<ExecuteOutcome> {
  const { arguments: args, callId, cancelled, client, clientCallId, deadlineMs, door } = call
  const { idempotencyKey, input, name, paramHeaders, scope } = call
  const left = new AbortController()
  const body = { skill: name, arguments: args, ...(input === undefined ? {} : { input }) }
  const terms = {
    callId,
    deadlineMs,
    door,
    client: shortClient(client),
    clientCallId: shortClientCallId(clientCallId),
    ...(paramHeaders === undefined ? {} : { paramHeaders }),
  }
  return new Promise((resolve) => {
    const end = (outcome: ExecuteOutcome) => {
      cancelled?.removeEventListener('abort', onCancelled)
      endGuard()
      resolve(outcome)
    }
    const leave = (why: 'cut' | 'cancelled') => {
      end(why)
      left.abort(why)
    }
    const onCancelled = () => leave('cancelled')
    const guardMs = Math.max(0, deadlineMs - ports.clock.nowMs())
    const endGuard = scope.alarm(guardMs, () => leave('cut'))
    if (cancelled?.aborted === true) return leave('cancelled')
    cancelled?.addEventListener('abort', onCancelled)
    const asked = { authorization, body, terms, idempotencyKey }
    ports.execute.execute(asked, left.signal, scope).then(end, (cause) => {
      if (!left.signal.aborted) {
        ports.log.note('error', 'execute-unreachable', { callId }, cause)
      }
      end('broken')
    })
  })
}
