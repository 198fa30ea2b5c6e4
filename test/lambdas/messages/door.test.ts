import { describe, expect, test } from 'vitest'
import { encodeHandedMessage } from '../../../adapters/internal-http/handed-codec.ts'
import { createDirectMessages } from '../../../lambdas/messages/direct-messages.ts'
import { createMessagesDoor } from '../../../lambdas/messages/door.ts'
import { call, openStream, request } from '../../core/flow/client.ts'
import { makeWorld } from '../../core/flow/world.ts'
import { contextOf, eventOf, MemoryResponse } from '../door-client.ts'

/** A world in which sse forwards to no function, and the bytes that it forwarded. */
async function handedOn(message: Parameters<typeof call>[1] | 'ping') {
  const world = makeWorld()
  const ada = await world.user('ada')
  await world.skill('sg_weather')
  const stream = await openStream(world, ada)
  world.down.work = true
  await stream.post(message === 'ping' ? request(1, 'ping') : call(1, message))
  const [handed] = world.handed
  if (handed === undefined) throw new Error('nothing was handed on')
  const body = Buffer.from(encodeHandedMessage(handed)).toString('base64')
  const event = {
    ...eventOf('POST', '/v1/mcp/messages', { iam: true }),
    body,
    isBase64Encoded: true,
  }
  return { world, stream, event, handed, door: createMessagesDoor(world.ports, world.settings) }
}

describe('the messages door', () => {
  test('answers 202 before the work is done, and its work goes to the stream', async () => {
    const { world, stream, event, door } = await handedOn('sg_weather')
    world.upstream.next({ kind: 'answer', afterMs: 2_000 })
    const out = new MemoryResponse()
    let done = false
    const working = door(event, out, contextOf()).then(() => {
      done = true
    })
    await world.clock.settle()
    expect([out.status, out.writableFinished, done]).toEqual([202, true, false])
    await world.clock.advance(2_000)
    await working
    await world.clock.advance(250)
    expect(stream.withId(1)).toHaveLength(1)
  })

  test('accepts messages only from the gateway itself', async () => {
    const { world, stream, event, door } = await handedOn('ping')
    const { authorizer: _authorizer, ...requestContext } = event.requestContext
    const out = new MemoryResponse()
    await door({ ...event, requestContext }, out, contextOf())
    expect([out.status, out.json()['code']]).toEqual([403, 'forbidden'])
    await world.clock.advance(1_000)
    expect(stream.messages()).toEqual([])
  })

  test('answers 500 to a body that is not a forwarded message', async () => {
    const { door, event } = await handedOn('ping')
    const out = new MemoryResponse()
    await door({ ...event, body: 'e30=' }, out, contextOf())
    expect([out.status, out.json()['code']]).toEqual([500, 'internal'])
  })

  test('logs a failure after the answer, and does not answer twice', async () => {
    const { world, door, event } = await handedOn('ping')
    const append = () => Promise.reject(new Error('down'))
    world.ports.replies = { ...world.ports.replies, append }
    const out = new MemoryResponse()
    const broken = createMessagesDoor(world.ports, world.settings)
    expect(broken).not.toBe(door)
    await broken(event, out, contextOf())
    expect([out.status, out.text]).toEqual([202, ''])
    expect(world.log.events()).toContain('door-failed')
  })
})

describe('the messages door without its HTTP', () => {
  function directOver({ ports, settings }: Awaited<ReturnType<typeof handedOn>>['world']) {
    const works: Promise<unknown>[] = []
    const track = <T>(work: Promise<T>) => {
      works.push(work)
      return work
    }
    return { works, direct: createDirectMessages({ ports, settings, track }) }
  }

  test('the direct door takes a message before the work is done, and its work goes to the stream', async () => {
    const { handed, stream, world } = await handedOn('sg_weather')
    const { direct, works } = directOver(world)
    world.upstream.next({ kind: 'answer', afterMs: 2_000 })
    await direct.handOn(handed)
    expect([works.length, stream.withId(1).length]).toEqual([1, 0])
    await world.clock.advance(2_000)
    await Promise.all(works)
    await world.clock.advance(250)
    expect(stream.withId(1)).toHaveLength(1)
  })

  test('the direct door logs a failure behind the message, and rejects nothing', async () => {
    const { handed, world } = await handedOn('ping')
    const append = () => Promise.reject(new Error('down'))
    world.ports.replies = { ...world.ports.replies, append }
    const { direct, works } = directOver(world)
    await direct.handOn(handed)
    await Promise.all(works)
    expect(world.log.events()).toContain('door-failed')
  })
})
