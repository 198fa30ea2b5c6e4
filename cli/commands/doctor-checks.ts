/** Checks of doctor that look at how a gateway answers: keys, limits, streams and refusals. */
import { KEY_VARIABLE } from '../clients/client.ts'
import type { Invocation } from '../command/command.ts'
import { fetched, fieldsOf } from '../gateway/admin-client.ts'
import { mcpClientOf } from '../gateway/mcp-client.ts'
import type { Target } from '../gateway/target.ts'
import { CommandFault } from '../terminal/exit-code.ts'

/** A stream says at once that it is open; a host that buffers says nothing until its end. */
const FIRST_EVENT_MS_MAX = 5_000
const ASKS = {
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2025-11-25',
}
/** Refused for its key alone. */
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
const REMAPPED = 'x-amzn-remapped-www-authenticate'

export async function checkUserKey(call: Invocation, target: Target): Promise<string> {
  if (target.key === undefined)
    return `none: set ${KEY_VARIABLE}, or skillgate login --key-from-env`
  const result = await mcpClientOf(call, target).request('tools/call', {
    name: accountTool(await toolNames(call, target)),
    arguments: {},
  })
  const account = fieldsOf(result['structuredContent'])
  const { calls_in_flight: atOnce, calls_per_minute: perMinute } = fieldsOf(account['limits'])
  const limits = perMinute === undefined ? '' : `; ${perMinute} calls a minute, ${atOnce} at once`
  return `accepted${account['credits'] === undefined ? '' : `, ${account['credits']} credits left`}${limits}`
}

async function toolNames(call: Invocation, target: Target): Promise<readonly string[]> {
  return (await mcpClientOf(call, target).tools()).map(({ name }) => name)
}

/** Its prefix is a setting of the gateway. The call is free. */
function accountTool(names: readonly string[]): string {
  return names.find((name) => name.endsWith('_account')) ?? 'sg_account'
}

/** API Gateway renames WWW-Authenticate, which clients of OAuth need. */
export async function checkRefusal(
  call: Invocation,
  { adminUrl, mcpUrl }: Target,
): Promise<string> {
  const headers = { Authorization: 'Bearer no-key', 'Content-Type': 'application/json', ...ASKS }
  const admin = await fetched(call, new URL(`${adminUrl}/skills`), { method: 'GET', headers })
  const mcp = await fetched(call, new URL(mcpUrl), { method: 'POST', headers, body: LIST })
  await Promise.all([admin.body?.cancel(), mcp.body?.cancel()])
  if (mcp.headers.has(REMAPPED)) {
    throw new CommandFault('MCP is behind an API Gateway, which renames WWW-Authenticate.', {
      remedy: 'Use the URL of the function, the output McpUrl.',
    })
  }
  const renamed = admin.headers.has(REMAPPED)
    ? '; API Gateway renames WWW-Authenticate of the admin API, and the body has its value'
    : ''
  if (admin.status === 401) return `a wrong key is refused with 401${renamed}`
  throw new CommandFault(`The admin API answers ${admin.status} to a wrong key.`)
}

/** A buffered host, such as an API Gateway before MCP, answers calls but tells nothing of their progress. */
export async function checkStreaming(call: Invocation, target: Target): Promise<string> {
  if (await mcpClientOf(call, target).streams(FIRST_EVENT_MS_MAX)) return 'answers are streamed'
  throw new CommandFault('Answers of MCP are buffered: no event came while the stream was open.', {
    remedy: 'Use the URL of the function, the output McpUrl, and a proxy that does not buffer.',
  })
}
