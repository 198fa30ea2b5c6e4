/** Correct POSTs to the door mcp, of every revision: odd ones are made from them. */
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { ARGUMENT } from './canaries.ts'
import type { Header } from './odd-headers.ts'
import { MESSAGES } from './right-requests.ts'

export type RightMcp = { readonly headers: readonly Header[]; readonly body: Json }

export const MODERN = '2026-07-28'
const LEGACY = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const

const META: JsonObject = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

function legacy(version: string | undefined, body: Json): RightMcp {
  return { headers: version === undefined ? [] : [['mcp-protocol-version', version]], body }
}

function modern(id: Json, method: string, params: JsonObject = {}, meta: JsonObject = {}) {
  const { name } = params
  const headers: readonly Header[] = [
    ['mcp-protocol-version', MODERN],
    ['mcp-method', method],
    ...(typeof name === 'string' ? [['mcp-name', name] as const] : []),
  ]
  return {
    headers,
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...META, ...meta } } },
  }
}

/** `Mcp-Param-*` of the skill sg_mirror. */
function mirrored(args: JsonObject, headers: readonly Header[]): RightMcp {
  const right = modern('m', 'tools/call', { name: 'sg_mirror', arguments: args })
  return { ...right, headers: [...right.headers, ...headers] }
}

const calls = MESSAGES.flatMap((message) => {
  const params = isJsonObject(message) ? message['params'] : undefined
  return isJsonObject(params) && isJsonObject(params['arguments']) ? [params] : []
})

const TOLD: JsonObject = { progressToken: 0 }
const LOGGED: JsonObject = { 'io.modelcontextprotocol/logLevel': 'debug', progressToken: 'p' }

const MODERN_ONES: readonly RightMcp[] = [
  ...calls.map((params, nth) =>
    modern(nth % 3 === 0 ? `c${nth}` : nth, 'tools/call', params, [{}, TOLD, LOGGED][nth % 3]),
  ),
  modern('server-discover-probe-1', 'server/discover'),
  modern(0, 'tools/list'),
  modern(-7, 'tools/list', { cursor: 'x' }),
  modern('l', 'subscriptions/listen', { notifications: { toolsListChanged: true } }),
  modern('n', 'subscriptions/listen', { notifications: { promptsListChanged: true } }),
  modern(3, 'ping'),
  modern(4, 'initialize', { protocolVersion: MODERN }),
  modern(5, 'tools/call', {
    name: 'sg_mcp',
    arguments: { note: ARGUMENT },
    inputResponses: { k: { action: 'accept', content: { note: ARGUMENT } } },
    requestState: ARGUMENT,
  }),
  mirrored({ region: 'eu', size: 7 }, [
    ['mcp-param-region', 'eu'],
    ['mcp-param-size', '7'],
  ]),
  mirrored({ region: ARGUMENT }, [['mcp-param-region', ARGUMENT]]),
  mirrored({ region: ' é ' }, [['mcp-param-region', '=?base64?IMOpIA==?=']]),
  mirrored({}, []),
]

const NOTIFICATIONS: readonly JsonObject[] = [
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 0 } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1, _meta: META } },
]

const batches: readonly Json[] = [
  MESSAGES.slice(0, 3),
  [MESSAGES[0] ?? null, { jsonrpc: '2.0', id: 'p', method: 'ping' }, NOTIFICATIONS[0] ?? null],
  [NOTIFICATIONS[0] ?? null],
  [{ jsonrpc: '2.0', id: 1, method: 'ping' }, { jsonrpc: '2.0', id: 2 }, 3],
  [{ jsonrpc: '2.0', id: 1, result: {} }, ...MESSAGES.slice(-12, -8)],
]

export const RIGHT_MCP: readonly RightMcp[] = [
  ...MESSAGES.map((body, nth) => legacy([undefined, ...LEGACY][nth % 5], body)),
  ...LEGACY.map((version, nth) =>
    legacy(undefined, {
      jsonrpc: '2.0',
      id: nth,
      method: 'initialize',
      params: { protocolVersion: version, capabilities: {} },
    }),
  ),
  ...calls.slice(0, 8).map((params, nth) =>
    legacy(LEGACY[nth % 4], {
      jsonrpc: '2.0',
      id: `t${nth}`,
      method: 'tools/call',
      params: { ...params, _meta: TOLD },
    }),
  ),
  ...batches.map((body, nth) => legacy(nth % 2 === 0 ? undefined : '2025-03-26', body)),
  ...NOTIFICATIONS.map((body) => legacy('2025-11-25', body)),
  ...NOTIFICATIONS.map((body) => legacy(MODERN, body)),
  ...MODERN_ONES,
]

/** Messages that the minute's limit refuses by an error. */
export const LISTS: readonly RightMcp[] = [
  modern('a', 'tools/list'),
  ...LEGACY.map((version) => legacy(version, { jsonrpc: '2.0', id: 0, method: 'tools/list' })),
  modern(0, 'tools/list'),
]
