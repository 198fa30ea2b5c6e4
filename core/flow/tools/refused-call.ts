/**
 * The answer to an agent for a call that execute refused or that failed there. Bound by
 * docs/service.md, Tool calls.
 */
import type { Problem } from '../../call/execute.ts'
import { ERRORS } from '../../errors.ts'
import { RPC_INVALID_PARAMS, type RpcError } from '../../jsonrpc/message.ts'
import type { Settings } from '../../settings.ts'
import { errorOfCall, failedCall, resultOf, type ToolOutcome } from './tool-outcome.ts'

type SentCall = {
  readonly callId: string
  readonly name: string
  /** The client declared its capabilities in this request. */
  readonly declares?: boolean
}

type RefusedAnswer = { readonly body: Problem; readonly replayed?: true }

/**
 * A failure that the model can act on is a result; one that the client's code must mend is an
 * error.
 */
export function refusedCall(
  call: SentCall,
  { body: problem, replayed }: RefusedAnswer,
  { prefix }: Pick<Settings, 'prefix'>,
): ToolOutcome {
  const { callId } = call
  const { code, credits, detail, errors: faults, requiredCapabilities, status } = problem
  switch (code) {
    case 'unauthenticated':
    case 'user_disabled':
      return { kind: 'denied', refusal: { code, detail }, callId }
    case 'unknown_skill': {
      const message = `Unknown tool: ${call.name.slice(0, 128)}. tools/list names those there are, and the tool ${prefix}_search_skills finds them by words.`
      return errorOutcome(callId, 200, { code: RPC_INVALID_PARAMS, message })
    }
    case 'header_mismatch':
      return errorOutcome(callId, status, { code: ERRORS[code].rpcCode, message: detail })
    case 'input_state_invalid':
      return errorOutcome(callId, 200, { code: ERRORS[code].rpcCode, message: detail })
    case 'client_capability_missing':
      if (requiredCapabilities !== undefined && call.declares === true) {
        const data = { requiredCapabilities }
        return errorOutcome(callId, status, { code: ERRORS[code].rpcCode, message: detail, data })
      }
  }
  const { retryAfterSec, upstreamFault } = problem
  const failed = failedCall(callId, { code, detail, faults, retryAfterSec, upstreamFault })
  const marked = replayed === undefined ? failed : { ...failed, replayed }
  return resultOf(credits === undefined ? marked : { ...marked, credits })
}

function errorOutcome(callId: string, status: number, error: RpcError): ToolOutcome {
  return { kind: 'error', status, error: errorOfCall(callId, error) }
}
