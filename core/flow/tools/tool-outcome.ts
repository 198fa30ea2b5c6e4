/**
 * What became of a tools/call, before a door puts it into words of its revision and transport. Not
 * every transport can say all of it: {@link sayable} turns the rest into results that a model reads.
 */
import { failureMessage } from '../../call/failure-messages.ts'
import { err, ok, type Refusal, type Result } from '../../errors.ts'
import type { RpcError } from '../../jsonrpc/message.ts'
import type { ToolResult } from '../../mcp/content.ts'
import type { InputRequired } from '../../mcp/revision.ts'
import { textResult } from '../../mcp/text-result.ts'

export type ToolOutcome =
  /** Also of a tool that failed: `isError`. */
  | { readonly kind: 'result'; readonly result: ToolResult }
  /** The client must be asked first; nothing was charged. */
  | { readonly kind: 'input'; readonly input: InputRequired }
  /** The credential that was sent is no good. That none was sent is a result. */
  | { readonly kind: 'unauthenticated'; readonly refusal: Refusal }
  /** `status` is for doors whose answer is that of the POST. */
  | { readonly kind: 'error'; readonly status: number; readonly error: RpcError }
  /** Nobody wants it any more, and it is free. */
  | { readonly kind: 'cancelled' }

export function resultOf(result: ToolResult): ToolOutcome {
  return { kind: 'result', result }
}

/** For a transport that can neither ask its client, nor answer with a status. */
export function sayable(called: ToolOutcome): Result<ToolResult, RpcError> {
  switch (called.kind) {
    case 'result':
      return ok(called.result)
    case 'input':
      return ok(textResult(failureMessage({ code: 'client_capability_missing' }), true))
    case 'unauthenticated':
      return ok(textResult(failureMessage(called.refusal), true))
    case 'error':
      return err(called.error)
    case 'cancelled':
      return ok(textResult(failureMessage({ code: 'cancelled', free: true }), true))
    default:
      return called satisfies never
  }
}
