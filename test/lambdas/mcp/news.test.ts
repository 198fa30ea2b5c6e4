/** Messages before the answer: progress, log messages, and the statuses that must come first. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import type { Json } from '../../../core/json/json.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { doorOf, eventsOf, legacy, modern, opened, post, withKey } from './agent.ts'

let world: World
let door: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  ada = await world.user('ada')
  await world.skill('sg_sunny')
})

const call = { name: 'sg_sunny', arguments: {} }
const withToken = (progressToken: Json) => ({ ...call, _meta: { progressToken } })

describe('progress', () => {
  // Holds: PROG-1, PROG-2, PROG-3, PROG-4, PROG-5, STR-7
  test('of a call of 2.5 s is reported at 0, 1 and 2 s, and the answer ends the stream', async () => {
    world.upstream.always({ kind: 'answer', afterMs: 2_500 })
    const { done, out } = opened(door, withKey(ada, legacy('tools/call', withToken(0))))
    await world.clock.advance(199)
    expect(out.text).toBe('')
    await world.clock.advance(2_400)
    await done
    expect(out.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(eventsOf(out)).toEqual([
      progress(0, 'sg_sunny has run for 0 s of at most 15 s'),
      progress(1, 'sg_sunny has run for 1 s of at most 15 s'),
      progress(2, 'sg_sunny has run for 2 s of at most 15 s'),
      expect.objectContaining({ id: 1, result: expect.objectContaining({ isError: false }) }),
    ])
    expect(world.clock.sleepers()).toBe(0)
  })

  // Holds: PROG-1
  test('carries the token as posted, in 2026-07-28 too', async () => {
    world.upstream.always({ kind: 'answer', afterMs: 1_000 })
    const sent = modern('tools/call', call, { meta: { progressToken: 'a\u00e9"b' } })
    const { done, out } = opened(door, withKey(ada, sent))
    await world.clock.advance(1_000)
    await done
    expect(eventsOf(out)[0]).toMatchObject({ params: { progressToken: 'a\u00e9"b', progress: 0 } })
  })

  test('of a call that reaches the time limit is reported until 14 s, then its result', async () => {
    world.upstream.always({ kind: 'deaf' })
    const { done, out } = opened(door, withKey(ada, legacy('tools/call', withToken('t'))))
    await world.clock.advance(15_000)
    await done
    const events = eventsOf(out)
    expect(events).toHaveLength(16)
    expect(events.at(-2)).toMatchObject({ params: { progress: 14, total: 15 } })
    expect(events.at(-1)).toMatchObject({ result: { isError: true } })
    // Comments in between: the stream is never silent for longer than five seconds.
    expect(out.chunks.filter((chunk) => chunk === ':\n\n').length).toBeGreaterThanOrEqual(18)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('is not sent for a quick call, whose answer is a JSON document', async () => {
    const out = await post(door, withKey(ada, legacy('tools/call', withToken(1))))
    expect(out.headers['content-type']).toBe('application/json')
    expect(out.json()).toMatchObject({ result: { isError: false } })
  })

  // Holds: PROG-1
  test('is not sent to a client that accepts JSON only, or without a token', async () => {
    world.upstream.always({ kind: 'answer', afterMs: 3_000 })
    const headers = { accept: 'application/json' }
    const sent = [legacy('tools/call', withToken(1), { headers }), legacy('tools/call', call)]
    const all = sent.map((one) => opened(door, withKey(ada, one)))
    await world.clock.advance(3_000)
    await Promise.all(all.map(({ done }) => done))
    for (const { out } of all) expect(out.headers['content-type']).toBe('application/json')
  })

  test('does not replace the 401 of a bad key', async () => {
    const bad = `Bearer sgk_${'x'.repeat(43)}`
    const out = await post(door, withKey(bad, legacy('tools/call', withToken(1))))
    expect(out.status).toBe(401)
  })
})

describe('log messages', () => {
  const logging = (logLevel: string) =>
    modern('tools/call', call, { meta: { 'io.modelcontextprotocol/logLevel': logLevel } })
  const logged = async (logLevel: string) => {
    const out = await post(door, withKey(ada, logging(logLevel)))
    return eventsOf(out).flatMap(({ method, params }) =>
      method === 'notifications/message' ? [params] : [],
    )
  }

  // Holds: LOG-2
  test('at debug report the request and its cost', async () => {
    expect(await logged('debug')).toEqual([
      { level: 'debug', logger: 'skillgate', data: { event: 'call-sent', tool: 'sg_sunny' } },
      {
        level: 'info',
        logger: 'skillgate',
        data: {
          event: 'call-answered',
          tool: 'sg_sunny',
          durationMs: 0,
          credits: { charged: 1, refunded: 0, remaining: 99 },
        },
      },
    ])
  })

  // Holds: LOG-1, LOG-6
  test('start at the named level, and none are sent without one', async () => {
    expect(await logged('info')).toHaveLength(1)
    expect(await logged('warning')).toHaveLength(0)
    const out = await post(door, withKey(ada, modern('tools/call', call)))
    expect(out.headers['content-type']).toBe('application/json')
  })

  test('report a failure as a warning', async () => {
    world.upstream.always({ kind: 'answer', status: 500, body: '{}' })
    expect(await logged('warning')).toEqual([
      expect.objectContaining({
        level: 'warning',
        data: expect.objectContaining({ event: 'call-failed' }),
      }),
    ])
    expect(await logged('error')).toHaveLength(0)
  })
})

function progress(at: number, message: string) {
  return {
    jsonrpc: '2.0',
    method: 'notifications/progress',
    params: { progressToken: 0, progress: at, total: 15, message },
  }
}
