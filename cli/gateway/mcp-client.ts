/**
 * An MCP client for the gateway's own endpoint, with the key of a user. Speaks revision 2026-07-28,
 * which needs no handshake and returns an upstream's questions as results. Bound by MCP 2026-07-28,
 * basic/transports/streamable-http.
 */
import { VERSION } from '../../adapters/config/version.ts'
import { findMirroredParams } from '../../core/call/mirrored-params.ts'
import type { JsonObject } from '../../core/json/json.ts'
import type { Invocation } from '../command/command.ts'
import { CommandFault, EXIT } from '../terminal/exit-code.ts'
import { type Fields, toFields } from './admin-client.ts'
import { isExactObject, parseExactJson } from './exact-json.ts'
import { fetchOrFault } from './fetch-or-fault.ts'
import { readEvents } from './read-events.ts'
import { findTarget, type Target } from './target.ts'

export const REVISION = '2026-07-28'

export type Tool = {
  readonly name: string
  readonly title?: string
  readonly description?: string
  readonly inputSchema: JsonObject
}

export type Progress = (message: string) => void

export type McpClient = {
  readonly target: Target
  /** Sends one request and returns its result. Throws a CommandFault for an error. */
  request(method: string, params: Fields, more?: RequestMore): Promise<Fields>
  tools(): Promise<readonly Tool[]>
  /**
   * Opens a stream and tells whether its first event arrives while the stream is open. Closes the
   * stream.
   */
  streams(withinMs: number): Promise<boolean>
}

export type RequestMore = {
  /** The schema of the called tool, for arguments that are repeated in headers. */
  readonly schema?: JsonObject
  readonly onProgress?: Progress
}

const META_PREFIX = 'io.modelcontextprotocol'
/** Most pages of a tool list; a list that never ends is an error. */
const PAGES_MAX = 200

/** Returns a client for the gateway of the profile. */
export async function openMcpClient(call: Invocation): Promise<McpClient> {
  return toMcpClient(call, await findTarget(call))
}

/**
 * Returns a client for `target`. Without a key the gateway lists the public tools and refuses
 * calls.
 */
export function toMcpClient(call: Invocation, target: Target): McpClient {
  let id = 0
  const request: McpClient['request'] = async (method, params, more = {}) => {
    id += 1
    const init = buildRequest(id, { method, params, more, key: target.key })
    const response = await fetchOrFault(call, new URL(target.mcpUrl), init)
    return readResult(await readAnswer(response, more), response.status, target.key)
  }
  const streams: McpClient['streams'] = async (withinMs) => {
    id += 1
    const params = { notifications: { toolsListChanged: true } }
    const stream = { method: 'subscriptions/listen', params, more: {}, key: target.key }
    const closing = new AbortController()
    const timer = setTimeout(() => closing.abort(), withinMs)
    const init = { ...buildRequest(id, stream), signal: closing.signal }
    try {
      const response = await fetchOrFault(call, new URL(target.mcpUrl), init)
      if (response.status >= 400) {
        readResult(await readAnswer(response, {}), response.status, target.key)
      }
      const first = await response.body?.getReader().read()
      return first?.done === false
    } catch (cause) {
      if (!closing.signal.aborted) throw cause
      return false
    } finally {
      clearTimeout(timer)
      closing.abort()
    }
  }
  return { target, request, streams, tools: () => fetchTools(request) }
}

async function fetchTools(request: McpClient['request']): Promise<readonly Tool[]> {
  const tools: Tool[] = []
  let cursor: unknown
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const result = await request('tools/list', cursor === undefined ? {} : { cursor })
    const listed: readonly unknown[] = Array.isArray(result['tools']) ? result['tools'] : []
    tools.push(...listed.filter(isTool))
    cursor = result['nextCursor']
    if (cursor === undefined) return tools
  }
  throw new CommandFault(`The tool list has over ${PAGES_MAX} pages.`)
}

function isTool(value: unknown): value is Tool {
  const { inputSchema, name } = toFields(value)
  return typeof name === 'string' && typeof inputSchema === 'object' && inputSchema !== null
}

