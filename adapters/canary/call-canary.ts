/**
 * Calls the tool of the canary user over `POST /mcp`, as an agent does: one stateless request of
 * MCP 2026-07-28. Never logs the key or the answer.
 */
import { err, ok, type Result } from '../../core/errors.ts'

const REVISION = '2026-07-28'
/** The gateway answers a call after 16 s at most. */
const ANSWER_TIMEOUT_MS = 20_000

export type CanaryKey = { readonly key: string; readonly tool: string }

/** Why a call failed: no answer, a refusal by HTTP or JSON-RPC, or a failed tool. */
export type CanaryFailure = {
  readonly reason: 'no-answer' | 'refused' | 'tool-failed' | 'no-key'
  readonly status?: number
  readonly cause?: unknown
}

/** Reads the text of the canary's secret; undefined before the first deploy has written a key. */
export function parseCanaryKey(text: string | undefined): CanaryKey | undefined {
  try {
    const { key, tool }: { key?: unknown; tool?: unknown } = JSON.parse(text ?? '{}')
    return typeof key === 'string' && typeof tool === 'string' ? { key, tool } : undefined
  } catch {
    // Somebody wrote another text; the next deploy replaces it.
    return undefined
  }
}

/** Sends the call. Throws nothing. */
export async function callCanary(
  mcpUrl: string,
  { key, tool }: CanaryKey,
): Promise<Result<void, CanaryFailure>> {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  const params = { name: tool, arguments: {}, _meta: meta }
  try {
    const response = await fetch(mcpUrl, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': REVISION,
        'mcp-method': 'tools/call',
        'mcp-name': tool,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    const { status } = response
    const text = await response.text()
    if (status !== 200) return err({ reason: 'refused', status })
    return judgeAnswer(text, status)
  } catch (cause) {
    return err({ reason: 'no-answer', cause })
  }
}

/** The answer is JSON, or the last event of a stream. */
function judgeAnswer(text: string, status: number): Result<void, CanaryFailure> {
  const json = text.startsWith('{') ? text : (text.match(/^data: ?(\{.*)$/gm)?.at(-1) ?? '{}')
  const { result }: { result?: { isError?: boolean } } = JSON.parse(json.replace(/^data: ?/, ''))
  if (result === undefined) return err({ reason: 'refused', status })
  return result.isError === true ? err({ reason: 'tool-failed', status }) : ok(undefined)
}
