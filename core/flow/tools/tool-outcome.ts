/**
 * The outcome of a tools/call, before a door writes it in the shape of its revision and transport.
 * Not every transport has a reply for each kind: {@link sayable} turns the rest into results for
 * the model.
 */
import { failureMessage } from '../../call/failure-messages.ts'
import { err, ok, type Refusal, type Result } from '../../errors.ts'
import type { RpcError } from '../../jsonrpc/message.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { InputRequired } from '../../mcp/revision.ts'
import { textResult } from '../../mcp/text-result.ts'

export type ToolOutcome =
  /** A tool that failed has a result, too, with `isError`. */
  | { readonly kind: 'result'; readonly result: ToolResult }
  /** The upstream needs answers of the client first; nothing was charged. */
  | { readonly kind: 'input'; readonly input: InputRequired }
  /** The credential is not valid. A missing one is a `result`. */
  | { readonly kind: 'unauthenticated'; readonly refusal: Refusal }
  /** `status` is for doors that answer in the response of the POST. */
  | { readonly kind: 'error'; readonly status: number; readonly error: RpcError }
  /** The caller took the call back; it is free. */
  | { readonly kind: 'cancelled' }

export function resultOf(result: ToolResult): ToolOutcome {
  return { kind: 'result', result }
}

/** For a transport that can neither ask its client nor answer with a status. */
export function sayable(outcome: ToolOutcome): Result<ToolResult, RpcError> {
  switch (outcome.kind) {
    case 'result':
      return ok(outcome.result)
    case 'input':
      return ok(textResult(failureMessage({ code: 'client_capability_missing' }), true))
    case 'unauthenticated':
      return ok(textResult(failureMessage(outcome.refusal), true))
    case 'error':
      return err(outcome.error)
    case 'cancelled':
      return ok(textResult(failureMessage({ code: 'cancelled', free: true }), true))
    default:
      return outcome satisfies never
  }
}
