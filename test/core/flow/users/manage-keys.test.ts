import { describe, expect, test } from 'vitest'
import { issueKey, listKeys, revokeKey } from '../../../../core/flow/users/manage-keys.ts'
import { isJsonObject, type JsonObject } from '../../../../core/json/json.ts'
import { run } from '../caller.ts'
import { call, openStream, request, textOf } from '../client.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

const DAY_MS = 86_400_000
const ALL = { limit: undefined, cursor: undefined }

/** Issues `count` keys to bob, a minute apart; returns their ids, newest first. */
async function withKeys(count: number) {
  const world = makeWorld()
  await world.user('bob')
  const [first] = okOf(await listKeys(world.ports, 'bob', ALL)).keys
  const keyIds = [first?.keyId ?? '']
  for (let n = 1; n < count; n += 1) {
    world.clock.jump(60_000)
    keyIds.unshift(okOf(await issueKey(world.ports, 'bob')).keyId)
  }
  return { world, keyIds }
}

describe('a key', () => {
  test('is shown once and stored as its hash', async () => {
    const world = makeWorld()
    await world.user('ada')
    const issued = okOf(await issueKey(world.ports, 'ada'))
    expect(issued.key).toMatch(/^sgk_[A-Za-z0-9_-]{43}$/)
    const record = await world.ports.keys.find(issued.keyId)
    expect(record).toMatchObject({ uid: 'ada', username: 'ada', keyPrefix: issued.key.slice(0, 8) })
    expect(JSON.stringify(record)).not.toContain(issued.key)
    expect(issued.expiresAtMs - world.clock.nowMs()).toBe(2_592_000_000)
  })

  test('is issued to existing users only', async () => {
    expect(refusalOf(await issueKey(makeWorld().ports, 'eve')).code).toBe('not_found')
  })
})

describe("a user's keys", () => {
  test('are listed newest first, with what tells them apart and never a key', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    world.clock.jump(60_000)
    const second = okOf(await issueKey(world.ports, 'ada'))
    const { keys } = okOf(await listKeys(world.ports, 'ada', ALL))
    expect(keys).toEqual([
      {
        keyId: second.keyId,
        keyPrefix: second.keyPrefix,
        createdAtMs: START_MS + 60_000,
        lastUsedAtMs: START_MS + 60_000,
        expiresAtMs: START_MS + 60_000 + 30 * DAY_MS,
      },
      {
        keyId: world.ports.digests.sha256(ada.slice('Bearer '.length)),
        keyPrefix: ada.slice('Bearer '.length, 'Bearer '.length + 8),
        createdAtMs: START_MS,
        lastUsedAtMs: START_MS,
        expiresAtMs: START_MS + 30 * DAY_MS,
      },
    ])
  })

  test('show the day of their last use', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    world.clock.jump(3 * DAY_MS)
    await openStream(world, ada)
    const { keys } = okOf(await listKeys(world.ports, 'ada', ALL))
    expect(keys[0]).toMatchObject({
      createdAtMs: START_MS,
      lastUsedAtMs: START_MS + 3 * DAY_MS,
      expiresAtMs: START_MS + 33 * DAY_MS,
    })
  })

  test('are paged, 100 at most', async () => {
    const { world, keyIds } = await withKeys(101)
    const first = okOf(await listKeys(world.ports, 'bob', ALL))
    expect(first.keys.map(({ keyId }) => keyId)).toEqual(keyIds.slice(0, 100))
    const next = { limit: '100', cursor: first.nextCursor }
    const second = okOf(await listKeys(world.ports, 'bob', next))
    expect(second.keys.map(({ keyId }) => keyId)).toEqual(keyIds.slice(100))
    expect(second.nextCursor).toBeUndefined()
  })

  test('continue after a key that was revoked between two pages', async () => {
    const { world, keyIds } = await withKeys(4)
    const first = okOf(await listKeys(world.ports, 'bob', { limit: '2', cursor: undefined }))
    await revokeKey(world.ports, { uid: 'bob', keyId: keyIds[1] ?? '' })
    const rest = okOf(await listKeys(world.ports, 'bob', { limit: '2', cursor: first.nextCursor }))
    expect(rest.keys.map(({ keyId }) => keyId)).toEqual(keyIds.slice(2))
  })

  test.each([
    [{ limit: '0' }, 'limit: must be a whole number from 1 to 100.'],
    [{ limit: '101' }, 'limit: must be a whole number from 1 to 100.'],
    [{ cursor: 'x' }, '/query/cursor: must be the nextCursor of an earlier answer'],
    [{ cursor: '' }, '/query/cursor: must be the nextCursor of an earlier answer'],
  ])('are refused for the query %j', async (query, why) => {
    const { world } = await withKeys(1)
    const refusal = refusalOf(await listKeys(world.ports, 'bob', { ...ALL, ...query }))
    expect([refusal.code, refusal.detail.startsWith(why)]).toEqual(['malformed', true])
  })

  test('are refused for an unknown user', async () => {
    expect(refusalOf(await listKeys(makeWorld().ports, 'eve', ALL)).code).toBe('not_found')
  })
})

