import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { openSession } from '../../../../core/flow/sse/open-session.ts'
import type { StreamLease } from '../../../../core/session/session.ts'
import { openStream, postTo } from '../client.ts'
import { START_MS } from '../manual-clock.ts'
import { keyFor, makeWorld, okOf, refusalOf, SETTINGS, type World } from '../world.ts'

const DAY_MS = 86_400_000
/** By then every opener that waits for younger ones has decided. */
const CONTEST_MS = 3_000

function open(world: World, authorization: string | undefined) {
  return openSession(world.ports, world.settings, credentialOf(authorization))
}

async function isOpen(world: World, sessionId: string): Promise<boolean> {
  const posted = await postTo(world, sessionId, { jsonrpc: '2.0', method: 'notifications/x' })
  return posted === 'accepted'
}

function post(world: World, sessionId: string) {
  return postTo(world, sessionId, { jsonrpc: '2.0', method: 'notifications/x' })
}

function leases(world: World) {
  return world.ports.leases.list(world.clock.nowMs())
}

describe('the right to open a stream', () => {
  test('the owner of a key opens a stream, and its identity is locked', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const { session, sessionId, lease } = okOf(await open(world, ada))
    expect(sessionId).toMatch(/^[A-Za-z0-9_-]{43}$/)
    expect(session.uid).toBe('ada')
    expect(session.keyHash).toBe(world.ports.digests.sha256(ada.slice('Bearer '.length)))
    expect(session.hash).toBe(world.ports.digests.sha256(sessionId))
    expect(lease.expiresAtMs).toBe(START_MS + 75_000)
    expect(await leases(world)).toEqual([lease])
  })

  test('a client without a key opens a stream', async () => {
    const world = makeWorld()
    const { session } = okOf(await open(world, undefined))
    expect([session.uid, session.keyHash]).toEqual([undefined, 'anonymous'])
    const record = await world.ports.sessions.read(session.hash)
    expect(record).toMatchObject({ keyHash: 'anonymous', sealedCredential: undefined })
  })

  test('a client without a key opens a stream only where the stage allows it', async () => {
    const streams = { ...SETTINGS.streams, anonymousMax: 0 }
    const world = makeWorld({ ...SETTINGS, streams })
    const refusal = refusalOf(await open(world, undefined))
    expect(refusal.code).toBe('unauthenticated')
    expect(refusal.detail).toContain('takes no anonymous streams')
    expect(await leases(world)).toEqual([])
  })

  test.each([
    ['an unknown key', `Bearer sgk_${'a'.repeat(43)}`, 'unknown or expired'],
    ['something that is no key', 'Bearer hunter2', 'not a Skillgate API key'],
    ['another scheme', 'Basic YTpi', 'not of the scheme Bearer'],
    ['an empty header', '', 'is empty'],
  ])('a client that sends %s opens no stream', async (_what, header, why) => {
    const world = makeWorld()
    const refusal = refusalOf(await open(world, header))
    expect(refusal.code).toBe('unauthenticated')
    expect(refusal.detail).toContain(why)
    expect(await leases(world)).toEqual([])
  })

  test('a key is good for 30 days less a moment, and not for 30 days', async () => {
    const world = makeWorld()
    const [ada, bob] = [await world.user('ada'), await world.user('bob')]
    world.clock.jump(30 * DAY_MS - 1)
    expect((await open(world, ada)).ok).toBe(true)
    world.clock.jump(1)
    expect(refusalOf(await open(world, bob)).detail).toContain('unknown or expired')
  })

  test('use renews a key after a day, and at most once a day', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const keyHash = world.ports.digests.sha256(ada.slice('Bearer '.length))
    const expiresIn = async () =>
      ((await world.ports.keys.find(keyHash))?.expiresAtMs ?? 0) - START_MS
    world.clock.jump(DAY_MS - 1)
    await open(world, ada)
    expect(await expiresIn()).toBe(30 * DAY_MS)
    world.clock.jump(1)
    await open(world, ada)
    expect(await expiresIn()).toBe(31 * DAY_MS)
    world.clock.jump(DAY_MS - 1)
    await open(world, ada)
    expect(await expiresIn()).toBe(31 * DAY_MS)
  })

  test('a key whose renewal fails still opens its stream', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    world.clock.jump(DAY_MS)
    world.ports.keys = { ...world.ports.keys, renew: () => Promise.reject(new Error('down')) }
    expect((await open(world, ada)).ok).toBe(true)
    expect(world.log.events()).toContain('key-renewal-failed')
  })
})

