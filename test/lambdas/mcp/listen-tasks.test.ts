/** `notifications/tasks` on a listen stream: which tasks it follows, what it sends, and when. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { revokeKey } from '../../../core/flow/users/manage-keys.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { openBells } from '../../../core/session/bells.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import type { MemoryResponse } from '../door-client.ts'
import { doorOf, eventsOf, modern, opened, post, withKey } from './agent.ts'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const DECLARED = { meta: { [CAPABILITIES]: TASKS } }
const SUBSCRIPTION = { 'io.modelcontextprotocol/subscriptionId': 7 }

let world: World
let door: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  ada = await world.user('ada')
  await world.skill('sg_render', { price: 2, config: { task: { max_sec: 600 } } })
})

/** A task that takes `afterMs`, a second after the POST of its call. */
async function started(afterMs: number, key = ada): Promise<string> {
  world.upstream.next({ kind: 'answer', afterMs })
  const call = modern('tools/call', { name: 'sg_render', arguments: {} }, DECLARED)
  const { out } = opened(door, withKey(key, call))
  await world.clock.advance(1_000)
  return String(JSON.parse(out.text).result.taskId)
}

const cancel = (taskId: string) => {
  const headers = { 'mcp-name': taskId }
  return post(door, withKey(ada, modern('tasks/cancel', { taskId }, { ...DECLARED, headers })))
}

async function listening(notifications: JsonObject, key: string | undefined = ada) {
  const sent = modern('subscriptions/listen', { notifications }, { id: 7, ...DECLARED })
  const stream = opened(door, withKey(key, sent))
  await world.clock.settle()
  return stream
}

const acknowledged = (out: MemoryResponse) => eventsOf(out)[0]?.['params']
const told = (out: MemoryResponse) =>
  eventsOf(out).filter(({ method }) => method === 'notifications/tasks')

async function leave({ done, out }: Awaited<ReturnType<typeof listening>>) {
  out.destroy()
  await world.clock.settle()
  await done
}

const MADE_UP = `task_${'A'.repeat(43)}`

