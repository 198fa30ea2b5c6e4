/**
 * A DELETE without a valid key, as the store sees it: the requests that it costs, counted by the store itself at
 * every door. Agents' doors take no DELETE from anybody; the admin door takes one of administrators alone.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { dynamoStorePorts } from '../../adapters/dynamodb/store-ports.ts'
import { ROUTES } from '../../lambdas/admin/routes.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { createMcpDoorOver } from '../../lambdas/mcp/door.ts'
import { createMessagesDoor } from '../../lambdas/messages/door.ts'
import { createSseDoor } from '../../lambdas/sse/door.ts'
import { useEmbeddedStore } from '../adapters/dynamodb/embedded-store.ts'
import { makeWorld } from '../core/flow/world.ts'
import { type AdminCall, askAdmin } from './admin/admin-client.ts'
import { ask } from './door-client.ts'

const world = makeWorld()
const { store, seen, troubles } = await useEmbeddedStore(world.clock)
const { settings } = world
const ports = { ...world.ports, ...dynamoStorePorts(store) }

const sse = createSseDoor(ports, settings)
const mcp = createMcpDoorOver(ports, settings)
const execute = createExecuteDoor(ports, settings)
const messages = createMessagesDoor(ports, settings)

const UNKNOWN = `Bearer sgk_${'A'.repeat(43)}`

const SENT: readonly (readonly [what: string, headers: { readonly [name: string]: string }])[] = [
  ['no key', {}],
  ['an empty key', { authorization: '' }],
  ['a key without a scheme', { authorization: `sgk_${'A'.repeat(43)}` }],
  ['an unknown key', { authorization: UNKNOWN }],
  ['a token of another service', { authorization: 'Bearer oldkey-123456789' }],
]

const PLACES = [
  ['/mcp', mcp, 405],
  ['/mcp/', mcp, 405],
  ['/v1/mcp', mcp, 405],
  ['/nowhere', mcp, 404],
  ['/v1/mcp/sse', sse, 405],
  ['/v1/mcp/messages', sse, 405],
  ['/v1/mcp', sse, 404],
  ['/nowhere', sse, 404],
  ['/v1/execute', execute, 405],
  ['/v1/execute/void', execute, 404],
  ['/v1/execute/job', execute, 404],
  ['/', messages, 403],
] as const

beforeEach(() => {
  seen.length = 0
  troubles.length = 0
})

describe.each(SENT)('a DELETE with %s', (_what, headers) => {
  test('a DELETE costs the store no request at any door of agents, whatever session it names', async () => {
    for (const [path, door, status] of PLACES) {
      const sent = { headers: { ...headers, 'mcp-session-id': 's-1' }, query: 'session_id=s-1' }
      const answered = await ask(door, 'DELETE', path, sent)
      expect([path, answered.status]).toEqual([path, status])
    }
    expect([...seen, ...troubles]).toEqual([])
  })
})

test('the store sees the look-up of an unknown key that comes with a POST', async () => {
  const body = { skill: 'sg_sunny', arguments: {} }
  const headers = { authorization: UNKNOWN }
  expect((await ask(execute, 'POST', '/v1/execute', { headers, body })).status).toBe(401)
  expect(seen[0]).toEqual({ command: 'get', units: 1 })
})

const REVOCATIONS = ROUTES.filter(({ method }) => method === 'DELETE')

const WRONG: readonly (readonly [what: string, sent: AdminCall])[] = [
  ['no credential', { headers: {} }],
  ['an empty credential', { headers: { 'x-admin-key': '' } }],
  ['a malformed credential', { headers: { authorization: 'Basic eDp5' } }],
  ['a wrong secret', { headers: { authorization: 'Bearer not-the-internal-secret' } }],
  ['a wrong admin key', { headers: { 'x-admin-key': 'not-the-admin-key' } }],
  ["an agent's key", { headers: { authorization: UNKNOWN } }],
]

describe('the routes of the admin API that revoke', () => {
  test.each(WRONG)('a revocation with %s costs the store no request', async (_what, sent) => {
    expect(REVOCATIONS.length).toBeGreaterThan(0)
    for (const { path } of REVOCATIONS) {
      const below = path.replaceAll(/\{\w+\}/g, 'x')
      const answered = await askAdmin({ ports, settings }, 'DELETE', below, sent)
      expect([path, answered.status]).toEqual([path, 401])
    }
    expect([...seen, ...troubles]).toEqual([])
  })

  test('a revocation with a key that only looks like a named one costs the store one read unit and no write', async () => {
    const sent = { headers: { 'x-admin-key': `sga_${'A'.repeat(43)}` } }
    for (const { path } of REVOCATIONS) {
      seen.length = 0
      const below = path.replaceAll(/\{\w+\}/g, 'x')
      const answered = await askAdmin({ ports, settings }, 'DELETE', below, sent)
      expect([path, answered.status]).toEqual([path, 401])
      expect(seen).toEqual([{ command: 'get', units: 1 }])
    }
  })
})
