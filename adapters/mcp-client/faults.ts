/**
 * Describes in words why a server gave no result. Each detail continues "the server …". Words of the
 * server are quoted whole: whoever shows them masks them first, because a cut could leave half of a
 * secret.
 */
import type { UpstreamAnswer } from '../../core/call/upstream.ts'
import type { McpFault } from '../../core/ports/mcp-servers.ts'
import type { RpcOutcome } from './post-rpc.ts'

export type Failed = Exclude<RpcOutcome, { readonly kind: 'result' }>

export function toFault(outcome: Failed): McpFault {
  const { answer } = outcome
  if (answer.kind === 'answered') {
    const { headers, status } = answer.response
    if (status === 401 || status === 403) {
      const challenge = headers?.['www-authenticate'] ?? ''
      return { kind: 'unauthorized', detail: `answered ${status}`, status, challenge }
    }
  }
  if (outcome.kind === 'error') {
    const { code, message } = outcome.error
    const said = message === '' ? '' : `: ${message}`
    return { kind: 'error', code, detail: `answered the error ${code}${said}` }
  }
  return { kind: 'failed', detail: describe(answer), answer }
}

function describe(answer: UpstreamAnswer): string {
  switch (answer.kind) {
    case 'answered':
      return answer.response.status < 300
        ? `answered ${answer.response.status} without a JSON-RPC message for the request`
        : `answered ${answer.response.status}`
    case 'refused_target':
      return `could not be reached: ${answer.detail}`
    case 'unreachable':
    case 'unreadable':
      return answer.detail
    case 'too_large':
      return `sent more than ${answer.bytesMax} bytes`
    case 'cut':
      return 'did not answer in time'
    default:
      return answer satisfies never
  }
}