describe('a stream that follows tasks', () => {
  // Holds: TASK-9, TASK-10
  test('acknowledges the tasks of its key alone, each once', async () => {
    const mine = await started(60_000)
    const bobs = await started(60_000, await world.user('bob'))
    const taskIds = [mine, bobs, MADE_UP, mine, 'x', '']
    const stream = await listening({ taskIds })
    expect(acknowledged(stream.out)).toEqual({
      _meta: SUBSCRIPTION,
      notifications: { taskIds: [mine] },
    })
    await leave(stream)
  })

  // Holds: TASK-9
  test('gets the whole task when it ends, and no more', async () => {
    const taskId = await started(30_000)
    const stream = await listening({ taskIds: [taskId], toolsListChanged: true })
    await world.clock.advance(28_999)
    expect(told(stream.out)).toEqual([])
    await world.clock.advance(2_001)
    const task = { taskId, status: 'completed', ttlMs: 86_400_000, pollIntervalMs: 2_000 }
    expect(told(stream.out)).toEqual([
      {
        jsonrpc: '2.0',
        method: 'notifications/tasks',
        params: {
          _meta: SUBSCRIPTION,
          ...task,
          createdAt: expect.any(String),
          lastUpdatedAt: expect.any(String),
          result: expect.objectContaining({ resultType: 'complete', isError: false }),
        },
      },
    ])
    await world.clock.advance(60_000)
    expect(told(stream.out)).toHaveLength(1)
    await leave(stream)
    expect(world.clock.sleepers()).toBe(0)
  })

  test('gets a task that had ended before, once', async () => {
    const taskId = await started(5_000)
    await world.clock.advance(5_000)
    const stream = await listening({ taskIds: [taskId] })
    expect(told(stream.out)).toMatchObject([{ params: { taskId, status: 'completed' } }])
    await world.clock.advance(10_000)
    expect(told(stream.out)).toHaveLength(1)
    await leave(stream)
  })

  test('gets the cancellation of a task at once if the store tells of it', async () => {
    const taskId = await started(60_000)
    const bells = openBells()
    world.ports.changes = { listen: bells.hear }
    const { end } = world.ports.tasks
    world.ports.tasks.end = async (request) => {
      const isFirst = await end(request)
      bells.ring(`task:${request.hash}`)
      return isFirst
    }
    door = doorOf(world)
    const stream = await listening({ taskIds: [taskId] })
    await cancel(taskId)
    await world.clock.settle()
    expect(told(stream.out)).toMatchObject([{ params: { taskId, status: 'cancelled' } }])
    await leave(stream)
  })

  test('gets a task whose process died as failed, and the call is free', async () => {
    const taskId = await started(Number.MAX_SAFE_INTEGER)
    world.clock.jump(620_000)
    const stream = await listening({ taskIds: [taskId] })
    world.clock.jump(20_000)
    await world.clock.advance(2_000)
    expect(told(stream.out)).toMatchObject([{ params: { status: 'failed' } }])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    await leave(stream)
  })

  test('goes on when the store fails for a while, and misses no end', async () => {
    const taskId = await started(10_000)
    const stream = await listening({ taskIds: [taskId] })
    const { read } = world.ports.tasks
    world.ports.tasks.read = () => Promise.reject(new Error('away'))
    await world.clock.advance(20_000)
    expect(told(stream.out)).toEqual([])
    world.ports.tasks.read = read
    await world.clock.advance(2_000)
    expect(told(stream.out)).toHaveLength(1)
    await leave(stream)
  })

  test('reads a task that works every two seconds, and one that has ended never again', async () => {
    const taskId = await started(20_000)
    const stream = await listening({ taskIds: [taskId] })
    const { read } = world.ports.tasks
    let reads = 0
    world.ports.tasks.read = (hash) => {
      reads += 1
      return read(hash)
    }
    await world.clock.advance(18_000)
    expect(reads).toBeGreaterThanOrEqual(6)
    expect(reads).toBeLessThanOrEqual(9)
    await world.clock.advance(4_000)
    expect(told(stream.out)).toHaveLength(1)
    reads = 0
    await world.clock.advance(20_000)
    expect(reads).toBe(0)
    await leave(stream)
  })

  test('ends without the result when its key was revoked', async () => {
    const taskId = await started(60_000)
    const stream = await listening({ taskIds: [taskId] })
    const [key] = await world.ports.keys.list('ada')
    await revokeKey(world.ports, { uid: 'ada', keyId: String(key?.keyHash) })
    await world.clock.advance(80_000)
    await stream.done
    expect(told(stream.out)).toEqual([])
    expect(eventsOf(stream.out).at(-1)).toMatchObject({ id: 7, result: { _meta: SUBSCRIPTION } })
  })
})

describe('a request to follow tasks', () => {
  test('an anonymous stream follows none', async () => {
    const taskId = await started(60_000)
    const sent = modern(
      'subscriptions/listen',
      { notifications: { taskIds: [taskId] } },
      { id: 7, ...DECLARED },
    )
    const stream = opened(door, sent)
    await world.clock.settle()
    expect(acknowledged(stream.out)).toMatchObject({ notifications: { taskIds: [] } })
    await leave(stream)
  })

  // Holds: TASK-2
  test('a request that does not declare the extension is -32021, and opens no stream', async () => {
    const sent = modern('subscriptions/listen', { notifications: { taskIds: [MADE_UP] } })
    const out = await post(door, withKey(ada, sent))
    expect([out.status, JSON.parse(out.text).error]).toMatchObject([
      400,
      { code: -32021, data: { requiredCapabilities: TASKS } },
    ])
    expect(await world.ports.leases.list(world.clock.nowMs())).toEqual([])
  })

  test('32 ids are followed, and 33 are refused with the limit', async () => {
    const ids = (count: number) => Array.from({ length: count }, () => MADE_UP)
    const stream = await listening({ taskIds: ids(32) })
    expect(stream.out.status).toBe(200)
    await leave(stream)
    const { out } = await listening({ taskIds: ids(33) })
    expect(JSON.parse(out.text).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('over 32 ids'),
    })
  })

  test.each([
    ['no array', 'x'],
    ['an object', {}],
    ['null', null],
    ['a number in it', [7]],
  ])('a request with %s for ids is -32602', async (_what, taskIds) => {
    const { out } = await listening({ taskIds })
    expect(JSON.parse(out.text).error).toMatchObject({ code: -32602 })
  })
})