describe('a copy of the store', () => {
  test('contains neither the session id nor the key', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const { session, sessionId } = okOf(await open(world, ada))
    expect(session).not.toHaveProperty('sealedCredential')
    const record = await world.ports.sessions.read(session.hash)
    const sealed = Buffer.from(record?.sealedCredential ?? [])
    expect(sealed.length).toBeGreaterThan(40)
    expect(sealed.includes(ada)).toBe(false)
    expect(JSON.stringify(record)).not.toContain(sessionId)
    expect(() => world.ports.seals.open(session.hash, 'credential', sealed)).toThrow()
    expect(JSON.parse(world.ports.seals.open(sessionId, 'credential', sealed))).toEqual(
      credentialOf(ada),
    )
  })
})

describe('the limit of streams of a key', () => {
  async function opened(world: World, authorization: string, count: number) {
    const ids: string[] = []
    for (let n = 0; n < count; n += 1) {
      ids.push(okOf(await open(world, authorization)).sessionId)
      world.clock.jump(10)
    }
    return ids
  }

  test('the 20th stream of a key fits and ends none', async () => {
    const world = makeWorld()
    const ids = await opened(world, await world.user('ada'), 20)
    expect(await leases(world)).toHaveLength(20)
    expect(await isOpen(world, ids[0] ?? '')).toBe(true)
  })

  test('the 21st stream of a key ends the one that is longest without a POST', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const ids = await opened(world, ada, 20)
    for (const id of ids) if (id !== ids[7]) await post(world, id)
    world.clock.jump(60_000)
    const late = okOf(await open(world, ada))
    expect(await isOpen(world, late.sessionId)).toBe(true)
    const open20 = await Promise.all(ids.map((id) => isOpen(world, id)))
    expect(open20.map((one, at) => (one ? -1 : at)).filter((at) => at >= 0)).toEqual([7])
    expect(await leases(world)).toHaveLength(20)
  })

  test('the older stream ends when a newer one takes its place', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const first = await openStream(world, ada)
    await world.clock.advance(10)
    await opened(world, ada, 20)
    await world.clock.advance(250)
    expect(first.why()).toBe('ended-elsewhere')
  })

  test('the 21st stream of a key is refused if all 20 had a POST within 60 s', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const ids = await opened(world, ada, 20)
    world.clock.jump(1)
    for (const id of ids) await post(world, id)
    world.clock.jump(59_999)
    const refusal = refusalOf(await open(world, ada))
    expect(refusal).toMatchObject({ code: 'too_many_streams', retryAfterSec: 60 })
    expect(refusal.detail).toContain('20 open streams')
    expect(await leases(world)).toHaveLength(20)
    world.clock.jump(1)
    expect((await open(world, ada)).ok).toBe(true)
  })

  test('another key of the same user has places of its own', async () => {
    const world = makeWorld()
    const ids = await opened(world, await world.user('ada'), 20)
    expect((await open(world, await keyFor(world, 'ada'))).ok).toBe(true)
    expect(await isOpen(world, ids[0] ?? '')).toBe(true)
  })

  test('25 streams opened at once leave at most 20', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const opening = Promise.all(Array.from({ length: 25 }, () => open(world, ada)))
    await world.clock.advance(CONTEST_MS)
    const all = await opening
    const ids = all.flatMap((one) => (one.ok ? [one.value.sessionId] : []))
    const still = (await Promise.all(ids.map((id) => isOpen(world, id)))).filter((one) => one)
    expect(still.length).toBeLessThanOrEqual(20)
    expect(still.length).toBeGreaterThanOrEqual(15)
    expect((await leases(world)).length).toBe(still.length)
  })

  test('the older of two streams that overlap at the last place waits until the younger is refused', async () => {
    const world = makeWorld({ ...SETTINGS, streams: { ...SETTINGS.streams, totalMax: 1 } })
    const [ada, bob] = [await world.user('ada'), await world.user('bob')]
    const { put } = world.ports.leases
    // The older one's lease is written after the younger one's.
    const slow = {
      ...world.ports.leases,
      put: async (lease: StreamLease) => {
        await world.clock.sleep(20)
        await put(lease)
      },
    }
    const older = openSession({ ...world.ports, leases: slow }, world.settings, credentialOf(ada))
    await world.clock.settle()
    world.clock.jump(10)
    const early = {
      ...world.ports.leases,
      list: async (nowMs: number) => {
        await world.clock.sleep(50)
        return world.ports.leases.list(nowMs)
      },
    }
    const younger = openSession(
      { ...world.ports, leases: early },
      world.settings,
      credentialOf(bob),
    )
    await world.clock.advance(1_000)
    expect(refusalOf(await younger).code).toBe('too_many_streams')
    expect((await older).ok).toBe(true)
    expect(await leases(world)).toHaveLength(1)
  })

  test('the older of two that overlap is refused when the younger one stays', async () => {
    const world = makeWorld({ ...SETTINGS, streams: { ...SETTINGS.streams, totalMax: 1 } })
    const [ada, bob] = [await world.user('ada'), await world.user('bob')]
    const { put } = world.ports.leases
    const slow = {
      ...world.ports.leases,
      put: async (lease: StreamLease) => {
        await world.clock.sleep(20)
        await put(lease)
      },
    }
    const older = openSession({ ...world.ports, leases: slow }, world.settings, credentialOf(ada))
    await world.clock.settle()
    world.clock.jump(10)
    expect((await openSession(world.ports, world.settings, credentialOf(bob))).ok).toBe(true)
    await world.clock.advance(CONTEST_MS)
    expect(refusalOf(await older).code).toBe('too_many_streams')
    expect(await leases(world)).toHaveLength(1)
  })

  test('an opener whose lease another has removed is refused', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const { list, listOfKey, remove } = world.ports.leases
    const removeAll = async (nowMs: number) => {
      for (const lease of await list(nowMs)) await remove(lease)
    }
    world.ports.leases = {
      ...world.ports.leases,
      list: async (nowMs) => {
        await removeAll(nowMs)
        return list(nowMs)
      },
      listOfKey: async (keyHash, nowMs) => {
        await removeAll(nowMs)
        return listOfKey(keyHash, nowMs)
      },
    }
    expect(refusalOf(await open(world, ada)).code).toBe('too_many_streams')
    expect(await leases(world)).toHaveLength(0)
  })

  test('a stream whose lease ran out takes no place', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    await opened(world, ada, 20)
    world.clock.jump(75_000)
    await open(world, ada)
    expect(await leases(world)).toHaveLength(1)
  })
})

