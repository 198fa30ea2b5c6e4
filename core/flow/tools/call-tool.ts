/**
 * tools/call: answers a built-in tool here, and has any other name executed with the caller's
 * credential, a call id and a deadline, at which the upstream is stopped. A timer here covers an
 * execution that does not answer: the call is first voided, and then the agent
 * gets the failure. Failures are results. Bound by docs/service.md, Tool calls.
 */
import type { Credential } from '../../access/credential.ts'
import { toNumbersRefusal } from '../../call/check-numbers.ts'
import type { ExecuteInput, ExecuteSuccess, GivenAnswer } from '../../call/execute.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import type { FieldError } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { shortClientCallId, shortenClient } from '../../ledger/call-facts.ts'
import { CALL_METHOD } from '../../mcp/methods.ts'
import type { UpstreamListener } from '../../ports/outside.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CallScope } from '../../ports/sessions.ts'
import type { BegunTask, TaskTaker } from '../../ports/tasks.ts'
import type { Settings } from '../../settings.ts'
import { findBuiltInName, isCallSide } from '../../skills/built-in-names.ts'
import { logRefusedKey } from '../access/authenticate.ts'
import type { BuiltInTool } from './built-in-tool.ts'
import { BUILT_IN_TOOLS } from './built-in-tools.ts'
import { type BuiltInNeeds, callBuiltIn } from './call-built-in.ts'
import { toAskedTool } from './call-by-name.ts'
import { logFailedRequest } from './dispatch-intent.ts'
import { findNearNames } from './near-names.ts'
import type { ToolListCache } from './tool-list-cache.ts'
import {
  type ToolOutcome,
  toFailedResult,
  toRefusedOutcome,
  toResultOutcome,
  withCallId,
} from './tool-outcome.ts'
import { type VoidableCall, voidSafely } from './void-safely.ts'

export type CallToolNeeds = BuiltInNeeds & Pick<Ports, 'clock' | 'execute' | 'log'>

export type ToolCall = VoidableCall & {
  readonly name: string
  readonly arguments: JsonObject
  /** Numbers in the arguments that JSON.parse has changed; undefined if there are none. */
  readonly changedNumbers?: readonly FieldError[] | undefined
  /** The credential of the session or of the request. */
  readonly credential: Credential
  readonly deadlineMs: number
  /** The scope of the request that makes the call. */
  readonly scope: CallScope
  /** Cached tool lists of this environment, for the built-in search. */
  readonly lists: ToolListCache
  /** Questions that the client can answer, and its answers; undefined if it can answer none. */
  readonly input?: ExecuteInput | undefined
  /**
   * True if the client declared its capabilities in this request, so that it can add a missing one.
   */
  readonly declares?: boolean
  /** The `Mcp-Param-*` headers; undefined if the revision mirrors no arguments. */
  readonly paramHeaders?: { readonly [name: string]: string } | undefined
  /** The door and the client are kept in the record of the call. */
  readonly door: 'mcp' | 'sse'
  readonly client?: string | undefined
  /** The id that the agent's own software gave the call; for the record of the call. */
  readonly clientCallId?: string | undefined
  /** The Idempotency-Key of the client; a built-in tool costs nothing and ignores it. */
  readonly idempotencyKey?: string | undefined
  /** The caller's token of an issuer, for a token exchange. */
  readonly callerToken?: string | undefined
  /** Aborts when the caller cancels the call. */
  readonly cancelled?: AbortSignal | undefined
  readonly listener?: UpstreamListener | undefined
  /** Undefined if the caller takes no task for its answer. */
  readonly task?: StoppableTask | undefined
}

/** A task goes on when its caller has left; `stopped` aborts when it must not. */
export type StoppableTask = TaskTaker & { readonly stopped: AbortSignal }

/** Never throws for a failure of the call, of execute or of the store. */
export async function callTool(
  ports: CallToolNeeds,
  settings: Settings,
  call: ToolCall,
): Promise<ToolOutcome> {
  const { callId, credential } = call
  const asked = toAskedTool(settings.prefix, call.name, call.arguments)
  const builtIn = findBuiltInName(settings.prefix, asked.name)
  if (builtIn !== undefined && !isCallSide(builtIn)) {
    return callBuiltInSafely(ports, settings, BUILT_IN_TOOLS[builtIn], { ...call, ...asked })
  }
  if (credential.kind === 'anonymous') {
    ports.log.note('info', 'call-refused', { callId, code: 'unauthenticated' })
    return toResultOutcome(toFailedResult(callId, { code: 'unauthenticated' }))
  }
  // Malformed keys are refused here: the answer of execute would look like an error of the gateway.
  if (credential.kind === 'refused') {
    logRefusedKey(ports, credential, 'malformed')
    ports.log.note('info', 'call-refused', { callId, code: credential.refusal.code })
    return { kind: 'denied', refusal: credential.refusal, callId }
  }
  if (call.changedNumbers !== undefined) {
    const refusal = toNumbersRefusal(call.changedNumbers)
    ports.log.note('info', 'call-refused', { callId, code: refusal.code })
    return toResultOutcome(toFailedResult(callId, refusal))
  }
  const answer = await executeOrLeave(
    ports,
    // The headers mirror arguments of the called tool alone, and execute puts the named one in its
    // place.
    asked.byName ? { ...call, paramHeaders: undefined } : call,
    credential,
  )
  switch (answer) {
    case 'cancelled':
      await voidSafely(ports, call, 'cancelled')
      return { kind: 'cancelled', callId }
    case 'cut':
    case 'broken': {
      const free = await voidSafely(ports, call, 'void')
      const code = answer === 'cut' ? 'timed_out' : 'internal'
      return toResultOutcome(toFailedResult(callId, { code, afterMs: CALL_TIMEOUT_MS, free }))
    }
    default:
      // A success, the common case, needs no further await.
      return answer.kind === 'success'
        ? toSuccess(answer.body, answer.replayed)
        : toOutcome(ports, settings, { ...call, name: asked.name }, answer)
  }
}

