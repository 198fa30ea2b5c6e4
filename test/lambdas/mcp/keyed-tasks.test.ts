/** Calls with an Idempotency-Key that go on as tasks: the repeat gets the same task, and nothing runs twice. */
import { beforeEach, describe, expect, test } from 'vitest'
import { sweepHolds } from '../../../core/flow/execute/sweep-holds.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { createExecuteDoor } from '../../../lambdas/execute/door.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { ask as askDoor } from '../door-client.ts'
import { doorOf, legacy, post, withKey } from './agent.ts'
import { type Client, clientOf, RUN, replyIn } from './task-calls.ts'

const KEY = 'order-1'
const KEYED = { key: KEY }

let world: World
let ada: string
let client: Client

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  await world.skill('sg_render', { price: 2, config: { task: { max_sec: 600 } } })
  client = clientOf(world, ada)
})

/** The same call over REST. */
async function rest(args: JsonObject = {}) {
  const out = await askDoor(createExecuteDoor(world.ports, world.settings), 'POST', '/v1/execute', {
    headers: { authorization: ada, 'idempotency-key': KEY },
    body: { skill: 'sg_render', arguments: args },
  })
  return { status: out.status, body: JSON.parse(out.text) as JsonObject }
}

/** The same call by a client of a legacy revision. */
async function old() {
  const params = { ...RUN, _meta: { 'skillgate/idempotency-key': KEY } }
  return replyIn(await post(doorOf(world), withKey(ada, legacy('tools/call', params)))).result
}

describe('a repeat of a call that goes on as a task', () => {
  test('gets the same task, however old the first call is', async () => {
    const { done, taskId } = await client.started(300_000, KEYED)
    for (const ms of [0, 10_000, 120_000]) {
      await world.clock.advance(ms)
      const { out } = await client.call(0, RUN, KEYED)
      expect(replyIn(out).result).toMatchObject({ resultType: 'task', taskId, status: 'working' })
    }
    await world.clock.advance(300_000)
    await done
    const { out } = await client.call(0, RUN, KEYED)
    const again = replyIn(out).result
    expect(again).toMatchObject({ resultType: 'task', taskId, status: 'completed' })
    expect(again).not.toHaveProperty('result')
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a repeat in the first second waits, and gets the same task', async () => {
    world.upstream.next({ kind: 'answer', afterMs: 5_000 })
    const first = await client.call(500, RUN, KEYED)
    const second = await client.call(0, RUN, KEYED)
    await world.clock.advance(2_000)
    const { taskId } = replyIn(first.out).result ?? {}
    expect(replyIn(second.out).result).toMatchObject({ resultType: 'task', taskId })
    await world.clock.advance(5_000)
    await first.done
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a repeat with other arguments is told so', async () => {
    const { taskId } = await client.started(60_000, KEYED)
    const other = { name: 'sg_render', arguments: { size: 2 } }
    const said = JSON.stringify(replyIn((await client.call(0, other, KEYED)).out).result)
    expect(said).toContain('other arguments')
    expect(await client.get(taskId)).toMatchObject({ status: 'working' })
  })

  test.each([
    ['over REST', async () => JSON.stringify(await rest())],
    ['of a legacy revision', async () => JSON.stringify(await old())],
  ])(
    'a repeat %s is told the id of the task, and gets its answer when it has ended',
    async (_how, repeat) => {
      const { done, taskId } = await client.started(120_000, KEYED)
      expect(await repeat()).toContain(taskId)
      await world.clock.advance(90_000)
      expect(await repeat()).toContain(taskId)
      expect(await client.get(taskId)).toMatchObject({ status: 'working' })
      await world.clock.advance(30_000)
      await done
      expect(await repeat()).toContain('sunny')
      expect(world.upstream.requests).toHaveLength(1)
      expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
    },
  )

  test('a repeat of a task that its caller cancelled runs anew', async () => {
    const { done, taskId } = await client.started(60_000, KEYED)
    await client.ask('tasks/cancel', taskId)
    await world.clock.advance(30_000)
    await done
    const again = await client.started(5_000, KEYED)
    expect(again.taskId).not.toBe(taskId)
    await world.clock.advance(5_000)
    await again.done
    expect(await client.get(again.taskId)).toMatchObject({ status: 'completed' })
    expect(await client.get(taskId)).toMatchObject({ status: 'cancelled' })
    expect(world.upstream.requests).toHaveLength(2)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a repeat of a task whose worker died is told that it was interrupted', async () => {
    const { tasks } = world.ports
    const never = () => new Promise<never>(() => {})
    world.ports.tasks = { ...tasks, end: never, renew: never }
    const { taskId } = await clientOf(world, ada).started(700_000, KEYED)
    world.ports.tasks = tasks
    world.clock.jump(700_000)
    await sweepHolds(world.ports)
    expect(await rest()).toMatchObject({ status: 409 })
    expect(JSON.stringify(await rest())).toContain('interrupted')
    const { out } = await clientOf(world, ada).call(0, RUN, KEYED)
    expect(replyIn(out).result).toMatchObject({ resultType: 'task', taskId })
    expect(await clientOf(world, ada).get(taskId)).toMatchObject({ status: 'failed' })
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a task that cannot be kept under its key is no task: the call is stopped, and free', async () => {
    const { idempotencyRecords } = world.ports
    world.ports.idempotencyRecords = {
      ...idempotencyRecords,
      keepTask: () => Promise.reject(new Error('the store is down')),
    }
    world.upstream.next({ kind: 'hang' })
    const { done, out } = await clientOf(world, ada).call(1_000, RUN, KEYED)
    await world.clock.settle()
    await done
    expect(replyIn(out).error).toMatchObject({ code: -32603 })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

test('a call with a key that ends within a second is answered directly, and so are its repeats', async () => {
  world.upstream.next({ kind: 'answer', afterMs: 500 })
  const { done, out } = await client.call(500, RUN, KEYED)
  await done
  const first = replyIn(out).result
  expect(first).toMatchObject({ resultType: 'complete', isError: false })
  world.clock.jump(120_000)
  const again = replyIn((await client.call(0, RUN, KEYED)).out).result
  expect(again).toMatchObject({ resultType: 'complete', content: first?.['content'] })
  expect(await rest()).toMatchObject({ status: 200 })
  expect(world.upstream.requests).toHaveLength(1)
  expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
})
