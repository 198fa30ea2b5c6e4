/** subscriptions/listen: acknowledgement, notifications, comments, concurrency, ends. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { Fault } from '../../../core/errors.ts'
import { announceChange } from '../../../core/flow/registry/change-tool-list.ts'
import { openBells } from '../../../core/session/bells.ts'
import { START_MS } from '../../core/flow/manual-clock.ts'
import { makeWorld, SETTINGS, type World } from '../../core/flow/world.ts'
import { doorOf, eventsOf, modern, opened, withKey } from './agent.ts'

let world: World
let door: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  ada = await world.user('ada')
})

const listen = (id: number | string = 7, notifications: object = { toolsListChanged: true }) =>
  modern('subscriptions/listen', { notifications: { ...notifications } }, { id })

const subscription = (id: number | string) => ({ 'io.modelcontextprotocol/subscriptionId': id })

const CHANGED = 'notifications/tools/list_changed'

function changes(out: Parameters<typeof eventsOf>[0]) {
  return eventsOf(out).filter(({ method }) => method === CHANGED)
}

describe('a listen stream', () => {
  // Holds: SUB-1, SUB-2, SUB-3, SUB-6
  test('acknowledges first, and reports a broadcast within a second and nothing else', async () => {
    const { out } = opened(door, withKey(ada, listen('l-1')))
    await world.clock.settle()
    expect([out.status, out.headers['content-type']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
    ])
    expect(eventsOf(out)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/subscriptions/acknowledged',
        params: { _meta: subscription('l-1'), notifications: { toolsListChanged: true } },
      },
    ])
    await world.clock.advance(10_000)
    expect(changes(out)).toEqual([])
    await world.skill('sg_new')
    await world.clock.advance(1_000)
    expect(changes(out)).toEqual([
      { jsonrpc: '2.0', method: CHANGED, params: { _meta: subscription('l-1') } },
    ])
    out.destroy()
    await world.clock.settle()
  })

  test('reports a change that the store tells of at once, until it ends', async () => {
    const bells = openBells()
    world.ports.changes = { listen: bells.hear }
    const { out } = opened(doorOf(world), withKey(ada, listen()))
    await world.clock.advance(10_500)
    await announceChange(world.ports)
    bells.ring('tool-lists')
    await world.clock.settle()
    expect(changes(out)).toHaveLength(1)
    out.destroy()
    await world.clock.settle()
    bells.ring('tool-lists')
    expect(world.clock.sleepers()).toBe(0)
  })

  // Holds: SUB-6
  test('that opens within a minute of a change reports it once, after the acknowledgement', async () => {
    await world.skill('sg_new')
    world.clock.jump(59_000)
    const { out } = opened(door, withKey(ada, listen('again')))
    await world.clock.settle()
    expect(eventsOf(out)).toHaveLength(1)
    await world.clock.advance(10_000)
    expect(changes(out)).toHaveLength(1)
    out.destroy()
    await world.clock.settle()
    const later = opened(door, withKey(ada, listen())).out
    await world.clock.advance(10_000)
    expect(changes(later)).toEqual([])
    later.destroy()
    await world.clock.settle()
  })

  // Holds: SUB-6
  test("reports changes of its user's own skills, and not of another's", async () => {
    await world.user('bob')
    const { out } = opened(door, withKey(ada, listen()))
    await world.clock.settle()
    await world.skill('sg_of_bob', { source: 'private', uid: 'bob' })
    await world.clock.advance(3_000)
    expect(changes(out)).toEqual([])
    await world.skill('sg_of_ada', { source: 'private', uid: 'ada' })
    await world.clock.advance(1_000)
    expect(changes(out)).toHaveLength(1)
    out.destroy()
    await world.clock.settle()
  })

  // Holds: SUB-1, SUB-3
  test('that asked for other notifications acknowledges none of them and gets nothing', async () => {
    const { out } = opened(door, withKey(ada, listen(7, { promptsListChanged: true })))
    await world.clock.settle()
    expect(eventsOf(out)[0]).toMatchObject({ params: { notifications: {} } })
    await world.skill('sg_new')
    await world.clock.advance(10_000)
    expect(eventsOf(out)).toHaveLength(1)
    out.destroy()
    await world.clock.settle()
  })

  // Holds: SUB-5
  test('gets a comment every five seconds, even if the store fails', async () => {
    const { out } = opened(door, withKey(ada, listen()))
    await world.clock.settle()
    world.ports.toolListVersion.recent = () => new Promise(() => {})
    const before = out.chunks.length
    await world.clock.advance(20_000)
    expect(out.chunks.slice(before)).toEqual([':\n\n', ':\n\n', ':\n\n', ':\n\n'])
    out.destroy()
    await world.clock.settle()
  })

  test('goes on when the store fails for a while, and misses nothing', async () => {
    const { out } = opened(door, withKey(ada, listen()))
    await world.clock.settle()
    const { recent } = world.ports.toolListVersion
    world.ports.toolListVersion.recent = () => Promise.reject(new Error('away'))
    await world.skill('sg_new')
    await world.clock.advance(4_000)
    expect(changes(out)).toEqual([])
    world.ports.toolListVersion.recent = recent
    await world.clock.advance(1_000)
    expect(changes(out)).toHaveLength(1)
    out.destroy()
    await world.clock.settle()
  })

  test('frees its place when its client leaves, and leaves nothing running', async () => {
    const { done, out } = opened(door, withKey(ada, listen()))
    await world.clock.settle()
    expect(await world.ports.leases.list(world.clock.nowMs())).toHaveLength(1)
    out.destroy()
    await world.clock.settle()
    await done
    expect(await world.ports.leases.list(world.clock.nowMs())).toEqual([])
    expect(world.clock.sleepers()).toBe(0)
  })
})

describe('the end of a listen stream', () => {
  const ended = {
    jsonrpc: '2.0',
    id: 7,
    result: { resultType: 'complete', _meta: subscription(7) },
  }

  // Holds: SUB-4
  test.each([
    ['20 s before its host ends it', 60_000, 40_000],
    ['after minute 13', 900_000, 780_000],
  ])('a listen stream ends %s, with a final result', async (_when, remainingMs, endsMs) => {
    const { done, out } = opened(door, withKey(ada, listen()), remainingMs)
    await world.clock.advance(endsMs - 1_000)
    expect(eventsOf(out)).toHaveLength(1)
    await world.clock.advance(1_000)
    await done
    expect(eventsOf(out).at(-1)).toMatchObject(ended)
    expect(out.writableFinished).toBe(true)
  })

  test('comes 5 s before a lease runs out that could not be renewed, which is tried every 5 s', async () => {
    const tries: number[] = []
    world.ports.leases.renew = () => {
      tries.push(world.clock.nowMs() - START_MS)
      return Promise.reject(new Fault('store_unavailable', 'away'))
    }
    const { done, out } = opened(door, withKey(ada, listen()))
    await world.clock.advance(69_999)
    expect([out.writableEnded, tries.length]).toEqual([false, 8])
    await world.clock.advance(1)
    await done
    expect(eventsOf(out).at(-1)).toMatchObject(ended)
    expect(await world.ports.leases.list(world.clock.nowMs())).toEqual([])
  })

  test('comes after a minute for one without a key', async () => {
    const { done, out } = opened(door, listen())
    await world.clock.advance(59_000)
    expect(out.writableEnded).toBe(false)
    await world.clock.advance(1_000)
    await done
    expect(eventsOf(out).at(-1)).toMatchObject(ended)
  })

  test('does not come by itself on a host without a time limit', async () => {
    const { out } = opened(door, withKey(ada, listen()))
    await world.clock.advance(3_600_000)
    expect(out.writableEnded).toBe(false)
    out.destroy()
    await world.clock.settle()
  })
})

describe('places for listen streams', () => {
  test('are twenty for a key: the next one ends the one that was opened first', async () => {
    const streams = []
    for (let count = 0; count < 21; count += 1) {
      streams.push(opened(door, withKey(ada, listen())))
      await world.clock.advance(10)
    }
    await world.clock.advance(40_000)
    const [first, ...others] = streams
    await first?.done
    expect(first?.out.writableEnded).toBe(true)
    expect(others.filter(({ out }) => out.writableEnded)).toEqual([])
    for (const { out } of others) out.destroy()
    await world.clock.settle()
  })

  test('are few without a key, and none if the stage says so', async () => {
    const streams = []
    for (let count = 0; count < 8; count += 1) {
      streams.push(opened(door, listen()))
      await world.clock.advance(1)
    }
    expect(streams.map(({ out }) => out.status).filter((status) => status === 200)).toHaveLength(7)
    const refused = streams.find(({ out }) => out.status !== 200)?.out
    expect([refused?.status, refused?.headers['retry-after']]).toEqual([429, '60'])
    for (const { out } of streams) out.destroy()
    await world.clock.settle()
    const closed = makeWorld({ ...SETTINGS, streams: { ...SETTINGS.streams, anonymousMax: 0 } })
    const { done, out } = opened(doorOf(closed), listen())
    await done
    expect(out.status).toBe(401)
  })

  test('are asked for thirty times a minute at most', async () => {
    for (let count = 0; count < 30; count += 1) {
      const { done, out } = opened(door, withKey(ada, listen()))
      await world.clock.settle()
      out.destroy()
      await world.clock.settle()
      await done
    }
    const { done, out } = opened(door, withKey(ada, listen()))
    await done
    expect(out.status).toBe(429)
  })
})

test('a hundred listen streams of one user look once a second', async () => {
  const many = makeWorld({
    ...SETTINGS,
    streams: { perKeyMax: 1_000, totalMax: 1_000, anonymousMax: 0 },
  })
  const key = await many.user('ada')
  many.ports.rateCounters.count = async () => 1
  let reads = 0
  const { recent } = many.ports.toolListVersion
  many.ports.toolListVersion.recent = () => {
    reads += 1
    return recent()
  }
  const manyDoor = doorOf(many)
  const streams = Array.from({ length: 100 }, () => opened(manyDoor, withKey(key, listen())))
  await many.clock.settle()
  reads = 0
  await many.clock.advance(10_000)
  expect(reads).toBe(10)
  for (const { out } of streams) out.destroy()
  await many.clock.settle()
})