/** If the store fails, the error has the call's id, by which the line in the log can be found. */
async function callBuiltInSafely(
  ports: CallToolNeeds,
  settings: Settings,
  tool: BuiltInTool,
  call: ToolCall & { readonly byName: boolean },
): Promise<ToolOutcome> {
  const { callId } = call
  try {
    return await callBuiltIn(ports, settings, tool, call)
  } catch (cause) {
    const error = logFailedRequest(ports.log, CALL_METHOD, cause, callId)
    return { kind: 'error', status: 200, error: withCallId(callId, error) }
  }
}

async function toOutcome(
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
      const nearNames = code === 'unknown_skill' ? await findNearNames(ports, settings, call) : []
      return toRefusedOutcome({ ...call, callId, nearNames }, answer, settings)
    }
    default:
      return answer satisfies never
  }
}

/** An answer that is given again is about the first call. */
export function toSuccess(
  { callId, content, credits, isError, structuredContent }: ExecuteSuccess,
  replayed: true | undefined,
): ToolOutcome {
  const more = structuredContent === undefined ? {} : { structuredContent }
  const marked = replayed === undefined ? {} : { replayed }
  return toResultOutcome({ content, call: { callId }, credits, isError, ...more, ...marked })
}

type ExecuteOutcome = GivenAnswer | 'cut' | 'broken' | 'cancelled'

/** Resolves with the first of execute's answer, the timer and the caller's cancellation. */
function executeOrLeave(
  ports: CallToolNeeds,
  call: ToolCall,
  credential: Credential,
): Promise<ExecuteOutcome> {
  const {
    arguments: args,
    callerToken,
    callId,
    cancelled,
    client,
    clientCallId,
    deadlineMs,
    door,
  } = call
  const { idempotencyKey, input, listener, name, paramHeaders, scope, task } = call
  const left = new AbortController()
  const body = { skill: name, arguments: args, ...(input === undefined ? {} : { input }) }
  const terms = {
    callId,
    deadlineMs,
    door,
    client: shortenClient(client),
    clientCallId: shortClientCallId(clientCallId),
    ...(paramHeaders === undefined ? {} : { paramHeaders }),
  }
  return new Promise((resolve) => {
    const end = (outcome: ExecuteOutcome) => {
      cancelled?.removeEventListener('abort', onCancelled)
      task?.stopped.removeEventListener('abort', onCancelled)
      endAlarm()
      resolve(outcome)
    }
    const leave = (why: 'cut' | 'cancelled') => {
      end(why)
      left.abort(why)
    }
    const onCancelled = () => leave('cancelled')
    const leftMs = Math.max(0, deadlineMs - ports.clock.nowMs())
    let endAlarm = scope.alarm(leftMs, () => leave('cut'))
    if (cancelled?.aborted === true) return leave('cancelled')
    cancelled?.addEventListener('abort', onCancelled)
    const onBegun = ({ untilMs }: BegunTask) => {
      cancelled?.removeEventListener('abort', onCancelled)
      task?.stopped.addEventListener('abort', onCancelled)
      endAlarm()
      endAlarm = scope.alarm(Math.max(0, untilMs - ports.clock.nowMs()), () => leave('cut'))
    }
    const taken = task && withBegun(task, onBegun)
    const asked = { callerToken, credential, body, terms, idempotencyKey, listener, task: taken }
    ports.execute.execute(asked, left.signal, scope).then(end, (cause) => {
      if (!left.signal.aborted) {
        ports.log.note('error', 'execute-unreachable', { callId }, cause)
      }
      end('broken')
    })
  })
}

function withBegun(task: TaskTaker, onBegun: (task: BegunTask) => void): TaskTaker {
  const begin = (begun: BegunTask) => {
    onBegun(begun)
    task.begin(begun)
  }
  return { ...task, begin }
}
