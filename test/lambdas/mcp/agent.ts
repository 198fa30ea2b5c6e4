/** Posts to the door mcp as clients of each era do, and reads what comes back, byte for byte. */
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { inProcessExecute } from '../../../adapters/internal-http/in-process-send.ts'
import { makeToolListCache } from '../../../core/flow/tools/tool-list-cache.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { callsHere } from '../../../lambdas/call/answer-call.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { createMcpDoorOver } from '../../../lambdas/mcp/door.ts'
import type { World } from '../../core/flow/world.ts'
import { ask, contextOf, eventOf, MemoryResponse, type SentRequest } from '../door-client.ts'

/** The door with execute in the same process, as the twin has it. */
export function doorOf(world: World): StreamingHandler {
  const { caches, ports, settings } = world
  const execute = callsHere({ ports, settings, caches, lists: makeToolListCache() })
  return createMcpDoorOver({ ...ports, execute }, settings)
}

/** The door with execute behind its door, as the deployed functions have it. */
export function doorByEvent({ ports, settings }: World): StreamingHandler {
  const execute = inProcessExecute(createExecuteDoor(ports, settings), { log: ports.log })
  return createMcpDoorOver({ ...ports, execute }, settings)
}

export const META: JsonObject = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
}

/** A request of 2026-07-28 with the headers that mirror it. */
export function modern(
  method: string,
  params: JsonObject = {},
  more: {
    readonly id?: Json
    readonly meta?: JsonObject
    readonly headers?: SentRequest['headers']
  } = {},
): SentRequest {
  const { id = 1, meta = {}, headers = {} } = more
  const name = params['name']
  return {
    headers: {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
      ...headers,
    },
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta: { ...META, ...meta } } },
  }
}

/** A request of a legacy revision; without a version as clients of 2025-03-26 send it. */
export function legacy(
  method: string,
  params: JsonObject = {},
  more: {
    readonly id?: Json
    readonly version?: string
    readonly headers?: SentRequest['headers']
  } = {},
): SentRequest {
  const { headers = {}, id = 1, version } = more
  return {
    headers: { ...(version === undefined ? {} : { 'mcp-protocol-version': version }), ...headers },
    body: { jsonrpc: '2.0', id, method, params },
  }
}

export function withKey(key: string | undefined, sent: SentRequest): SentRequest {
  return key === undefined ? sent : { ...sent, headers: { ...sent.headers, authorization: key } }
}

export function post(door: StreamingHandler, sent: SentRequest): Promise<MemoryResponse> {
  return ask(door, 'POST', '/mcp', sent)
}

/** One that stays open for a while: `done` resolves when it is answered. */
export function opened(
  door: StreamingHandler,
  sent: SentRequest,
  remainingMs?: number,
): { readonly out: MemoryResponse; readonly done: Promise<void> } {
  const out = new MemoryResponse()
  return { out, done: door(eventOf('POST', '/mcp', sent), out, contextOf(remainingMs)) }
}

/** The messages of an SSE body, in order. */
export function eventsOf(out: MemoryResponse): readonly JsonObject[] {
  return out.text
    .split('\n\n')
    .filter((block) => block.startsWith('event: message\ndata: '))
    .map((block) => JSON.parse(block.slice('event: message\ndata: '.length)))
}
