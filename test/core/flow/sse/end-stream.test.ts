/** Calls whose stream ended before their reply was written: free, whatever was under way. */
import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../core/errors.ts'
import { call, openStream, request, textOf } from '../client.ts'
import { makeWorld } from '../world.ts'

async function opened() {
  const world = makeWorld()
  const ada = await world.user('ada', { credits: 100 })
  await world.skill('sg_weather')
  return { world, ada, stream: await openStream(world, ada) }
}

/** The same numbers for the same seed, from 0 to `below` - 1. */
function draws(seed: number): (below: number) => number {
  let state = seed * 7_919 + 1
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % below
  }
}

describe('a call of a client that left', () => {
  test('a call whose client left one second before its reply is free, and its upstream is cut', async () => {
    const { world, stream } = await opened()
    world.upstream.always({ kind: 'answer', afterMs: 5_000 })
    for (let id = 1; id <= 9; id += 1) await stream.post(call(id, 'sg_weather'))
    await world.clock.advance(4_000)
    stream.close()
    await world.clock.settle()
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    await world.clock.advance(60_000)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a call whose client left before the stream took its stored reply is free', async () => {
    const { world, stream } = await opened()
    stream.stall()
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(1_000)
    await stream.post(call(2, 'sg_weather'))
    await world.clock.advance(1_000)
    expect([stream.withId(1).length, stream.withId(2).length]).toEqual([1, 0])
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
    stream.close()
    await world.clock.settle()
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('a call whose client left after its reply was written keeps its price', async () => {
    const { world, stream } = await opened()
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(1_000)
    expect(textOf(stream.withId(1)[0])).toContain('sunny')
    stream.close()
    await world.clock.advance(60_000)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('a call whose client left before the stream saw its request is free', async () => {
    const { world, stream } = await opened()
    world.upstream.always({ kind: 'answer', afterMs: 5_000 })
    const posted = stream.post(call(1, 'sg_weather'))
    stream.close()
    await posted
    await world.clock.advance(60_000)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a call whose client left is free although the store takes no tombstone, or the record cannot be read', async () => {
    for (const broken of ['append', 'read']) {
      const { world, stream } = await opened()
      world.upstream.always({ kind: 'answer', afterMs: 5_000 })
      await stream.post(call(1, 'sg_weather'))
      await world.clock.advance(1_000)
      const { replies, sessions } = world.ports
      const fault = () => Promise.reject(new Fault('store_unavailable', 'the store is down'))
      if (broken === 'append') world.ports.replies = { ...replies, append: fault }
      else world.ports.sessions = { ...sessions, read: fault }
      stream.close()
      await world.clock.advance(60_000)
      expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    }
  })

  test('a call whose stream died before it could void it is voided by its late reply, which finds its place taken', async () => {
    const { world, stream } = await opened()
    world.upstream.always({ kind: 'answer', afterMs: 5_000 })
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(1_000)
    const { execute } = world.ports
    const dead = () => Promise.reject(new Fault('internal', 'the function is gone'))
    world.ports.execute = { ...execute, voidCall: dead }
    stream.close()
    await world.clock.settle()
    world.ports.execute = execute
    await world.clock.advance(60_000)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('an end without pending calls voids nothing, since other requests cost nothing', async () => {
    const { world, stream } = await opened()
    let voids = 0
    world.ports.execute = {
      ...world.ports.execute,
      voidCall: async () => {
        voids += 1
        return 'free'
      },
    }
    world.down.work = true
    await stream.post(request(1, 'tools/list'))
    stream.close()
    await world.clock.settle()
    expect(voids).toBe(0)
  })
})

describe('an end, a reply and a settlement at once', () => {
  test('charge a call exactly when its reply was written, in 200 drawn orders', async () => {
    const written = { yes: 0, no: 0 }
    for (let seed = 1; seed <= 200; seed += 1) {
      const draw = draws(seed)
      const { world, stream } = await opened()
      const { ledger, replies, sessions } = world.ports
      const late = async <T>(work: () => Promise<T>): Promise<T> => {
        await world.clock.sleep(draw(60))
        return work()
      }
      world.ports.replies = { ...replies, append: (reply) => late(() => replies.append(reply)) }
      world.ports.sessions = { ...sessions, end: (what) => late(() => sessions.end(what)) }
      world.ports.ledger = {
        ...ledger,
        decide: (outcome) => late(() => ledger.decide(outcome)),
        release: (what) => late(() => ledger.release(what)),
      }
      world.upstream.always({ kind: 'answer', afterMs: 20 + draw(100) })
      await stream.post(call(1, 'sg_weather'))
      await world.clock.advance(draw(400))
      stream.close()
      await world.clock.advance(90_000)
      const replied = stream.withId(1).length
      written[replied === 1 ? 'yes' : 'no'] += 1
      expect({ seed, ...(await world.credits('ada')) }).toEqual({
        seed,
        free: 100 - replied,
        held: 0,
      })
    }
    expect(Math.min(written.yes, written.no)).toBeGreaterThan(20)
  }, 60_000)
})
