/**
 * The outcome of a tools/call, before a door writes it in the shape of its revision and transport.
 * Not every transport has a reply for each kind: {@link sayable} turns the rest into results for
 * the model.
 */
import { type FailureFacts, failureMessage } from '../../call/failure-messages.ts'
import { err, ok, type Refusal, type Result } from '../../errors.ts'
import { isJsonObject } from '../../json/json.ts'
import type { RpcError } from '../../jsonrpc/message.ts'
import type { ResultCall, ToolResult } from '../../mcp/content.ts'
import type { InputRequired } from '../../mcp/revision.ts'
import { textResult } from '../../mcp/text-result.ts'
import { callMeta } from '../../mcp/tool-meta.ts'

export type ToolOutcome =
  /** A tool that failed has a result, too, with `isError`. */
  | { readonly kind: 'result'; readonly result: ToolResult }
  /** The upstream needs answers of the client first; nothing was charged. */
  | { readonly kind: 'input'; readonly input: InputRequired }
  /** The credential is not valid, or its user is disabled. A missing one is a `result`. */
  | { readonly kind: 'denied'; readonly refusal: Refusal; readonly callId: string }
  /** `status` is for doors that answer in the response of the POST. */
  | { readonly kind: 'error'; readonly status: number; readonly error: RpcError }
  /** The caller took the call back; it is free. */
  | { readonly kind: 'cancelled'; readonly callId: string }

export function resultOf(result: ToolResult): ToolOutcome {
  return { kind: 'result', result }
}

/** A failure that the model reads, under the call's id. */
export function failedCall(callId: string, facts: FailureFacts): ToolResult {
  const { retryAfterSec } = facts
  const call: ResultCall = { callId, ...(retryAfterSec === undefined ? {} : { retryAfterSec }) }
  return { ...textResult(failureMessage(facts), true), call }
}

/** A failure that the client's code must mend, with the call's id in its data. */
export function errorOfCall(callId: string, error: RpcError): RpcError {
  const { data } = error
  return { ...error, data: { ...(isJsonObject(data) ? data : {}), ...callMeta({ callId }) } }
}

/** For a transport that can neither ask its client nor answer with a status. */
export function sayable(outcome: ToolOutcome): Result<ToolResult, RpcError> {
  switch (outcome.kind) {
    case 'result':
      return ok(outcome.result)
    case 'input':
      return ok(failedCall(outcome.input.callId, { code: 'client_capability_missing' }))
    case 'denied':
      return ok(failedCall(outcome.callId, outcome.refusal))
    case 'error':
      return err(outcome.error)
    case 'cancelled':
      return ok(failedCall(outcome.callId, { code: 'cancelled', free: true }))
    default:
      return outcome satisfies never
  }
}
