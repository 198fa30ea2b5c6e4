/**
 * The outcome of a tools/call, before a door writes it in the shape of its revision and transport.
 * A transport may have no reply for some kinds: {@link sayable} turns these into results for the
 * model. Bound by docs/service.md, Tool calls.
 */
import type { Problem } from '../../call/execute.ts'
import { type FailureFacts, writeFailureMessage } from '../../call/failure-messages.ts'
import { ERRORS, err, ok, type Refusal, type Result } from '../../errors.ts'
import { isJsonObject } from '../../json/json.ts'
import { RPC_INVALID_PARAMS, type RpcError } from '../../jsonrpc/message.ts'
import type { ResultCall, ToolResult } from '../../mcp/content.ts'
import type { InputRequired } from '../../mcp/revision.ts'
import { makeTextResult } from '../../mcp/text-result.ts'
import { makeCallMeta } from '../../mcp/tool-meta.ts'
import type { ShownLink } from '../../secrets/secret-link.ts'
import type { Settings } from '../../settings.ts'

export type ToolOutcome =
  /** A failed tool also has a result, with `isError`. */
  | {
      readonly kind: 'result'
      readonly result: ToolResult
      /** Where the user sets what the call lacks; the text of the result has it, too. */
      readonly link?: ShownLink
    }
  /** The upstream needs answers of the client first. Nothing was charged. */
  | { readonly kind: 'input'; readonly input: InputRequired }
  /** The credential is not valid or not enough, or its user is disabled. A missing one is a `result`. */
  | { readonly kind: 'denied'; readonly refusal: Refusal; readonly callId: string }
  /** `status` is the HTTP status, for doors that answer in the response of the POST. */
  | { readonly kind: 'error'; readonly status: number; readonly error: RpcError }
  /** The caller cancelled the call, which is free. */
  | { readonly kind: 'cancelled'; readonly callId: string }

export function toResultOutcome(
  result: ToolResult,
): Extract<ToolOutcome, { readonly kind: 'result' }> {
  return { kind: 'result', result }
}

/** Writes a failure for the model, with the call's id. */
export function toFailedResult(callId: string, facts: FailureFacts): ToolResult {
  const { retryAfterSec } = facts
  const call: ResultCall = { callId, ...(retryAfterSec === undefined ? {} : { retryAfterSec }) }
  return { ...makeTextResult(writeFailureMessage(facts), true), call }
}

/** Adds the call's id to the data of an error for the client's code. */
export function withCallId(callId: string, error: RpcError): RpcError {
  const { data } = error
  return { ...error, data: { ...(isJsonObject(data) ? data : {}), ...makeCallMeta({ callId }) } }
}

type SentCall = {
  readonly callId: string
  readonly name: string
  /** True if the client declared its capabilities in this request. */
  readonly declares?: boolean
  /** Of a call of an unknown tool: names of tools that may be meant. */
  readonly nearNames?: readonly string[]
}

/**
 * Turns a call that execute refused, or that failed there, into the agent's answer. A failure that
 * the model can act on is a result. A failure that the client's code must correct is an error.
 */
export function toRefusedOutcome(
  call: SentCall,
  { body: problem, replayed }: { readonly body: Problem; readonly replayed?: true },
  { prefix }: Pick<Settings, 'prefix'>,
): ToolOutcome {
  const { callId } = call
  const { code, credits, detail, errors: faults, requiredCapabilities, status } = problem
  switch (code) {
    case 'unauthenticated':
    case 'insufficient_scope':
    case 'user_disabled':
      return { kind: 'denied', refusal: { code, detail }, callId }
    case 'unknown_skill': {
      const { name, nearNames = [] } = call
      const remedy =
        nearNames.length > 0
          ? `Did you mean ${nearNames.join(' or ')}?`
          : `The tool ${prefix}_search_skills finds tools by words.`
      const message = `Unknown tool: ${name.slice(0, 128)}. ${remedy}`
      return toErrorOutcome(callId, 200, { code: RPC_INVALID_PARAMS, message })
    }
    case 'header_mismatch':
      return toErrorOutcome(callId, status, { code: ERRORS[code].rpcCode, message: detail })
    case 'input_state_invalid':
      return toErrorOutcome(callId, 200, { code: ERRORS[code].rpcCode, message: detail })
    case 'client_capability_missing':
      if (requiredCapabilities !== undefined && call.declares === true) {
        const data = { requiredCapabilities }
        return toErrorOutcome(callId, status, { code: ERRORS[code].rpcCode, message: detail, data })
      }
  }
  const { link, retryAfterSec, upstreamFault } = problem
  const failed = toFailedResult(callId, { code, detail, faults, retryAfterSec, upstreamFault })
  const marked = replayed === undefined ? failed : { ...failed, replayed }
  const outcome = toResultOutcome(credits === undefined ? marked : { ...marked, credits })
  return link === undefined ? outcome : { ...outcome, link }
}

function toErrorOutcome(callId: string, status: number, error: RpcError): ToolOutcome {
  return { kind: 'error', status, error: withCallId(callId, error) }
}

/** Turns an outcome into a result or an error, for transports with neither questions nor status. */
export function toModelResult(outcome: ToolOutcome): Result<ToolResult, RpcError> {
  switch (outcome.kind) {
    case 'result':
      return ok(outcome.result)
    case 'input':
      return ok(toFailedResult(outcome.input.callId, { code: 'client_capability_missing' }))
    case 'denied':
      return ok(toFailedResult(outcome.callId, outcome.refusal))
    case 'error':
      return err(outcome.error)
    case 'cancelled':
      return ok(toFailedResult(outcome.callId, { code: 'cancelled', free: true }))
    default:
      return outcome satisfies never
  }
}
