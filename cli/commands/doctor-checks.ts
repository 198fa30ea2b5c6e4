/**
 * The checks of `doctor` that examine the gateway's responses: keys, limits, streams and refusals.
 * A check returns a finding, or throws a CommandFault.
 */
import { KEY_VARIABLE } from '../clients/client.ts'
import type { Invocation } from '../command/command.ts'
import { fetched, fieldsOf } from '../gateway/admin-client.ts'
import { mcpClientOf } from '../gateway/mcp-client.ts'
import type { Target } from '../gateway/target.ts'
import { CommandFault } from '../terminal/exit-code.ts'

/**
 * Longest wait for the first event. A stream sends one as soon as it opens; a host that buffers
 * sends nothing until the end.
 */
const FIRST_EVENT_MS_MAX = 5_000
const MCP_HEADERS = {
  Accept: 'application/json, text/event-stream',
  'MCP-Protocol-Version': '2025-11-25',
}
/** A valid request, so that only the key can be the reason of a refusal. */
const LIST_REQUEST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
const RENAMED_HEADER = 'x-amzn-remapped-www-authenticate'

/** Checks that the user's key is accepted, by a free call of the account tool. */
export async function checkUserKey(call: Invocation, target: Target): Promise<string> {
  if (target.key === undefined)
    return `none: set ${KEY_VARIABLE}, or skillgate login --key-from-env`
  const result = await mcpClientOf(call, target).request('tools/call', {
    name: findAccountTool(await listToolNames(call, target)),
    arguments: {},
  })
  const account = fieldsOf(result['structuredContent'])
  const { calls_in_flight: atOnce, calls_per_minute: perMinute } = fieldsOf(account['limits'])
  const limits = perMinute === undefined ? '' : `; ${perMinute} calls a minute, ${atOnce} at once`
  return `accepted${account['credits'] === undefined ? '' : `, ${account['credits']} credits left`}${limits}`
}

async function listToolNames(call: Invocation, target: Target): Promise<readonly string[]> {
  return (await mcpClientOf(call, target).tools()).map(({ name }) => name)
}

/** Finds the account tool, whose prefix is a setting of the gateway. Its call is free. */
function findAccountTool(names: readonly string[]): string {
  return names.find((name) => name.endsWith('_account')) ?? 'sg_account'
}

/**
 * Checks that a wrong key gets 401 and that the header WWW-Authenticate, which OAuth clients need,
 * keeps its name; API Gateway renames it.
 */
export async function checkRefusal(
  call: Invocation,
  { adminUrl, mcpUrl }: Target,
): Promise<string> {
  const headers = {
    Authorization: 'Bearer no-key',
    'Content-Type': 'application/json',
    ...MCP_HEADERS,
  }
  const admin = await fetched(call, new URL(`${adminUrl}/skills`), { method: 'GET', headers })
  const mcp = await fetched(call, new URL(mcpUrl), { method: 'POST', headers, body: LIST_REQUEST })
  await Promise.all([admin.body?.cancel(), mcp.body?.cancel()])
  if (mcp.headers.has(RENAMED_HEADER)) {
    throw new CommandFault('MCP is behind an API Gateway, which renames WWW-Authenticate.', {
      remedy: 'Use the URL of the function, the output McpUrl.',
    })
  }
  const renamed = admin.headers.has(RENAMED_HEADER)
    ? '; API Gateway renames WWW-Authenticate of the admin API, and the body has its value'
    : ''
  if (admin.status === 401) return `a wrong key is refused with 401${renamed}`
  throw new CommandFault(`The admin API answers ${admin.status} to a wrong key.`)
}

/**
 * Checks that responses are streamed. A host that buffers, such as an API Gateway before MCP,
 * answers calls but reports no progress of them.
 */
export async function checkStreaming(call: Invocation, target: Target): Promise<string> {
  if (await mcpClientOf(call, target).streams(FIRST_EVENT_MS_MAX)) return 'answers are streamed'
  throw new CommandFault('Answers of MCP are buffered: no event came while the stream was open.', {
    remedy: 'Use the URL of the function, the output McpUrl, and a proxy that does not buffer.',
  })
}
