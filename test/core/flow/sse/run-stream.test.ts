import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { Fault } from '../../../../core/errors.ts'
import { announceChange } from '../../../../core/flow/registry/change-tool-list.ts'
import { openSession } from '../../../../core/flow/sse/open-session.ts'
import { openBells } from '../../../../core/session/bells.ts'
import type { SessionNews } from '../../../../core/session/session.ts'
import { LIST_VERSION_AGE_MS_MAX } from '../../../../core/session/stream-plan.ts'
import {
  type AgentStream,
  call,
  cancelled,
  openStream,
  request,
  streamOf,
  textOf,
} from '../client.ts'
import { START_MS } from '../manual-clock.ts'
import { makeWorld, okOf, type World } from '../world.ts'

const PING = { jsonrpc: '2.0', method: 'ping' }
const LIST_CHANGED = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' }

async function opened(more: { credits?: number; deadlineMs?: number } = {}) {
  const world = makeWorld()
  const ada = await world.user('ada', { credits: more.credits ?? 100 })
  await world.skill('sg_weather')
  const { deadlineMs } = more
  const stream = await openStream(world, ada, deadlineMs === undefined ? {} : { deadlineMs })
  return { world, ada, stream }
}

function pings(stream: AgentStream) {
  return stream.messages().filter((one) => one['method'] === 'ping')
}

async function record(world: World, stream: AgentStream) {
  return world.ports.sessions.read(stream.opened.session.hash)
}

function fault() {
  return Promise.reject(new Fault('store_unavailable', 'the store is down'))
}

/** Makes looks for a changed list hang; returns what ends them. */
function hangingLook(world: World): () => void {
  const { recent } = world.ports.toolListVersion
  const later = Promise.withResolvers<void>()
  world.ports.toolListVersion.recent = async () => {
    await later.promise
    return recent()
  }
  return later.resolve
}

describe('the first block', () => {
  // Holds: SSE-2
  test('comes at once, in one piece, and names where to post', async () => {
    const { stream } = await opened()
    expect(stream.blocks).toEqual([
      `retry: 1000\nevent: endpoint\ndata: /v1/mcp/messages?session_id=${stream.opened.sessionId}\n\n`,
    ])
  })
})

describe('heartbeats', () => {
  test('come every 5 s', async () => {
    const { world, stream } = await opened()
    await world.clock.advance(4_999)
    expect(stream.heartbeats()).toBe(0)
    await world.clock.advance(1)
    expect(stream.heartbeats()).toBe(1)
    await world.clock.advance(50_000)
    expect(stream.heartbeats()).toBe(11)
  })

  test('go on while the store hangs', async () => {
    const { world, stream } = await opened()
    const never = () => new Promise<never>(() => {})
    world.ports.toolListVersion = { ...world.ports.toolListVersion, recent: never }
    world.ports.sessions = { ...world.ports.sessions, renew: never }
    await world.clock.advance(60_000)
    expect(stream.heartbeats()).toBe(12)
  })

  test('go on while a void hangs', async () => {
    const { world, stream } = await opened()
    world.down.work = true
    world.ports.execute = { ...world.ports.execute, voidCall: () => new Promise(() => {}) }
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(30_000)
    expect(stream.heartbeats()).toBe(6)
  })

  test('go on for a reader that stopped reading, until it is found dead', async () => {
    const { world, stream } = await opened()
    stream.stall()
    await stream.post(request(1, 'ping'))
    await world.clock.advance(180_000)
    expect(stream.why()).toBe('idle')
  })

  test('keep their rhythm after replies in between', async () => {
    const { world, stream } = await opened()
    await world.clock.advance(3_000)
    await stream.post(request(1, 'ping'))
    await world.clock.advance(1_999)
    expect(stream.heartbeats()).toBe(0)
    await world.clock.advance(1)
    expect(stream.heartbeats()).toBe(1)
  })

  test('go on while the store fails, which ends no stream', async () => {
    const { world, stream } = await opened()
    world.ports.toolListVersion = { ...world.ports.toolListVersion, recent: fault }
    world.ports.sessions = { ...world.ports.sessions, renew: fault }
    await world.clock.advance(59_000)
    expect([stream.heartbeats(), stream.why()]).toEqual([11, undefined])
    expect(world.log.events()).toContain('stream-action-failed')
  })
})

