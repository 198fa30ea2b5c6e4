/** Facts that only metrics need: each is logged once, where it arises. */

import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { Fault } from '../../../../core/errors.ts'
import { SWEEP_MINUTES_MAX, sweepHolds } from '../../../../core/flow/execute/sweep-holds.ts'
import { voidCall } from '../../../../core/flow/execute/void-call.ts'
import { openSession } from '../../../../core/flow/sse/open-session.ts'
import { DELAYS_MAX } from '../../../../core/flow/sse/reply-delays.ts'
import { execute, run } from '../caller.ts'
import { call, openStream, request } from '../client.ts'
import { START_MS } from '../manual-clock.ts'
import { keyFor, makeWorld, okOf, type World } from '../world.ts'

const UNKNOWN_KEY = `Bearer sgk_${'a'.repeat(43)}`
const START_MINUTE = Math.floor(START_MS / 60_000)

async function ready() {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather')
  await world.skill('sg_free', { price: 0 })
  return { world, ada }
}

function notesOf(world: World, event: string) {
  return world.log.notes.filter((note) => note.event === event).map(({ fields }) => fields)
}

describe('the time of an upstream', () => {
  test('is counted to its last byte', async () => {
    const { world, ada } = await ready()
    world.upstream.next({ kind: 'answer', afterMs: 240 })
    await run(world, ada, 'sg_weather')
    expect(world.log.calls).toMatchObject([{ upstreamMs: 240, outcome: 'settled' }])
  })

  test('is counted to its cut, so that a hanging one shows', async () => {
    const { world, ada } = await ready()
    world.upstream.next({ kind: 'hang' })
    await run(world, ada, 'sg_weather')
    expect(world.log.calls).toMatchObject([{ upstreamMs: 14_250, code: 'timed_out' }])
  })

  test('is not counted when nothing was sent', async () => {
    const { world, ada } = await ready()
    world.upstream.next({ kind: 'refused_target', detail: 'a private address' })
    await run(world, ada, 'sg_weather')
    await run(world, ada, 'sg_nothing')
    expect(world.log.calls.map((line) => line.upstreamMs)).toEqual([undefined, undefined])
  })
})

describe('the hold that a call has ended', () => {
  test.each([
    ['that succeeded', 'sg_weather', 200, 1_000_000],
    ['that failed', 'sg_weather', 500, 1_000_000],
    ['for nothing', 'sg_free', 200, 0],
    ['that was refused', 'sg_nothing', 200, 0],
  ])('a call %s logs the hold that it ended', async (_what, skill, status, held) => {
    const { world, ada } = await ready()
    world.upstream.always({ kind: 'answer', status })
    await run(world, ada, skill)
    expect(world.log.calls).toMatchObject([{ held }])
  })

  test('is 0 when the refund could not be written: the sweep ends the hold and logs the amount', async () => {
    const { world, ada } = await ready()
    await world.ports.sweepEntries.writeCursor({ minute: START_MINUTE, after: '' })
    world.upstream.next({ kind: 'answer', status: 500 })
    const decide = () => Promise.reject(new Fault('store_unavailable', 'down'))
    await run(world, ada, 'sg_weather', { ledger: { ...world.ports.ledger, decide } })
    expect(world.log.calls).toMatchObject([{ held: 0, refunded: 1_000_000 }])
    world.clock.jump(180_000)
    await sweepHolds(world.ports)
    expect(notesOf(world, 'hold-healed')).toMatchObject([
      { state: 'refunded', reason: 'crashed', amount: 1_000_000 },
    ])
  })
})

test('a void logs how much it gave back', async () => {
  const { world, ada } = await ready()
  const terms = { callId: 'c'.repeat(43), deadlineMs: START_MS + 15_000 }
  await run(world, ada, 'sg_weather', { terms })
  okOf(await voidCall(world.ports, { uid: 'ada', callId: terms.callId, reason: 'void' }))
  expect(notesOf(world, 'call-voided')).toMatchObject([{ amount: 1_000_000 }])
})

describe('the delay of replies', () => {
  test('is logged with the next renewal, from the POST to the event', async () => {
    const { world, ada } = await ready()
    const stream = await openStream(world, ada)
    world.upstream.next({ kind: 'answer', afterMs: 900 })
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(10_000)
    expect(stream.withId(1)).toHaveLength(1)
    expect(notesOf(world, 'replies-delivered')).toEqual([])
    await world.clock.advance(20_000)
    expect(notesOf(world, 'replies-delivered')).toEqual([{ count: 1, delaysMs: [900] }])
    await world.clock.advance(60_000)
    expect(notesOf(world, 'replies-delivered')).toHaveLength(1)
  })

  test('is logged at the end of the stream', async () => {
    const { world, ada } = await ready()
    const stream = await openStream(world, ada)
    await stream.post(request(1, 'ping'))
    await world.clock.advance(1_000)
    stream.close()
    await stream.ended
    expect(notesOf(world, 'replies-delivered')).toMatchObject([{ count: 1 }])
  })

  test('is logged for 100 replies at once, and the 101st waits for the next line', async () => {
    const { world, ada } = await ready()
    const stream = await openStream(world, ada)
    for (let id = 1; id <= DELAYS_MAX; id += 1) {
      expect(notesOf(world, 'replies-delivered')).toEqual([])
      await stream.post(request(id, 'ping'))
      await world.clock.advance(20)
    }
    expect(DELAYS_MAX).toBe(100)
    expect(notesOf(world, 'replies-delivered')).toMatchObject([{ count: 100 }])
    await stream.post(request('101st', 'ping'))
    await world.clock.advance(20)
    expect(notesOf(world, 'replies-delivered')).toHaveLength(1)
    stream.close()
    await stream.ended
    expect(notesOf(world, 'replies-delivered')[1]).toMatchObject({ count: 1 })
  })

  test('is not counted for a tombstone, which is no event', async () => {
    const { world, ada } = await ready()
    const stream = await openStream(world, ada)
    world.upstream.always({ kind: 'hang' })
    await stream.post(call(7, 'sg_weather'))
    const params = { requestId: 7 }
    await stream.post({ jsonrpc: '2.0', method: 'notifications/cancelled', params })
    await world.clock.advance(1_000)
    stream.close()
    await stream.ended
    expect(notesOf(world, 'replies-delivered')).toEqual([])
  })

  test('is never negative, even if the POST was accepted by a machine with another clock', async () => {
    const { world, ada } = await ready()
    const stream = await openStream(world, ada)
    const { accept } = world.ports.sessions
    world.ports.sessions = {
      ...world.ports.sessions,
      accept: (post) => {
        const request = post.request && { ...post.request, postedAtMs: post.nowMs + 5_000 }
        return accept({ ...post, request })
      },
    }
    await stream.post(request(1, 'ping'))
    await world.clock.advance(1_000)
    stream.close()
    await stream.ended
    expect(notesOf(world, 'replies-delivered')).toEqual([{ count: 1, delaysMs: [0] }])
  })
})