function buildRequest(
  id: number,
  parts: { method: string; params: Fields; more: RequestMore; key: string | undefined },
): RequestInit {
  const { key, method, more, params } = parts
  const _meta = {
    [`${META_PREFIX}/protocolVersion`]: REVISION,
    [`${META_PREFIX}/clientCapabilities`]: { elicitation: { form: {}, url: {} } },
    [`${META_PREFIX}/clientInfo`]: { name: 'skillgate-cli', version: VERSION },
    ...(more.onProgress === undefined ? {} : { progressToken: id }),
  }
  const { name } = params
  return {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      'User-Agent': `skillgate/${VERSION}`,
      'MCP-Protocol-Version': REVISION,
      'Mcp-Method': method,
      ...(typeof name === 'string' ? { 'Mcp-Name': encodeHeader(name) } : {}),
      ...toMirroredHeaders(more.schema, params['arguments']),
      ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id, method, params: { ...params, _meta } }),
  }
}

/** Returns headers for arguments with `x-mcp-header` that only properties lead to. */
function toMirroredHeaders(
  schema: JsonObject | undefined,
  args: unknown,
): { [header: string]: string } {
  const headers: { [header: string]: string } = {}
  for (const { header, path } of schema === undefined ? [] : findMirroredParams(schema)) {
    let value: unknown = args
    for (const name of path) value = toFields(value)[name]
    if (value !== undefined && value !== null)
      headers[`Mcp-Param-${header}`] = encodeHeader(String(value))
  }
  return headers
}

/**
 * Encodes a header's value: a text that a header cannot carry, or that looks encoded, is sent as
 * base64.
 */
function encodeHeader(text: string): string {
  const isPlain = /^[\t\u0020-\u007E]*$/.test(text) && text === text.trim()
  if (isPlain && !text.startsWith('=?base64?')) return text
  return `=?base64?${Buffer.from(text).toString('base64')}?=`
}

async function readAnswer(response: Response, { onProgress }: RequestMore): Promise<unknown> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream || response.body === null) return parseBody(await response.text(), response.status)
  for await (const message of readEvents(response.body)) {
    const { id, method, params } = toFields(message)
    if (method === 'notifications/progress') onProgress?.(String(toFields(params)['message'] ?? ''))
    else if (id !== undefined && method === undefined) return message
  }
  throw new CommandFault('The connection ended before the answer.', {
    remedy: 'skillgate credits ledger shows whether the call was charged.',
  })
}

function parseBody(text: string, status: number): unknown {
  try {
    return parseExactJson(text)
  } catch {
    throw new CommandFault(`The gateway answered ${status} with a text that is not JSON.`, {
      remedy: 'Is this the MCP address? See skillgate whoami.',
    })
  }
}

/** What an administrator without a user's key does; others have a key and set SKILLGATE_KEY. */
export const KEY_REMEDY =
  'Keep one in the profile with skillgate keys issue UID --save, or set SKILLGATE_KEY.'

function readResult(answer: unknown, status: number, key: string | undefined): Fields {
  const { detail, error, result, title } = toFields(answer)
  if (isExactObject(result)) return toFields(result)
  const message = toFields(error)['message'] ?? detail ?? title ?? 'no reason given'
  if (status === 403) {
    // The gateway knows the key, so another key of this user would not help.
    throw new CommandFault(`The gateway refuses the call (${status}): ${message}`, {
      exitCode: EXIT.unauthenticated,
    })
  }
  if (status === 401 && key === undefined) {
    throw new CommandFault('The gateway asks for a key, and none is set (401).', {
      exitCode: EXIT.unauthenticated,
      remedy: KEY_REMEDY,
    })
  }
  if (status === 401) {
    throw new CommandFault(`The gateway refuses the key (${status}): ${message}`, {
      exitCode: EXIT.unauthenticated,
      remedy: 'Keep another with skillgate keys issue UID --save, or set SKILLGATE_KEY.',
    })
  }
  throw new CommandFault(`${message} (${status})`)
}
