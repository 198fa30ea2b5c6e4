/**
 * The doors of the test world with one user, one skill and one that asks, for the tests of rows.
 */
import type { StreamingHandler } from '../../adapters/http/events.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { makeWorld, SETTINGS, type World } from '../core/flow/world.ts'
import type { MemoryResponse, SentRequest } from '../lambdas/door-client.ts'
import { doorOf, legacy, modern, post, withKey } from '../lambdas/mcp/agent.ts'

export const LEGACY_VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'] as const
export const VERSIONS = [...LEGACY_VERSIONS, '2026-07-28'] as const

export type Ready = {
  readonly world: World
  readonly door: StreamingHandler
  /** Ada's Authorization header. */
  readonly ada: string
  /** Asks in the shapes of a revision, with ada's key. */
  ask(
    version: (typeof VERSIONS)[number],
    method: string,
    params?: JsonObject,
    more?: {
      readonly id?: Json
      readonly headers?: SentRequest['headers']
      readonly meta?: JsonObject
    },
  ): Promise<MemoryResponse>
}

export async function ready(): Promise<Ready> {
  // Enough calls for a minute of tests that ask a lot.
  const tiers = { ...SETTINGS.tiers, free: { callsPerMinute: 10_000, holdsMax: 32 } }
  const world = makeWorld({ ...SETTINGS, tiers })
  const door = doorOf(world)
  const ada = await world.user('ada')
  await world.skill('sg_sunny')
  await world.skill('sg_asks', { config: { response: { as: 'mcp' } } })
  return {
    world,
    door,
    ada,
    ask: (version, method, params = {}, more = {}) => {
      const isModern = version === '2026-07-28'
      const sent = isModern
        ? modern(method, params, more)
        : legacy(method, params, { ...more, version })
      return post(door, withKey(ada, sent))
    },
  }
}

/** The answer of an upstream that must ask a question first. */
export const ASKS = JSON.stringify({
  resultType: 'input_required',
  inputRequests: {
    city: {
      method: 'elicitation/create',
      params: { message: 'Which city?', requestedSchema: { type: 'object', properties: {} } },
    },
  },
})

export const CAN_BE_ASKED: JsonObject = {
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
}

/** The member of a reply that must be an object. */
export function memberOf(reply: JsonObject, name: 'result' | 'error'): JsonObject {
  const value = reply[name]
  if (!isJsonObject(value)) throw new Error(`no ${name}: ${JSON.stringify(reply)}`)
  return value
}

export function toolsOf(out: MemoryResponse): readonly JsonObject[] {
  const { tools } = memberOf(out.json(), 'result')
  return Array.isArray(tools) ? tools.filter(isJsonObject) : []
}
