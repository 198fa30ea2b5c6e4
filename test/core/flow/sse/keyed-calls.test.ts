/** Calls over HTTP+SSE under a key of the client: what a repeat gets after the stream has ended. */
import { beforeEach, describe, expect, test } from 'vitest'
import { isJsonObject, type JsonObject } from '../../../../core/json/json.ts'
import { run, successOf } from '../caller.ts'
import { type AgentStream, cancelled, openStream, request, textOf } from '../client.ts'
import { makeWorld, type World } from '../world.ts'

let world: World
let ada: string
let stream: AgentStream

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada', { credits: 100 })
  await world.skill('sg_weather', { price: 2 })
  stream = await openStream(world, ada)
})

const META = { 'skillgate/idempotency-key': 'k-1' }

function keyed(id: number): JsonObject {
  return request(id, 'tools/call', { name: 'sg_weather', arguments: {}, _meta: META })
}

function metaOf(message: JsonObject | undefined): JsonObject {
  const result = message?.['result']
  const meta = isJsonObject(result) ? result['_meta'] : undefined
  return isJsonObject(meta) ? meta : {}
}

const overRest = () => run(world, ada, 'sg_weather', { idempotencyKey: 'k-1' })

describe('a call with a key over HTTP+SSE', () => {
  test('a call with a key is paid once, over this transport and REST', async () => {
    await stream.post(keyed(1))
    await world.clock.advance(1_000)
    await stream.post(keyed(2))
    await world.clock.advance(1_000)
    const [first, again] = [stream.withId(1)[0], stream.withId(2)[0]]
    expect(textOf(again)).toBe(textOf(first))
    expect([metaOf(first), metaOf(again)].map((meta) => meta['skillgate/replayed'])).toEqual([
      undefined,
      true,
    ])
    expect(metaOf(again)['skillgate/call']).toEqual(metaOf(first)['skillgate/call'])
    expect(metaOf(first)['skillgate/call']).toEqual({ callId: successOf(await overRest()).callId })
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a repeat waits for the first call', async () => {
    world.upstream.next({ kind: 'answer', afterMs: 5_000 })
    await stream.post(keyed(1))
    await stream.post(keyed(2))
    await world.clock.advance(4_000)
    expect(stream.withId(2)).toEqual([])
    await world.clock.advance(3_000)
    expect(metaOf(stream.withId(2)[0])['skillgate/replayed']).toBe(true)
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a cancelled call frees its key', async () => {
    world.upstream.next({ kind: 'answer', afterMs: 5_000 })
    await stream.post(keyed(1))
    await stream.post(cancelled(1))
    await world.clock.advance(2_000)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    await stream.post(keyed(2))
    await world.clock.advance(1_000)
    expect(metaOf(stream.withId(2)[0])['skillgate/replayed']).toBeUndefined()
    expect(world.upstream.requests).toHaveLength(2)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test.each([
    ['while it runs', 5_000, 1_000],
    ['when its answer is kept and its reply unread', 0, 3_000],
  ])(
    'a call whose stream ends %s frees its key: the repeat runs and pays',
    async (_when, afterMs, leftAfterMs) => {
      world.upstream.next({ kind: 'answer', afterMs })
      stream.stall()
      // The reader takes no more than this one.
      await stream.post(request(9, 'ping'))
      await stream.post(keyed(1))
      await world.clock.advance(leftAfterMs)
      stream.close()
      await world.clock.advance(2_000)
      expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
      expect(successOf(await overRest()).credits.charged).toBe(2)
      expect(world.upstream.requests).toHaveLength(2)
      expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
    },
  )

  test('a call whose answer went to a repeat stays paid when its stream ends afterwards', async () => {
    stream.stall()
    await stream.post(request(9, 'ping'))
    await stream.post(keyed(1))
    await world.clock.advance(1_000)
    const { callId } = successOf(await overRest())
    stream.close()
    await world.clock.advance(70_000)
    expect(successOf(await overRest()).callId).toBe(callId)
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
    expect(world.log.events()).not.toContain('void-lost')
  })
})
