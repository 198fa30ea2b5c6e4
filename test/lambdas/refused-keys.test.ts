/** A wrong key is one event on every door, with the start of the key and never more of it. */
import { beforeEach, describe, expect, test } from 'vitest'
import { makeJsonLog } from '../../adapters/telemetry/json-log.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { createSseDoor } from '../../lambdas/sse/door.ts'
import { makeWorld, type World } from '../core/flow/world.ts'
import { askAdmin } from './admin/admin-client.ts'
import { ask } from './door-client.ts'
import { doorOf, legacy, modern, post, withKey } from './mcp/agent.ts'

const UNKNOWN = `Bearer sgk_Ab-9${'x'.repeat(39)}`
const FOREIGN = `Bearer ${'z'.repeat(40)}`
const CALL = { name: 'sg_sunny', arguments: {} }

let world: World
beforeEach(async () => {
  world = makeWorld()
  await world.skill('sg_sunny')
})

type Ask = (key: string) => Promise<unknown>
const DOORS: readonly (readonly [string, Ask])[] = [
  [
    'GET /v1/mcp/sse',
    (key) =>
      ask(createSseDoor(world.ports, world.settings), 'GET', '/v1/mcp/sse', {
        headers: { authorization: key },
      }),
  ],
  [
    'POST /mcp initialize',
    (key) =>
      post(
        doorOf(world),
        withKey(
          key,
          legacy('initialize', {
            protocolVersion: '2025-11-25',
            capabilities: {},
            clientInfo: { name: 'c', version: '1' },
          }),
        ),
      ),
  ],
  ['POST /mcp tools/list', (key) => post(doorOf(world), withKey(key, modern('tools/list')))],
  ['POST /mcp tools/call', (key) => post(doorOf(world), withKey(key, modern('tools/call', CALL)))],
  [
    'POST /mcp tools/call of a built-in tool',
    (key) =>
      post(
        doorOf(world),
        withKey(key, modern('tools/call', { name: 'sg_account', arguments: {} })),
      ),
  ],
  [
    'POST /v1/execute',
    (key) =>
      ask(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', {
        headers: { authorization: key },
        body: { skill: 'sg_sunny' },
      }),
  ],
]

function refusedKeys() {
  return world.log.notes.filter(({ event }) => event === 'key-refused').map(({ fields }) => fields)
}

describe.each(DOORS)('%s', (_what, send) => {
  test('a request with an unknown key is logged with its start', async () => {
    await send(UNKNOWN)
    expect(refusedKeys()).toEqual([{ keyStart: 'sgk_Ab-9', reason: 'unknown' }])
  })

  test('a request with a token of another service is logged without the token', async () => {
    await send(FOREIGN)
    expect(refusedKeys()).toEqual([{ keyStart: undefined, reason: 'unknown' }])
  })

  test('a request with a key that has no scheme is logged', async () => {
    await send(UNKNOWN.slice('Bearer '.length))
    expect(refusedKeys()).toEqual([{ keyStart: 'sgk_Ab-9', reason: 'malformed' }])
  })
})

test('an expired key is told apart from an unknown one', async () => {
  const ada = await world.user('ada')
  await world.clock.advance(31 * 86_400_000)
  await post(doorOf(world), withKey(ada, legacy('tools/list')))
  expect(refusedKeys()).toEqual([{ keyStart: ada.slice(7, 15), reason: 'expired' }])
})

describe('the admin door', () => {
  test('logs a refused credential, and shows the start of an agent key alone', async () => {
    await askAdmin(world, 'GET', '/skills', { headers: { authorization: UNKNOWN } })
    await askAdmin(world, 'GET', '/skills', { headers: { 'x-admin-key': 'a-wrong-admin-key' } })
    const refused = world.log.notes.filter(({ event }) => event === 'admin-refused')
    expect(refused.map(({ fields }) => fields)).toEqual([
      { code: 'unauthenticated', keyStart: 'sgk_Ab-9', address: '', count: 1, added: 1 },
      { code: 'unauthenticated', keyStart: undefined, address: '', count: 1, added: 1 },
    ])
  })

  test('logs a change by its ids, and reads have no line', async () => {
    await askAdmin(world, 'POST', '/users', { body: { username: 'Ada', uid: 'ada' } })
    await askAdmin(world, 'PATCH', '/users/ada', { body: { tier: 'pro' } })
    await askAdmin(world, 'GET', '/users/ada')
    await askAdmin(world, 'PATCH', '/users/nobody', { body: { tier: 'pro' } })
    const changed = world.log.notes.filter(({ event }) => event === 'admin-changed')
    expect(changed.map(({ fields }) => fields)).toMatchObject([
      { operation: 'createUser', status: 201, uid: 'ada', admin: 'break-glass:internal-secret' },
      { operation: 'patchUser', status: 200, uid: 'ada', admin: 'break-glass:internal-secret' },
    ])
  })
})

test('an agent that connects is one event, with its user and its revision', async () => {
  const ada = await world.user('ada')
  const params = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'c', version: '1' },
  }
  await post(doorOf(world), withKey(ada, legacy('initialize', params)))
  await post(doorOf(world), modern('server/discover'))
  const connected = world.log.notes.filter(({ event }) => event === 'agent-connected')
  expect(connected.map(({ fields }) => fields)).toEqual([
    { uid: 'ada', version: '2025-11-25' },
    { uid: undefined, version: '2026-07-28' },
  ])
})

test('a line of the deployed log has the start of the key and no more', () => {
  const lines: string[] = []
  const log = makeJsonLog({ write: (line) => lines.push(line), clock: world.clock })
  log.note('info', 'key-refused', { keyStart: 'sgk_Ab-9', reason: 'unknown' })
  expect(JSON.parse(lines.join(''))).toMatchObject({ event: 'key-refused', keyStart: 'sgk_Ab-9' })
})