describe('the limit of all streams', () => {
  test('7 anonymous streams are served, and the 8th is refused and leaves nothing behind', async () => {
    const world = makeWorld()
    for (let n = 0; n < 7; n += 1) {
      okOf(await open(world, undefined))
      world.clock.jump(1)
    }
    const refusal = refusalOf(await open(world, undefined))
    expect(refusal).toMatchObject({ code: 'too_many_streams', retryAfterSec: 60 })
    expect(refusal.detail).toBe('All 7 places for anonymous streams are taken. Try again later.')
    expect(await leases(world)).toHaveLength(7)
    expect((await open(world, await world.user('ada'))).ok).toBe(true)
  })

  test('70 streams are served, and the 71st is refused even for a key that has none', async () => {
    const world = makeWorld()
    const keys = await Promise.all(['a', 'b', 'c', 'd'].map((uid) => world.user(uid)))
    for (let n = 0; n < 70; n += 1) {
      okOf(await open(world, keys[n % 4]))
      world.clock.jump(1)
    }
    const refusal = refusalOf(await open(world, await world.user('eve')))
    expect(refusal.detail).toBe('All 70 places for streams are taken. Try again later.')
    expect(await leases(world)).toHaveLength(70)
    expect(world.log.events()).toContain('streams-full')
  })
})

describe('the limit of openings in a minute', () => {
  test('a key opens 30 streams a minute, and the 31st is refused until the minute is over', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    for (let n = 0; n < 30; n += 1) {
      world.clock.jump(1)
      okOf(await open(world, ada))
    }
    const before = await leases(world)
    expect(refusalOf(await open(world, ada))).toMatchObject({
      code: 'rate_limited',
      retryAfterSec: 40,
    })
    expect(await leases(world)).toEqual(before)
    world.clock.jump(1)
    expect((await open(world, await keyFor(world, 'ada'))).ok).toBe(true)
    world.clock.jump(40_000)
    expect((await open(world, ada)).ok).toBe(true)
  })

  test('clients without a key open 60 streams a minute, all of them together', async () => {
    const world = makeWorld()
    const codes: string[] = []
    for (let n = 0; n < 61; n += 1) {
      world.clock.jump(1)
      const one = await open(world, undefined)
      codes.push(one.ok ? 'opened' : one.error.code)
    }
    expect([codes[59], codes[60]]).toEqual(['too_many_streams', 'rate_limited'])
  })
})
