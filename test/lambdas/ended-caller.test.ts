/**
 * Open streams of a caller whose key or login ends: each ends within the 30 s for which a key may be
 * cached and one more heartbeat, though no request comes.
 */
import { beforeEach, describe, expect, test } from 'vitest'
import { KEY_CACHE_MS } from '../../core/access/limits.ts'
import { issueKey, revokeKey } from '../../core/flow/users/manage-keys.ts'
import type { JsonObject } from '../../core/json/json.ts'
import { createSseDoor } from '../../lambdas/sse/door.ts'
import { makeWorld, okOf, type World } from '../core/flow/world.ts'
import { contextOf, eventOf, MemoryResponse } from './door-client.ts'
import { doorOf, modern, opened, withKey } from './mcp/agent.ts'
import { LOGIN_SETTINGS, type LoggedIn, logIn } from './mcp/log-in.ts'

const HEARTBEAT_MS = 5_000

let world: World
let key: string
let keyId: string
let login: LoggedIn

beforeEach(async () => {
  world = makeWorld(LOGIN_SETTINGS)
  await world.user('ada')
  const issued = okOf(await issueKey(world.ports, 'ada'))
  key = `Bearer ${issued.key}`
  keyId = issued.keyId
  login = await logIn(world, doorOf(world), { uid: 'ada', keyHash: keyId })
})

const sse = (authorization: string) => {
  const out = new MemoryResponse()
  const event = eventOf('GET', '/v1/mcp/sse', { headers: { authorization } })
  return { out, done: createSseDoor(world.ports, world.settings)(event, out, contextOf()) }
}
const listening = (notifications: JsonObject) => (authorization: string) =>
  opened(
    doorOf(world),
    withKey(authorization, modern('subscriptions/listen', { notifications }, { id: 7 })),
  )

const STREAMS: readonly [string, (authorization: string) => ReturnType<typeof sse>][] = [
  ['over HTTP+SSE', sse],
  ['that listens for tools', listening({ toolsListChanged: true })],
  ['that listens for nothing', listening({})],
]

describe.each(STREAMS)('a stream %s', (_what, open) => {
  const ends: readonly [string, () => string, () => Promise<unknown>][] = [
    ['of a revoked key', () => key, () => revokeKey(world.ports, { uid: 'ada', keyId })],
    [
      'of a login on a revoked key',
      () => login.bearer(),
      () => revokeKey(world.ports, { uid: 'ada', keyId }),
    ],
    ['of an ended login', () => login.bearer(), () => world.ports.logins.end(login.id)],
  ]

  test.each(ends)('%s ends', async (_whose, bearer, end) => {
    const { done } = open(bearer())
    await world.clock.settle()
    await world.clock.advance(2 * HEARTBEAT_MS)
    expect(whys()).toEqual([])
    await end()
    await world.clock.advance(KEY_CACHE_MS + HEARTBEAT_MS)
    await done
    expect(whys()).toEqual(['key-revoked'])
    expect(await world.ports.leases.list(world.clock.nowMs())).toEqual([])
    expect(world.clock.sleepers()).toBe(0)
  })

  test('of a login whose token was replaced goes on', async () => {
    const { done, out } = open(login.bearer())
    await world.clock.settle()
    await world.ports.keys.changeScope({ uid: 'ada', keyHash: keyId, change: {} })
    await world.clock.advance(KEY_CACHE_MS + HEARTBEAT_MS)
    expect(whys()).toEqual([])
    out.destroy()
    await world.clock.settle()
    await done
  })
})

function whys(): unknown[] {
  return world.log.notes
    .filter(({ event }) => event === 'stream-ended')
    .map(({ fields }) => fields?.['why'])
}
