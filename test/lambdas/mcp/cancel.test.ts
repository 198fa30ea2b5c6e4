/** Cancelling a call: by disconnecting (2026-07-28), or by a posted notification (earlier). */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { doorOf, legacy, modern, opened, post, withKey } from './agent.ts'

let world: World
let door: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  ada = await world.user('ada')
  await world.skill('sg_sunny', { price: 2 })
  world.upstream.always({ kind: 'hang' })
})

const call = { name: 'sg_sunny', arguments: {} }
const cancelled = (requestId: number | string) => ({
  body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId } },
})

describe('a client of 2026-07-28 that leaves', () => {
  // Holds: CANCEL-5
  test('has its upstream cut at once and pays nothing', async () => {
    const { done, out } = opened(door, withKey(ada, modern('tools/call', call)))
    await world.clock.settle()
    expect(await world.credits('ada')).toEqual({ free: 98, held: 2 })
    out.destroy()
    await world.clock.settle()
    await done
    expect(world.upstream.cuts()).toBe(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect(world.clock.sleepers()).toBe(0)
  })

  test('before its call began causes no upstream request', async () => {
    const { done, out } = opened(door, withKey(ada, modern('tools/call', call)))
    out.destroy()
    await world.clock.advance(1_000)
    await done
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect(world.log.calls.every(({ outcome }) => outcome !== 'settled')).toBe(true)
  })
})

describe('a client of an earlier revision that leaves', () => {
  // Holds: CANCEL-4
  test('has not cancelled its call', async () => {
    world.upstream.always({ kind: 'answer', afterMs: 1_000 })
    const { done, out } = opened(door, withKey(ada, legacy('tools/call', call)))
    await world.clock.settle()
    out.destroy()
    await world.clock.advance(1_000)
    await done
    expect(world.upstream.cuts()).toBe(0)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })
})

describe('a server that stops', () => {
  // Its client is told that the call is refunded (local/http/host.ts).
  test.each([
    ['of 2025-11-25', legacy('tools/call', call, { version: '2025-11-25' })],
    ['of a batch', { body: [legacy('tools/call', call).body ?? null] }],
    ['of 2026-07-28', modern('tools/call', call)],
  ])('cuts a call %s, which then costs nothing', async (_whose, sent) => {
    const { done, out } = opened(door, withKey(ada, sent))
    await world.clock.settle()
    expect(await world.credits('ada')).toEqual({ free: 98, held: 2 })
    Object.assign(out, { isCut: true }).destroy()
    await world.clock.settle()
    await done
    expect(world.upstream.cuts()).toBe(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect(world.clock.sleepers()).toBe(0)
  })

  test('causes no upstream request of the calls in a batch that had not begun', async () => {
    const calls = [1, 2, 3].map((id) => legacy('tools/call', call, { id }).body ?? null)
    const { done, out } = opened(door, withKey(ada, { body: calls }))
    await world.clock.settle()
    Object.assign(out, { isCut: true }).destroy()
    await world.clock.settle()
    await done
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('a posted cancellation', () => {
  // Holds: CANCEL-2
  test('of a running call ends it without a charge and without an answer', async () => {
    const { done, out } = opened(door, withKey(ada, legacy('tools/call', call, { id: 'c-1' })))
    await world.clock.settle()
    expect((await post(door, withKey(ada, cancelled('c-1')))).status).toBe(202)
    await world.clock.settle()
    await done
    expect([out.status, out.text]).toEqual([202, ''])
    expect(world.upstream.cuts()).toBe(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('with the same key in another header text ends the call', async () => {
    const { done, out } = opened(door, withKey(ada, legacy('tools/call', call, { id: 'c-1' })))
    await world.clock.settle()
    const again = ada.replace('Bearer ', 'bearer  ')
    expect((await post(door, withKey(again, cancelled('c-1')))).status).toBe(202)
    await world.clock.settle()
    await done
    expect([out.status, world.upstream.cuts()]).toEqual([202, 1])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  // Holds: CANCEL-3
  test.each([
    ['of another key', 'c-1', 'bob'],
    ['without a key', 'c-1', undefined],
    ['of another id', 'c-2', 'ada'],
  ])('%s changes nothing', async (_what, id, who) => {
    const keys: { [name: string]: string } = { ada, bob: await world.user('bob') }
    const { done, out } = opened(door, withKey(ada, legacy('tools/call', call, { id: 'c-1' })))
    await world.clock.settle()
    const key = who === undefined ? undefined : keys[who]
    expect((await post(door, withKey(key, cancelled(id)))).status).toBe(202)
    await world.clock.settle()
    expect(world.upstream.cuts()).toBe(0)
    await world.clock.advance(15_000)
    await done
    expect(out.status).toBe(200)
  })

  test('that matches two calls cancels neither; after one has ended it cancels the other', async () => {
    const sent = withKey(ada, legacy('tools/call', call, { id: 1 }))
    world.upstream.next({ kind: 'answer', afterMs: 500 })
    const [first, second] = [opened(door, sent), opened(door, sent)]
    await world.clock.settle()
    await post(door, withKey(ada, cancelled(1)))
    await world.clock.advance(500)
    expect(world.upstream.cuts()).toBe(0)
    await first.done
    await post(door, withKey(ada, cancelled(1)))
    await world.clock.settle()
    await second.done
    expect([first.out.status, second.out.status]).toEqual([200, 202])
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })
})