describe('replies', () => {
  // Holds: SSE-3
  test('arrive in the order in which they are ready, each once', async () => {
    const { world, stream } = await opened()
    world.upstream.next({ kind: 'answer', afterMs: 900 }, { kind: 'answer', afterMs: 300 })
    await stream.post(call('slow', 'sg_weather'))
    await stream.post(call('quick', 'sg_weather'))
    await stream.post(request('now', 'ping'))
    await world.clock.advance(4_000)
    const order = stream.messages().map((one) => one['id'])
    expect(order).toEqual(['now', 'quick', 'slow'])
  })

  test('reach only the session that asked', async () => {
    const { world, stream } = await opened()
    const other = await openStream(world, await world.user('bob'))
    await stream.post(request(1, 'ping'))
    await other.post(request(2, 'ping'))
    await world.clock.advance(1_000)
    expect(stream.messages().map((one) => one['id'])).toEqual([1])
    expect(other.messages().map((one) => one['id'])).toEqual([2])
  })

  test('100 requests at full speed are all answered, since delivered ones no longer count as in flight', async () => {
    const { world, stream } = await opened()
    for (let id = 1; id <= 100; id += 1) {
      await stream.post(request(id, 'ping'))
      await world.clock.advance(20)
    }
    const errors = stream.messages().filter((one) => one['error'] !== undefined)
    expect([stream.messages().length, errors]).toEqual([100, []])
  })

  test('a tombstone writes nothing', async () => {
    const { world, stream } = await opened()
    world.upstream.always({ kind: 'hang' })
    await stream.post(call(7, 'sg_weather'))
    await stream.post(cancelled(7))
    await world.clock.advance(30_000)
    expect(stream.withId(7)).toEqual([])
  })

  test('a reply that cannot be opened becomes an error, and its call is voided', async () => {
    const { world, stream } = await opened()
    const { append } = world.ports.replies
    world.ports.replies = {
      ...world.ports.replies,
      append: (reply) => append({ ...reply, sealed: new Uint8Array([9, 9, 9]) }),
    }
    await stream.post(call(7, 'sg_weather'))
    await world.clock.advance(1_000)
    expect(stream.withId(7)).toHaveLength(1)
    expect(stream.withId(7)[0]).toHaveProperty('error')
    expect(world.log.events()).toContain('reply-not-readable')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('delivered requests', () => {
  test('are forgotten by the record in eights', async () => {
    const { world, stream } = await opened()
    for (let id = 1; id <= 7; id += 1) await stream.post(request(id, 'ping'))
    await world.clock.advance(1_000)
    expect((await record(world, stream))?.base).toBe(0)
    await stream.post(request(8, 'ping'))
    await world.clock.advance(1_000)
    expect(await record(world, stream)).toMatchObject({ seq: 8, base: 8, pending: [] })
  })

  test('forgetting costs one write each time, however late the tail sees the request', async () => {
    const { world, stream } = await opened()
    let writes = 0
    const { forget } = world.ports.sessions
    world.ports.sessions = {
      ...world.ports.sessions,
      forget: (what) => {
        writes += 1
        return forget(what)
      },
    }
    for (let id = 1; id <= 40; id += 1) await stream.post(request(id, 'ping'))
    await world.clock.advance(30_000)
    expect(writes).toBe(5)
  })
})

describe('a request that nobody answers', () => {
  test('a request without a reply gets an error after 16 s, not before, and once', async () => {
    const { world, stream } = await opened()
    world.down.work = true
    await world.clock.advance(2_500)
    await stream.post(request('lost', 'tools/list'))
    await world.clock.advance(15_999)
    expect(stream.withId('lost')).toEqual([])
    await world.clock.advance(1)
    expect(stream.withId('lost')).toEqual([
      {
        jsonrpc: '2.0',
        id: 'lost',
        error: { code: -32603, message: 'Nobody answered this request in time. Send it again.' },
      },
    ])
    await world.clock.advance(60_000)
    expect(stream.withId('lost')).toHaveLength(1)
  })

  test('a call among them is voided: it costs nothing even if it had settled', async () => {
    const { world, stream } = await opened()
    const { append } = world.ports.replies
    world.ports.replies = {
      ...world.ports.replies,
      append: async (reply) => {
        // The function that worked on it dies before it can write its reply.
        if (world.clock.nowMs() < START_MS + 16_000) return new Promise(() => {})
        return append(reply)
      },
    }
    await stream.post(call(1, 'sg_weather'))
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
    await world.clock.advance(16_000)
    expect(JSON.stringify(stream.withId(1))).toContain('its credits are given back')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('the late reply of an overdue request is not delivered, and its call stays free', async () => {
    const { world, stream } = await opened()
    const { handOn } = world.ports.messages
    world.ports.messages = {
      handOn: async (message) => {
        void world.clock.sleep(17_000).then(() => handOn(message))
      },
    }
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(40_000)
    expect(stream.withId(1)).toHaveLength(1)
    expect(stream.withId(1)[0]).toHaveProperty('error')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a call whose reply was stored is not overdue, however long the reader stops reading', async () => {
    const { world, stream } = await opened()
    stream.stall()
    await stream.post(call(1, 'sg_weather'))
    await stream.post(call(2, 'sg_weather'))
    await world.clock.advance(30_000)
    stream.resume()
    await world.clock.advance(1_000)
    const texts = [1, 2].map((id) => stream.withId(id).map(textOf))
    expect(texts).toEqual([['{"sunny":true}'], ['{"sunny":true}']])
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a void that fails is tried again until it works, and once', async () => {
    const { world, stream } = await opened()
    let voids = 0
    const { voidCall } = world.ports.execute
    world.ports.execute = {
      ...world.ports.execute,
      voidCall: (what) => {
        voids += 1
        return voidCall(what)
      },
    }
    world.down.work = true
    world.down.voids = true
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(40_000)
    expect(stream.withId(1)).toHaveLength(1)
    expect(voids).toBeGreaterThanOrEqual(5)
    world.down.voids = false
    await world.clock.advance(5_000)
    voids = 0
    await world.clock.advance(60_000)
    expect(voids).toBe(0)
  })

  test('voids are tried for 60 s; then it is logged that one was lost', async () => {
    const { world, stream } = await opened()
    world.down.work = true
    world.down.voids = true
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(75_999)
    expect(world.log.events()).not.toContain('void-lost')
    await world.clock.advance(4_001)
    expect(world.log.events().filter((event) => event === 'void-lost')).toHaveLength(1)
  })

  test('a void that is owed when the stream ends is tried once more', async () => {
    const { world, stream } = await opened()
    const { append } = world.ports.replies
    world.ports.replies = {
      ...world.ports.replies,
      append: (reply) =>
        world.clock.nowMs() < START_MS + 16_000 ? new Promise(() => {}) : append(reply),
    }
    await stream.post(call(1, 'sg_weather'))
    world.down.voids = true
    await world.clock.advance(16_000)
    world.down.voids = false
    stream.close()
    await world.clock.settle()
    expect(stream.why()).toBe('closed')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('an anonymous call has nothing to be voided', async () => {
    const world = makeWorld()
    const stream = await openStream(world, undefined)
    world.down.work = true
    world.down.voids = true
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(16_000)
    expect(stream.withId(1)).toHaveLength(1)
  })
})

describe('a quiet stream', () => {
  // Holds: LIFE-8, PING-2
  test('is pinged after 60 s and 120 s, and ends after 180 s', async () => {
    const { world, stream } = await opened()
    await world.clock.advance(59_999)
    expect(pings(stream)).toEqual([])
    await world.clock.advance(1)
    expect(pings(stream)).toMatchObject([PING])
    await world.clock.advance(60_000)
    expect(pings(stream)).toHaveLength(2)
    expect(new Set(pings(stream).map((one) => one['id'])).size).toBe(2)
    await world.clock.advance(59_999)
    expect(stream.why()).toBeUndefined()
    await world.clock.advance(1)
    expect(stream.why()).toBe('idle')
  })

  test('an answer to a ping counts as life and is never answered', async () => {
    const { world, stream } = await opened()
    await world.clock.advance(170_000)
    const id = pings(stream)[1]?.['id'] ?? null
    expect(await stream.post({ jsonrpc: '2.0', id, result: {} })).toBe('accepted')
    const before = stream.messages().length
    await world.clock.advance(55_000)
    expect(stream.messages().slice(before)).toEqual([])
    await world.clock.advance(5_000)
    expect(pings(stream)).toHaveLength(3)
    await world.clock.advance(119_999)
    expect(stream.why()).toBeUndefined()
    await world.clock.advance(1)
    expect(stream.why()).toBe('idle')
  })

  test('an error as the answer to a ping counts as life too', async () => {
    const { world, stream } = await opened()
    await world.clock.advance(65_000)
    const id = pings(stream)[0]?.['id'] ?? null
    const error = { code: -32601, message: 'no such method' }
    expect(await stream.post({ jsonrpc: '2.0', id, error })).toBe('accepted')
    await world.clock.advance(120_000)
    expect(stream.why()).toBeUndefined()
  })

  test('without a key is pinged after 30 s, and ends after 60 s', async () => {
    const world = makeWorld()
    const stream = await openStream(world, undefined)
    await world.clock.advance(10_000)
    await stream.post(request(1, 'ping'))
    await world.clock.advance(29_999)
    expect(pings(stream)).toEqual([])
    await world.clock.advance(1)
    expect(pings(stream)).toMatchObject([PING])
    await world.clock.advance(29_999)
    expect([stream.why(), pings(stream).length]).toEqual([undefined, 1])
    await world.clock.advance(1)
    expect(stream.why()).toBe('idle')
  })

  test('a stream without a key stays open while its pings are answered', async () => {
    const world = makeWorld()
    const stream = await openStream(world, undefined)
    for (let answered = 1; answered <= 5; answered += 1) {
      await world.clock.advance(40_000)
      expect(pings(stream)).toHaveLength(answered)
      const id = pings(stream).at(-1)?.['id'] ?? null
      expect(await stream.post({ jsonrpc: '2.0', id, result: {} })).toBe('accepted')
    }
    expect(stream.why()).toBeUndefined()
  })
})

describe('the end', () => {
  test('writes endedAt, frees the lease and leaves nothing running', async () => {
    const { world, stream } = await opened()
    await world.clock.advance(1_000)
    stream.close()
    await world.clock.settle()
    expect(stream.why()).toBe('closed')
    expect((await record(world, stream))?.endedAtMs).toBe(START_MS + 1_000)
    expect(await world.ports.leases.list(world.clock.nowMs())).toEqual([])
    expect(world.clock.sleepers()).toBe(0)
    expect(await stream.post(request(1, 'ping'))).toMatchObject({
      kind: 'problem',
      refusal: { code: 'not_found' },
    })
  })

  test('comes at once for a peer that was gone before the stream began', async () => {
    const world = makeWorld()
    const session = okOf(
      await openSession(world.ports, world.settings, credentialOf(await world.user('ada'))),
    )
    const outlet = { write: async () => {}, closed: AbortSignal.abort(), deadlineMs: undefined }
    const { runStream } = await import('../../../../core/flow/sse/run-stream.ts')
    expect(await runStream(world.ports, session, outlet, '/x')).toBe('closed')
    expect(world.clock.sleepers()).toBe(0)
    expect(await world.ports.leases.list(world.clock.nowMs())).toEqual([])
  })

  test('comes when the record is gone', async () => {
    const { world, stream } = await opened()
    world.ports.sessions = { ...world.ports.sessions, renew: async () => {} }
    world.clock.jump(3_675_000)
    await world.clock.advance(5_000)
    expect(['gone', 'idle']).toContain(stream.why())
    expect(world.clock.sleepers()).toBe(0)
  })

  test('the stream ends even where the store takes neither endedAt nor the lease', async () => {
    const { world, stream } = await opened()
    world.ports.sessions = { ...world.ports.sessions, end: fault }
    world.ports.leases = { ...world.ports.leases, remove: fault }
    stream.close()
    await world.clock.settle()
    expect(stream.why()).toBe('closed')
    const unwritten = world.log.events().filter((event) => event === 'stream-end-not-written')
    expect(unwritten).toHaveLength(2)
  })

  test('a renewal that is under way does not bring the lease back', async () => {
    const { world, stream } = await opened()
    const { renew } = world.ports.leases
    world.ports.leases = {
      ...world.ports.leases,
      renew: async (lease) => {
        await world.clock.sleep(2_000)
        return renew(lease)
      },
    }
    await world.clock.advance(30_000)
    stream.close()
    await world.clock.advance(10_000)
    expect(stream.why()).toBe('closed')
    expect(await world.ports.leases.list(world.clock.nowMs())).toEqual([])
  })

  test('after a bug the session is ended too, and the bug is thrown', async () => {
    const { world, stream } = await opened()
    world.ports.toolListVersion = {
      ...world.ports.toolListVersion,
      recent: () => Promise.reject(new TypeError('a bug')),
    }
    await world.clock.advance(5_000)
    await expect(stream.ended).rejects.toThrow('a bug')
    expect((await record(world, stream))?.endedAtMs).toBe(START_MS + 5_000)
    expect(world.clock.sleepers()).toBe(0)
  })
})

describe('the renewal of a stream', () => {
  test('the stream renews its session and its lease for 75 s, every 30 s', async () => {
    const { world, stream } = await opened()
    const until = async () => [
      ((await record(world, stream))?.aliveUntilMs ?? 0) - START_MS,
      ...(await world.ports.leases.list(world.clock.nowMs())).map((l) => l.expiresAtMs - START_MS),
    ]
    expect(await until()).toEqual([75_000, 75_000])
    await world.clock.advance(29_999)
    expect(await until()).toEqual([75_000, 75_000])
    await world.clock.advance(1)
    expect(await until()).toEqual([105_000, 105_000])
    await world.clock.advance(30_000)
    expect(await until()).toEqual([135_000, 135_000])
  })

  test('renewals that fail for 40 s end nothing, and POSTs are taken all the time', async () => {
    const { world, stream } = await opened()
    const { renew } = world.ports.sessions
    world.ports.sessions = {
      ...world.ports.sessions,
      renew: (hash, until) =>
        world.clock.nowMs() < START_MS + 70_000 ? fault() : renew(hash, until),
    }
    await world.clock.advance(74_000)
    expect(await stream.post(request(1, 'ping'))).toBe('accepted')
    await world.clock.advance(2_000)
    expect(await stream.post(request(2, 'ping'))).toBe('accepted')
  })

  test('a stream that could not renew its lease ends 5 s before it runs out, with heartbeats until then', async () => {
    const { world, stream } = await opened()
    const { renew } = world.ports.leases
    world.ports.leases = {
      ...world.ports.leases,
      renew: (lease) => (world.clock.nowMs() < START_MS + 31_000 ? renew(lease) : fault()),
    }
    await world.clock.advance(50_000)
    expect(await stream.post(request(1, 'ping'))).toBe('accepted')
    await world.clock.advance(49_999)
    expect([stream.why(), stream.heartbeats()]).toEqual([undefined, 19])
    await world.clock.advance(1)
    expect(stream.why()).toBe('lease-lapsed')
    expect((await record(world, stream))?.endedAtMs).toBe(START_MS + 100_000)
  })

  test('a renewal that hangs ends the session 5 s before its lease runs out, even while a read of the tail hangs', async () => {
    const world = makeWorld()
    const hanging = Promise.withResolvers<SessionNews>()
    world.ports.leases = { ...world.ports.leases, renew: () => new Promise(() => {}) }
    world.ports.replies = {
      ...world.ports.replies,
      async *tail() {
        yield await hanging.promise
      },
    }
    const stream = await openStream(world, await world.user('ada'))
    await world.clock.advance(69_999)
    expect((await record(world, stream))?.endedAtMs).toBeUndefined()
    await world.clock.advance(1)
    expect((await record(world, stream))?.endedAtMs).toBe(START_MS + 70_000)
    const written = stream.blocks.length
    await world.clock.advance(10_000)
    expect([stream.blocks.length, stream.why()]).toEqual([written, undefined])
    hanging.resolve({ kind: 'session', session: stream.opened.session })
    await world.clock.settle()
  })

  test('a renewal that is answered once the stream must leave does not keep it', async () => {
    const { world, stream } = await opened()
    const answer = Promise.withResolvers<boolean>()
    world.ports.leases = { ...world.ports.leases, renew: () => answer.promise }
    await world.clock.advance(30_000)
    world.clock.jump(40_000)
    answer.resolve(true)
    await world.clock.settle()
    expect(stream.why()).toBe('lease-lapsed')
  })

  test('a renewal that is answered a moment before the stream must leave keeps it', async () => {
    const { world, stream } = await opened()
    const answer = Promise.withResolvers<boolean>()
    world.ports.leases = { ...world.ports.leases, renew: () => answer.promise }
    await world.clock.advance(30_000)
    world.clock.jump(39_999)
    answer.resolve(true)
    await world.clock.advance(10_000)
    expect(stream.why()).toBeUndefined()
  })

  test('a stream that was frozen past its lease writes nothing more, not even a reply that it finds first', async () => {
    const world = makeWorld()
    const found = Promise.withResolvers<SessionNews>()
    world.ports.replies = {
      ...world.ports.replies,
      async *tail() {
        yield await found.promise
      },
    }
    const stream = await openStream(world, await world.user('ada'))
    const written = stream.blocks.length
    world.clock.jump(70_000)
    const sealed = world.ports.seals.seal(stream.opened.sessionId, 'reply#1', '{}')
    found.resolve({ kind: 'reply', seq: 1, sealed })
    await world.clock.settle()
    expect([stream.why(), stream.blocks.slice(written)]).toEqual(['lease-lapsed', []])
  })

  test('a look that ends after its stream writes nothing', async () => {
    const { world, stream } = await opened()
    world.ports.leases = { ...world.ports.leases, renew: fault }
    await world.clock.advance(64_000)
    const endLook = hangingLook(world)
    await announceChange(world.ports)
    await world.clock.advance(6_000)
    const written = stream.blocks.length
    endLook()
    await world.clock.settle()
    expect([stream.why(), stream.blocks.slice(written)]).toEqual(['lease-lapsed', []])
  })

  test('a look that finds the user disabled after the end of its stream changes no reason', async () => {
    const { world, stream } = await opened()
    await world.clock.advance(30_000)
    const endLook = hangingLook(world)
    const disabled = { state: 'disabled', reason: 'unpaid', sinceMs: START_MS } as const
    const profile = { ...(await world.profile('ada')), disabled }
    world.ports.profiles.read = async () => profile
    await world.clock.advance(5_000)
    stream.close()
    endLook()
    await world.clock.settle()
    expect(stream.why()).toBe('closed')
  })

  test('a client that does not read the first block does not keep a stream past its lease', async () => {
    const world = makeWorld()
    const session = okOf(
      await openSession(world.ports, world.settings, credentialOf(await world.user('ada'))),
    )
    const stream = await streamOf(world, session, { stalled: true })
    world.ports.leases = { ...world.ports.leases, renew: fault }
    await world.clock.advance(70_000)
    expect(stream.why()).toBe('lease-lapsed')
  })

  test('a stream whose lease another has removed ends with its next renewal, and makes none anew', async () => {
    const { world, stream } = await opened()
    await world.ports.leases.remove(stream.opened.lease)
    await world.clock.advance(29_999)
    expect(stream.why()).toBeUndefined()
    await world.clock.advance(1)
    expect(stream.why()).toBe('ended-elsewhere')
    expect(await world.ports.leases.list(world.clock.nowMs())).toEqual([])
  })

  test('a stream whose function froze takes no POSTs after 75 s', async () => {
    const { world, stream } = await opened()
    world.clock.jump(74_999)
    expect((await world.ports.sessions.read(stream.opened.session.hash))?.aliveUntilMs).toBe(
      START_MS + 75_000,
    )
    world.clock.jump(1)
    const { accept } = world.ports.sessions
    const { hash } = stream.opened.session
    const post = { hash, nowMs: world.clock.nowMs(), writeToken: 'm', request: undefined }
    expect(await accept(post)).toBeUndefined()
  })
})

describe('a host with a deadline', () => {
  const DEADLINE = START_MS + 900_000
  const MINUTE = 60_000

  async function busyUntil(world: World, stream: AgentStream, ms: number) {
    while (world.clock.nowMs() - START_MS + 30_000 <= ms) {
      await world.clock.advance(30_000)
      await stream.post({ jsonrpc: '2.0', method: 'notifications/x' })
    }
    await world.clock.advance(ms - (world.clock.nowMs() - START_MS))
  }

  test('after minute 13 the stream ends at the first quiet moment', async () => {
    const { world, stream } = await opened({ deadlineMs: DEADLINE })
    await busyUntil(world, stream, 13 * MINUTE - 1)
    expect(stream.why()).toBeUndefined()
    await world.clock.advance(1)
    expect(stream.why()).toBe('rotated')
    expect(await stream.post(request(1, 'ping'))).toMatchObject({ refusal: { code: 'not_found' } })
  })

  test('a host without a deadline never ends a stream by its age', async () => {
    const { world, stream } = await opened()
    await busyUntil(world, stream, 20 * MINUTE)
    expect(stream.why()).toBeUndefined()
  })

  test('a stream past minute 13 stays while a call runs, and ends at once with its reply', async () => {
    const { world, stream } = await opened({ deadlineMs: DEADLINE })
    world.upstream.next({ kind: 'answer', afterMs: 12_000 })
    await busyUntil(world, stream, 13 * MINUTE - 1_000)
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(12_999)
    expect([stream.why(), stream.withId(1).length]).toEqual(['rotated', 1])
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('a POST that the tail has not seen yet keeps it open', async () => {
    const { world, stream } = await opened({ deadlineMs: DEADLINE })
    await busyUntil(world, stream, 13 * MINUTE - 1)
    const { accept } = world.ports.sessions
    const { hash } = stream.opened.session
    const nowMs = world.clock.nowMs()
    const ended = world.ports.sessions.end
    let came = false
    world.ports.sessions = {
      ...world.ports.sessions,
      end: async (request) => {
        if (!came)
          await accept({
            hash,
            nowMs,
            writeToken: 'm',
            request: { id: '5', postedAtMs: nowMs, calls: false },
          })
        came = true
        return ended(request)
      },
    }
    await world.clock.advance(1)
    expect(stream.why()).toBeUndefined()
    await world.clock.advance(16_000)
    expect(stream.withId(5)).toHaveLength(1)
  })

  test('from 20 s before the deadline new POSTs get 404 while an accepted call is still delivered', async () => {
    const { world, stream } = await opened({ deadlineMs: DEADLINE })
    world.upstream.always({ kind: 'answer', afterMs: 14_000 })
    await busyUntil(world, stream, 13 * MINUTE - 1_000)
    let id = 0
    while (world.clock.nowMs() < DEADLINE - 21_000) {
      id += 1
      await stream.post(call(id, 'sg_weather'))
      await world.clock.advance(10_000)
    }
    await world.clock.advance(DEADLINE - 20_001 - world.clock.nowMs())
    expect(await stream.post(call('last', 'sg_weather'))).toBe('accepted')
    await world.clock.advance(1)
    expect(await stream.post(request('late', 'ping'))).toMatchObject({
      refusal: { code: 'not_found' },
    })
    expect(stream.why()).toBeUndefined()
    await world.clock.advance(14_000)
    expect(textOf(stream.withId('last')[0])).toContain('sunny')
    await world.clock.advance(5_000)
    expect(stream.why()).toBe('rotated')
    expect(world.clock.nowMs()).toBeLessThan(DEADLINE)
  })

  test('a POST taken just before the drain, unseen by the tail, is answered before the end', async () => {
    const { world, stream } = await opened({ deadlineMs: START_MS + 60_000 })
    const { accept, end } = world.ports.sessions
    const { hash } = stream.opened.session
    let came = false
    world.ports.sessions = {
      ...world.ports.sessions,
      end: async (request) => {
        const nowMs = world.clock.nowMs()
        const pending = { id: '5', postedAtMs: nowMs, calls: false }
        if (!came) await accept({ hash, nowMs, writeToken: 'm', request: pending })
        came = true
        return end(request)
      },
    }
    await world.clock.advance(59_000)
    expect(stream.withId(5)).toHaveLength(1)
    expect(['rotated', 'deadline']).toContain(stream.why())
  })

  test('a drain that the store refuses is tried again, and the stream lives on meanwhile', async () => {
    const { world, stream } = await opened({ deadlineMs: START_MS + 60_000 })
    const { end } = world.ports.sessions
    world.ports.sessions = {
      ...world.ports.sessions,
      end: (what) => (world.clock.nowMs() < START_MS + 44_000 ? fault() : end(what)),
    }
    await world.clock.advance(43_000)
    expect(await stream.post(request(1, 'ping'))).toBe('accepted')
    await world.clock.advance(7_000)
    expect(stream.withId(1)).toHaveLength(1)
    expect(stream.why()).toBe('rotated')
  })

  test('2 s before the deadline the stream ends whatever is pending', async () => {
    const { world, stream } = await opened({ deadlineMs: START_MS + 30_000 })
    world.ports.replies = { ...world.ports.replies, append: fault }
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(27_999)
    expect(stream.why()).toBeUndefined()
    await world.clock.advance(1)
    expect(stream.why()).toBe('deadline')
  })
})

describe('news of the tool list', () => {
  const changes = (stream: AgentStream) =>
    stream.messages().filter((one) => one['method'] === LIST_CHANGED.method)

  /** A stream that opens a minute after the last change, of which new streams are then no longer told. */
  async function openedLater() {
    const world = makeWorld()
    const ada = await world.user('ada')
    await world.skill('sg_weather')
    world.clock.jump(60_000)
    return { world, ada, stream: await openStream(world, ada) }
  }

  test('a change that the store tells of is told at once, once', async () => {
    const { world, stream } = await openedLater()
    const bells = openBells()
    world.ports.changes = { listen: bells.hear }
    const told = await openStream(world, await world.user('bob'))
    await world.clock.advance(6_000)
    await announceChange(world.ports)
    bells.ring('tool-lists')
    await world.clock.settle()
    expect([changes(told), changes(stream)]).toEqual([[LIST_CHANGED], []])
    bells.ring('tool-lists')
    await world.clock.advance(40_000)
    expect([changes(told), changes(stream)]).toEqual([[LIST_CHANGED], [LIST_CHANGED]])
  })

  // Holds: LIST-3
  test('a broadcast is announced with the next heartbeat, once', async () => {
    const { world, stream } = await openedLater()
    await world.clock.advance(6_000)
    await announceChange(world.ports)
    await world.clock.advance(3_999)
    expect(changes(stream)).toEqual([])
    await world.clock.advance(1)
    expect(changes(stream)).toEqual([LIST_CHANGED])
    await world.clock.advance(40_000)
    expect(changes(stream)).toHaveLength(1)
  })

  test('each heartbeat asks for a list version of at most 500 ms, whoever else read it', async () => {
    const { world } = await openedLater()
    const asked: (number | undefined)[] = []
    const { recent } = world.ports.toolListVersion
    world.ports.toolListVersion = {
      ...world.ports.toolListVersion,
      recent: (ageMsMax) => {
        asked.push(ageMsMax)
        return recent(ageMsMax)
      },
    }
    await world.clock.advance(10_000)
    expect(asked).toEqual([LIST_VERSION_AGE_MS_MAX, LIST_VERSION_AGE_MS_MAX])
  })

  test('a change of private skills is announced within 6 s, and only to their owner', async () => {
    const { world, stream } = await openedLater()
    const other = await openStream(world, await world.user('bob'))
    const anonymous = await openStream(world, undefined)
    await world.clock.advance(1_000)
    await world.skill('sg_mine', { source: 'private', uid: 'ada' })
    await world.clock.advance(6_000)
    expect([stream, other, anonymous].map((one) => changes(one).length)).toEqual([1, 0, 0])
  })

  test('a change while the store was down is announced when it is back', async () => {
    const { world, stream } = await openedLater()
    await world.clock.advance(1_000)
    const { recent } = world.ports.toolListVersion
    world.ports.toolListVersion = { ...world.ports.toolListVersion, recent: fault }
    await announceChange(world.ports)
    await world.clock.advance(20_000)
    expect(changes(stream)).toEqual([])
    world.ports.toolListVersion = { ...world.ports.toolListVersion, recent }
    await world.clock.advance(10_000)
    expect(changes(stream)).toHaveLength(1)
  })

  test('a change a minute before the stream opened is not announced', async () => {
    const { world, stream } = await openedLater()
    await world.clock.advance(20_000)
    expect(changes(stream)).toEqual([])
  })

  test('a change between two streams of an agent is announced once, with the first heartbeat', async () => {
    const { world, ada, stream } = await openedLater()
    await world.clock.advance(7_000)
    stream.close()
    await announceChange(world.ports)
    await world.clock.advance(59_000)
    const next = await openStream(world, ada)
    await world.clock.advance(4_999)
    expect(changes(next)).toEqual([])
    await world.clock.advance(1)
    expect(changes(next)).toEqual([LIST_CHANGED])
    await world.clock.advance(40_000)
    expect(changes(next)).toHaveLength(1)
  })

  test('a change of private skills between two streams is announced once, only to their owner', async () => {
    const { world, ada, stream } = await openedLater()
    const bob = await world.user('bob')
    stream.close()
    await world.skill('sg_mine', { source: 'private', uid: 'ada' })
    const streams = [await openStream(world, ada), await openStream(world, bob)]
    await world.clock.advance(6_000)
    expect(streams.map((one) => changes(one).length)).toEqual([1, 0])
  })
})