describe('open streams', () => {
  test('are counted when each one opens, all keys together', async () => {
    const { world, ada } = await ready()
    await openStream(world, ada)
    const second = await openStream(world, undefined)
    second.close()
    await second.ended
    await openStream(world, await keyFor(world, 'ada'))
    // Openings since the last list of all streams are added to its number, so one that has ended still counts.
    expect(notesOf(world, 'stream-opened')).toEqual([{ count: 1 }, { count: 2 }, { count: 3 }])
  })

  test('are not counted twice when one takes the place of another', async () => {
    const { world, ada } = await ready()
    for (let n = 0; n < 21; n += 1) {
      okOf(await openSession(world.ports, world.settings, credentialOf(ada)))
      world.clock.jump(1)
    }
    const counts = notesOf(world, 'stream-opened').map(({ count }) => count)
    expect(counts.slice(-2)).toEqual([20, 20])
  })

  test('are counted when one is refused, without that one', async () => {
    const world = makeWorld()
    for (let n = 0; n < 8; n += 1) {
      await openSession(world.ports, world.settings, credentialOf(undefined))
      world.clock.jump(1)
    }
    expect(notesOf(world, 'streams-full')).toEqual([{ limit: 'anonymous', max: 7, count: 7 }])
    expect(notesOf(world, 'stream-refused')).toEqual([{ code: 'too_many_streams' }])
  })
})

describe('the log line of a refusal without a principal', () => {
  test('a call refused without a principal is logged', async () => {
    const { world } = await ready()
    await execute(world, UNKNOWN_KEY, 'sg_weather')
    await execute(world, undefined, 'sg_weather')
    const codes = notesOf(world, 'call-refused').map(({ code }) => code)
    expect(codes).toEqual(['unauthenticated', 'unauthenticated'])
    expect(world.log.calls).toEqual([])
  })

  test('a stream refused without a principal is logged', async () => {
    const { world } = await ready()
    await openSession(world.ports, world.settings, credentialOf(UNKNOWN_KEY))
    expect(notesOf(world, 'stream-refused')).toEqual([{ code: 'unauthenticated' }])
    expect(notesOf(world, 'stream-opened')).toEqual([])
  })

  test('a request that failed in the gateway is logged with its code', async () => {
    const { world, ada } = await ready()
    const stream = await openStream(world, ada)
    const find = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.keys = { ...world.ports.keys, find }
    await stream.post(call(1, 'sg_account'))
    expect(notesOf(world, 'message-failed')).toEqual([
      { code: 'store_unavailable', method: 'tools/call', callId: expect.any(String) },
    ])
  })
})

describe('the backlog of the sweep', () => {
  test('is 0 when the sweep has reached the present', async () => {
    const { world } = await ready()
    await world.ports.sweepEntries.writeCursor({ minute: START_MINUTE - 3, after: '' })
    expect((await sweepHolds(world.ports)).backlogMinutes).toBe(0)
  })

  test('is the minutes that one run does not visit', async () => {
    const { world } = await ready()
    await world.ports.sweepEntries.writeCursor({
      minute: START_MINUTE - 1 - SWEEP_MINUTES_MAX - 30,
      after: '',
    })
    expect((await sweepHolds(world.ports)).backlogMinutes).toBe(30)
    expect((await sweepHolds(world.ports)).backlogMinutes).toBe(0)
  })

  test('begins with the first minute that has an entry which is neither visited nor entered anew', async () => {
    const { world } = await ready()
    await world.ports.sweepEntries.writeCursor({ minute: START_MINUTE - 12, after: '' })
    await world.ports.sweepEntries.put({ uid: 'ada', minute: START_MINUTE - 11 })
    const read = () => Promise.reject(new Fault('store_unavailable', 'down'))
    const { profiles, sweepEntries } = world.ports
    const down = {
      ...world.ports,
      profiles: { ...profiles, read, readAll: read },
      sweepEntries: { ...sweepEntries, put: read },
    }
    expect((await sweepHolds(down)).backlogMinutes).toBe(10)
    expect((await sweepHolds(world.ports)).backlogMinutes).toBe(0)
  })
})