describe('a revoked key', () => {
  const keyIdOf = (world: World, authorization: string) =>
    world.ports.digests.sha256(authorization.slice('Bearer '.length))

  test('is gone from the list, and cannot be revoked again, nor in the name of another user', async () => {
    const world = makeWorld()
    const [ada] = [await world.user('ada'), await world.user('bob')]
    const keyId = keyIdOf(world, ada)
    expect(refusalOf(await revokeKey(world.ports, { uid: 'bob', keyId })).code).toBe('not_found')
    expect(okOf(await listKeys(world.ports, 'ada', ALL)).keys).toHaveLength(1)
    expect((await revokeKey(world.ports, { uid: 'ada', keyId })).ok).toBe(true)
    expect(okOf(await listKeys(world.ports, 'ada', ALL)).keys).toEqual([])
    expect(refusalOf(await revokeKey(world.ports, { uid: 'ada', keyId })).code).toBe('not_found')
  })

  test('is the one that its id names, and no other', async () => {
    const world = makeWorld()
    await world.user('ada')
    for (const keyId of ['', 'x', 'a'.repeat(43), 'a'.repeat(44), 'a/../b']) {
      expect(refusalOf(await revokeKey(world.ports, { uid: 'ada', keyId })).code).toBe('not_found')
    }
  })

  test('opens no stream and calls no tool any more', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    await world.skill('sg_weather')
    okOf(await revokeKey(world.ports, { uid: 'ada', keyId: keyIdOf(world, ada) }))
    const answer = await run(world, ada, 'sg_weather')
    expect(answer.body).toMatchObject({ status: 401, code: 'unauthenticated' })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    await expect(openStream(world, ada)).rejects.toThrow('unknown or expired')
  })

  test('leaves its open stream open, without private tools and without calls', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    await world.skill('sg_weather')
    await world.skill('sg_mine', { source: 'private', uid: 'ada' })
    const stream = await openStream(world, ada)
    const ask = async (message: JsonObject) => {
      await stream.post(message)
      await world.clock.advance(250)
      return stream.withId(message['id'] ?? null)[0]
    }
    expect(JSON.stringify(await ask(request(1, 'tools/list')))).toContain('"ada_sg_mine"')
    okOf(await revokeKey(world.ports, { uid: 'ada', keyId: keyIdOf(world, ada) }))
    const listed = JSON.stringify(await ask(request(2, 'tools/list')))
    expect(listed).toContain('"sg_weather"')
    expect(listed).not.toContain('ada_sg_mine')
    for (const [id, tool] of [
      [3, 'ada_sg_mine'],
      [4, 'sg_weather'],
      [5, 'sg_usage'],
    ] as const) {
      const answer = await ask(call(id, tool))
      const result = answer?.['result']
      expect(isJsonObject(result) && result['isError']).toBe(true)
      expect(textOf(answer)).toContain('unknown or expired')
    }
    expect(stream.why()).toBeUndefined()
    expect(world.upstream.requests).toEqual([])
  })
})
