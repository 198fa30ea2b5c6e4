/**
 * tools/call: answers a built-in tool here, and sends any other name to the execute function with
 * the caller's header, a call id and a deadline. Execute stops the upstream at the deadline. A
 * timer here covers an execute that does not answer: the call is first voided, and then the agent
 * gets the failure. Failures are results. Bound by docs/service.md, Tool calls.
 */

import { numbersRefusal } from '../../call/check-numbers.ts'
import type { ExecuteAnswer, ExecuteInput, ExecuteSuccess } from '../../call/execute.ts'
import { CALL_TIMEOUT_MS } from '../../call/limits.ts'
import type { FieldFault } from '../../errors.ts'
import type { JsonObject } from '../../json/json.ts'
import { shortClient } from '../../ledger/call-facts.ts'
import { CALL_METHOD } from '../../mcp/methods.ts'
import type { Ports } from '../../ports/ports.ts'
import type { CallScope } from '../../ports/sessions.ts'
import type { BegunTask, TaskTaker } from '../../ports/tasks.ts'
import type { Settings } from '../../settings.ts'
import { builtInName } from '../../skills/built-in-names.ts'
import { noteRefusedKey, readCredential } from '../access/authenticate.ts'
import type { BuiltInTool } from './built-in-tool.ts'
import { BUILT_IN_TOOLS } from './built-in-tools.ts'
import { type BuiltInNeeds, callBuiltIn } from './call-built-in.ts'
import { failedRequest } from './dispatch-intent.ts'
import type { ToolListCache } from './tool-list-cache.ts'
import {
  errorOfCall,
  failedCall,
  resultOf,
  type ToolOutcome,
  toRefusedOutcome,
} from './tool-outcome.ts'
import { type VoidableCall, voidSafely } from './void-safely.ts'

export type CallToolNeeds = BuiltInNeeds & Pick<Ports, 'clock' | 'execute' | 'log'>

export type ToolCall = VoidableCall & {
  readonly name: string
  readonly arguments: JsonObject
  /** Numbers in the arguments that JSON.parse has changed; undefined if there are none. */
  readonly changedNumbers?: readonly FieldFault[] | undefined
  /**
   * The Authorization header of the session or of the request; undefined for an anonymous caller.
   */
  readonly authorization: string | undefined
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
  /** Aborts when the caller cancels the call. */
  readonly cancelled?: AbortSignal | undefined
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
  const { callId } = call
  const builtIn = builtInName(settings.prefix, call.name)
  if (builtIn !== undefined)
    return callBuiltInSafely(ports, settings, BUILT_IN_TOOLS[builtIn], call)
  if (call.authorization === undefined) {
    ports.log.note('info', 'call-refused', { callId, code: 'unauthenticated' })
    return resultOf(failedCall(callId, { code: 'unauthenticated' }))
  }
  // Malformed keys are refused here: the answer of execute would look like an error of the gateway.
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
  const answer = await executeOrLeave(ports, call, call.authorization)
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
      // A success, the common case, needs no further await.
      return answer.kind === 'success'
        ? toSuccess(callId, answer.body)
        : toOutcome(ports, settings, call, answer)
  }
}

/** If the store fails, the error has the call's id, by which the line in the log can be found. */
async function callBuiltInSafely(
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

async function toOutcome(
  ports: CallToolNeeds,
  settings: Settings,
  call: ToolCall,
  answer: Exclude<ExecuteAnswer, { kind: 'success' }>,
): Promise<ToolOutcome> {
  switch (answer.kind) {
    case 'input': {
      const { inputRequests, requestState } = answer.body
      const { callId } = call
      return { kind: 'input', input: { callId, requests: inputRequests, state: requestState } }
    }
    case 'problem':
      // Another attempt of this call runs, and would be charged although this one failed.
      if (answer.body.code === 'conflict') await voidSafely(ports, call, 'void')
      return toRefusedOutcome(call, answer.body, settings)
    default:
      return answer satisfies never
  }
}

/** A call's success as the agent's answer. */
export function toSuccess(
  callId: string,
  { content, credits, isError, structuredContent }: ExecuteSuccess,
): ToolOutcome {
  const more = structuredContent === undefined ? {} : { structuredContent }
  return resultOf({ content, call: { callId }, credits, isError, ...more })
}

type ExecuteOutcome = ExecuteAnswer | 'cut' | 'broken' | 'cancelled'

/** Resolves with the first of execute's answer, the timer and the caller's cancellation. */
function executeOrLeave(
  ports: CallToolNeeds,
  call: ToolCall,
  authorization: string,
): Promise<ExecuteOutcome> {
  const { arguments: args, callId, cancelled, client, deadlineMs, door } = call
  const { input, name, paramHeaders, scope, task } = call
  const left = new AbortController()
  const body = { skill: name, arguments: args, ...(input === undefined ? {} : { input }) }
  const terms = {
    callId,
    deadlineMs,
    door,
    client: shortClient(client),
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
    const sent = { authorization, body, terms, task: task && withBegun(task, onBegun) }
    ports.execute.execute(sent, left.signal, scope).then(end, (cause) => {
      if (!left.signal.aborted) {
        ports.log.note('error', 'execute-unreachable', { callId }, cause)
      }
      end('broken')
    })
  })
}

function withBegun(task: TaskTaker, onBegun: (task: BegunTask) => void): TaskTaker {
  return {
    begin: (begun) => {
      onBegun(begun)
      task.begin(begun)
    },
    end: (answer) => task.end(answer),
  }
}
