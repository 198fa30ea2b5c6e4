/** Calls that go on as tasks, as a client of 2026-07-28 with the extension sees them. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { sweepHolds } from '../../../core/flow/execute/sweep-holds.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import type { MemoryResponse } from '../door-client.ts'
import { doorOf, modern, opened, post, withKey } from './agent.ts'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }
const DECLARED = { meta: { [CAPABILITIES]: TASKS } }
const RUN = { name: 'sg_render', arguments: {} }

let world: World
let door: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  ada = await world.user('ada')
  await world.skill('sg_render', { price: 2, config: { task: { max_sec: 600 } } })
  await world.skill('sg_must', { price: 2, config: { task: { max_sec: 600, required: true } } })
  await world.skill('sg_sunny', { price: 2 })
})

type Reply = { readonly result?: JsonObject; readonly error?: JsonObject }

const replyIn = (out: MemoryResponse): Reply => JSON.parse(out.text)

/** Calls a tool; the answer is there after `ms`, and `done` resolves when its work is done. */
async function call(ms: number, params: JsonObject = RUN, key = ada) {
  const { done, out } = opened(door, withKey(key, modern('tools/call', params, DECLARED)))
  await world.clock.advance(ms)
  return { out, done }
}

async function ask(method: string, taskId: Json, key = ada, more: JsonObject = {}): Promise<Reply> {
  const headers = { 'mcp-name': String(taskId) }
  const sent = modern(method, { taskId, ...more }, { ...DECLARED, headers })
  return replyIn(await post(door, withKey(key, sent)))
}

/** A call of a tool that takes `afterMs`, a second after its POST. */
async function started(afterMs: number) {
  world.upstream.next({ kind: 'answer', afterMs })
  const { done, out } = await call(1_000)
  const taskId = String(replyIn(out).result?.['taskId'])
  return { done, out, taskId }
}

describe('a call that ends within a second', () => {
  test('is answered directly, and charged', async () => {
    world.upstream.next({ kind: 'answer', afterMs: 999 })
    const { done, out } = await call(999)
    await done
    expect(replyIn(out).result).toMatchObject({ resultType: 'complete', isError: false })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a call whose client leaves within the second is cut, and free', async () => {
    world.upstream.next({ kind: 'hang' })
    const { done, out } = await call(500)
    out.destroy()
    await world.clock.settle()
    await done
    expect(world.upstream.cuts()).toBe(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('a call that takes longer', () => {
  // Holds: TASK-3
  test('is answered with a task that can be read at once', async () => {
    const { out, taskId } = await started(60_000)
    expect(taskId).toMatch(/^task_[A-Za-z0-9_-]{43}$/)
    const times = { createdAt: expect.any(String), lastUpdatedAt: expect.any(String) }
    const kept = { ttlMs: 86_400_000, pollIntervalMs: 2_000, _meta: expect.any(Object) }
    const task = { taskId, status: 'working', ...times, ...kept }
    expect(replyIn(out).result).toEqual({ resultType: 'task', ...task })
    expect((await ask('tasks/get', taskId)).result).toEqual({ resultType: 'complete', ...task })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 2 })
  })

  // Holds: TASK-7
  test('a task ends with the result of its call, and is charged once', async () => {
    const { done, out, taskId } = await started(600_000 - 1)
    // Its client closes the connection when it has its answer.
    out.destroy()
    await world.clock.advance(600_000)
    await done
    const read = (await ask('tasks/get', taskId)).result
    expect(read).toMatchObject({ status: 'completed', resultType: 'complete' })
    expect(read?.['result']).toMatchObject({
      resultType: 'complete',
      isError: false,
      structuredContent: { sunny: true },
    })
    expect((await ask('tasks/get', taskId)).result).toEqual(read)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
    expect(world.clock.sleepers()).toBe(0)
  })

  test('a task keeps its price on hold while sweeps run', async () => {
    const { done } = await started(590_000)
    for (let minutes = 1; minutes <= 9; minutes += 1) {
      await world.clock.advance(60_000)
      await sweepHolds(world.ports)
      expect(await world.credits('ada')).toEqual({ free: 98, held: 2 })
    }
    await world.clock.advance(60_000)
    await done
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  // Holds: TASK-5
  test('a task whose upstream fails has completed with an error, and is free', async () => {
    world.upstream.always({ kind: 'answer', status: 500, afterMs: 5_000 })
    const { done, out } = await call(1_000)
    const taskId = String(replyIn(out).result?.['taskId'])
    await world.clock.advance(60_000)
    await done
    const read = (await ask('tasks/get', taskId)).result
    expect(read).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  // Holds: TASK-5
  test('a task whose upstream asks for what its client cannot do has failed with an error, and is free', async () => {
    await world.skill('sg_ask', {
      price: 2,
      config: { task: { max_sec: 600 }, response: { as: 'mcp' } },
    })
    const requests = { roots: { method: 'roots/list', params: {} } }
    const body = JSON.stringify({ resultType: 'input_required', inputRequests: requests })
    world.upstream.next({ kind: 'answer', afterMs: 2_000, body })
    const { done, out } = await call(1_000, { name: 'sg_ask', arguments: {} })
    const taskId = String(replyIn(out).result?.['taskId'])
    await world.clock.advance(2_000)
    await done
    const read = (await ask('tasks/get', taskId)).result
    expect(read).toMatchObject({
      status: 'failed',
      error: { code: -32021, data: { requiredCapabilities: { roots: {} } } },
    })
    expect(read).not.toHaveProperty('result')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a task past its max_sec has completed with an error, and is free', async () => {
    world.upstream.next({ kind: 'deaf' })
    const { done, out } = await call(1_000)
    const taskId = String(replyIn(out).result?.['taskId'])
    await world.clock.advance(598_999)
    expect((await ask('tasks/get', taskId)).result).toMatchObject({ status: 'working' })
    await world.clock.advance(1_001)
    await done
    const read = (await ask('tasks/get', taskId)).result
    expect(read).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(JSON.stringify(read)).toContain('600.0 s')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a task whose store fails is no task: the call is stopped, and free', async () => {
    world.ports.tasks = {
      ...world.ports.tasks,
      create: () => Promise.reject(new Error('the store is down')),
    }
    door = doorOf(world)
    world.upstream.next({ kind: 'hang' })
    const { done, out } = await call(1_000)
    await world.clock.settle()
    await done
    expect(replyIn(out).error).toMatchObject({ code: -32603 })
    expect(world.upstream.cuts()).toBe(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a task has a result of 3,967,232 bytes, and a link to a longer one', async () => {
    const config = { task: { max_sec: 60 }, max_response_bytes: 4_000_000 }
    await world.skill('sg_long', { price: 2, config })
    const end = async (letters: number) => {
      const text = { body: 'x'.repeat(letters), mediaType: 'text/plain' }
      world.upstream.next({ kind: 'answer', afterMs: 2_000, ...text })
      const { done, out } = await call(1_000, { name: 'sg_long', arguments: {} })
      const taskId = String(replyIn(out).result?.['taskId'])
      await world.clock.advance(2_000)
      await done
      return (await ask('tasks/get', taskId)).result ?? {}
    }
    const block = JSON.stringify({ type: 'text', text: '' }).length + 1
    const longest = await end(3_967_232 - block)
    expect(longest).toMatchObject({ result: { content: [{ type: 'text' }], isError: false } })
    expect(JSON.stringify(longest).length).toBeGreaterThan(3_967_232)
    const longer = await end(3_967_233 - block)
    expect(longer).toMatchObject({
      status: 'completed',
      result: { content: [{ type: 'text' }, { type: 'resource_link' }], isError: false },
    })
    expect(await world.credits('ada')).toEqual({ free: 96, held: 0 })
  })
})

describe('a cancelled task', () => {
  // Holds: TASK-11
  test('is cut and refunded once, however often its cancellation comes', async () => {
    const { done, taskId } = await started(60_000)
    for (let times = 1; times <= 3; times += 1) {
      const { result } = await ask('tasks/cancel', taskId)
      expect(result).toEqual({ resultType: 'complete', _meta: expect.any(Object) })
    }
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    await world.clock.advance(30_000)
    await done
    expect(world.upstream.cuts()).toBe(1)
    const read = (await ask('tasks/get', taskId)).result
    expect(read).toMatchObject({ status: 'cancelled' })
    expect(read).not.toHaveProperty('result')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  // Holds: TASK-6, TASK-11
  test('a task that has completed stays so, charged, when it is cancelled', async () => {
    const { done, taskId } = await started(5_000)
    await world.clock.advance(5_000)
    await done
    expect((await ask('tasks/cancel', taskId)).result).toMatchObject({ resultType: 'complete' })
    expect((await ask('tasks/get', taskId)).result).toMatchObject({ status: 'completed' })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a cancellation at the moment of the result charges a call exactly when its result is kept', async () => {
    for (const early of [0, 1, 2, 3, 4, 5]) {
      const before = await world.credits('ada')
      const { done, taskId } = await started(5_000)
      await world.clock.advance(3_999)
      const passing = world.clock.advance(1 + early)
      const cancelling = ask('tasks/cancel', taskId)
      await Promise.all([passing, cancelling])
      await world.clock.advance(30_000)
      await done
      const status = (await ask('tasks/get', taskId)).result?.['status']
      const after = await world.credits('ada')
      expect(['completed', 'cancelled']).toContain(status)
      expect(before.free - after.free).toBe(status === 'completed' ? 2 : 0)
    }
  })
})

describe('a task whose process died', () => {
  /** A process that died at this moment writes no more. */
  function die() {
    const { tasks } = world.ports
    const never = () => new Promise<never>(() => {})
    world.ports.tasks = { ...tasks, end: never, renew: never }
    door = doorOf(world)
    return () => {
      world.ports.tasks = tasks
      door = doorOf(world)
    }
  }

  // Holds: TASK-5
  test('is read as failed once its lease is over, and is free', async () => {
    world.upstream.next({ kind: 'hang' })
    const live = die()
    const { out } = await call(1_000)
    const taskId = String(replyIn(out).result?.['taskId'])
    live()
    world.clock.jump(60_000)
    expect((await ask('tasks/get', taskId)).result).toMatchObject({ status: 'working' })
    world.clock.jump(1)
    const read = (await ask('tasks/get', taskId)).result
    expect(read).toMatchObject({ status: 'failed', error: { code: -32603 } })
    expect((await ask('tasks/get', taskId)).result).toEqual(read)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a task whose worker renews its lease works on', async () => {
    const { done, taskId } = await started(590_000)
    for (let minutes = 1; minutes <= 9; minutes += 1) {
      await world.clock.advance(60_000)
      expect((await ask('tasks/get', taskId)).result).toMatchObject({ status: 'working' })
    }
    await world.clock.advance(60_000)
    await done
    expect((await ask('tasks/get', taskId)).result).toMatchObject({ status: 'completed' })
  })

  test('a worker that the store does not answer for half a minute tries again, and works on', async () => {
    const { done, taskId } = await started(120_000)
    const { tasks } = world.ports
    const { renew } = tasks
    let fails = 4
    const failing: typeof renew = async (of) => {
      fails -= 1
      if (fails >= 0) throw new Error('the store is down')
      return renew(of)
    }
    Object.assign(tasks, { renew: failing })
    await world.clock.advance(120_000)
    await done
    expect((await ask('tasks/get', taskId)).result).toMatchObject({ status: 'completed' })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })
})

describe('a task costs the store', () => {
  test('two writes a minute while it works, and no read', async () => {
    const { done } = await started(600_000 - 1)
    const { ledger, tasks } = world.ports
    const seen = { finds: 0, renewals: 0 }
    const [find, renew] = [ledger.find, tasks.renew]
    Object.assign(ledger, {
      find: (key: Parameters<typeof find>[0]) => {
        seen.finds += 1
        return find(key)
      },
    })
    Object.assign(tasks, {
      renew: (of: Parameters<typeof renew>[0]) => {
        seen.renewals += 1
        return renew(of)
      },
    })
    await world.clock.advance(300_000)
    expect(seen).toEqual({ finds: 0, renewals: 10 })
    await world.clock.advance(300_000)
    await done
  })
})

describe('owners of tasks', () => {
  // Holds: TASK-4
  test.each(['tasks/get', 'tasks/update', 'tasks/cancel'])(
    'another key that sends %s is answered as for a task that does not exist',
    async (method) => {
      const { taskId } = await started(60_000)
      const bob = await world.user('bob')
      const more = method === 'tasks/update' ? { inputResponses: {} } : {}
      const foreign = await ask(method, taskId, bob, more)
      const unknown = await ask(method, `task_${'A'.repeat(43)}`, bob, more)
      expect(foreign.error).toMatchObject({ code: -32602 })
      expect(foreign).toEqual(unknown)
      expect((await ask('tasks/get', taskId)).result).toMatchObject({ status: 'working' })
    },
  )

  test.each(['', 'x', 'task_short', '../head', 7])(
    'an id that no task has, %j, is -32602',
    async (taskId) => {
      expect((await ask('tasks/get', taskId)).error).toMatchObject({ code: -32602 })
    },
  )

  // Holds: TASK-4
  test('a task is gone a day after its creation', async () => {
    const { done, taskId } = await started(5_000)
    await world.clock.advance(5_000)
    await done
    world.clock.jump(86_390_000)
    expect((await ask('tasks/get', taskId)).result).toMatchObject({ status: 'completed' })
    world.clock.jump(10_000)
    expect((await ask('tasks/get', taskId)).error).toMatchObject({ code: -32602 })
  })
})

describe('polls of a task', () => {
  // Holds: TASK-12
  test('are answered ten times a second, free, and refused without a read beyond that', async () => {
    const { taskId } = await started(60_000)
    const { read } = world.ports.tasks
    let reads = 0
    world.ports.tasks.read = (hash) => {
      reads += 1
      return read(hash)
    }
    for (let n = 1; n <= 10; n += 1) {
      expect((await ask('tasks/get', taskId)).result).toMatchObject({ status: 'working' })
    }
    const { error } = await ask('tasks/get', taskId)
    expect(error).toMatchObject({ code: -31004, data: { code: 'rate_limited' } })
    expect(String(error?.['message'])).toContain('10 times a second')
    expect(reads).toBe(10)
    expect((await ask('tasks/cancel', taskId)).result).toMatchObject({ resultType: 'complete' })
    await world.clock.advance(1_000)
    expect((await ask('tasks/get', taskId)).result).toMatchObject({ status: 'cancelled' })
  })

  test("polls of another key do not use up the owner's", async () => {
    const { taskId } = await started(60_000)
    const bob = await world.user('bob')
    for (let n = 1; n <= 20; n += 1) await ask('tasks/get', taskId, bob)
    expect((await ask('tasks/get', taskId)).result).toMatchObject({ status: 'working' })
  })
})

describe('a request that does not declare the extension', () => {
  // Holds: TASK-1
  test('a call that does not declare the extension is answered within its 15 s', async () => {
    world.upstream.next({ kind: 'hang' })
    const { done, out } = opened(door, withKey(ada, modern('tools/call', RUN)))
    await world.clock.advance(15_000)
    await done
    expect(replyIn(out).result).toMatchObject({ isError: true })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a call of a skill that requires a task is refused with what to declare, and free', async () => {
    const must = { name: 'sg_must', arguments: {} }
    const out = await post(door, withKey(ada, modern('tools/call', must)))
    expect(out.status).toBe(400)
    expect(replyIn(out).error).toMatchObject({
      code: -32021,
      data: { requiredCapabilities: TASKS },
    })
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  // Holds: TASK-2
  test('a request about a task that does not declare the extension is -32021', async () => {
    const { taskId } = await started(60_000)
    const sent = modern('tasks/get', { taskId }, { headers: { 'mcp-name': taskId } })
    const out = await post(door, withKey(ada, sent))
    expect([out.status, replyIn(out).error?.['code']]).toEqual([400, -32021])
  })

  // Holds: TASK-8
  test('a request about a task without the header Mcp-Name is -32020', async () => {
    const { taskId } = await started(60_000)
    const out = await post(door, withKey(ada, modern('tasks/get', { taskId }, DECLARED)))
    expect([out.status, replyIn(out).error?.['code']]).toEqual([400, -32020])
  })
})

describe('the number of tasks', () => {
  test('a user has 8 tasks at once, and not one more, beside calls in flight', async () => {
    world.upstream.always({ kind: 'hang' })
    for (let n = 1; n <= 8; n += 1) {
      expect(replyIn((await call(1_000)).out).result).toMatchObject({ resultType: 'task' })
    }
    const ninth = replyIn((await call(0)).out).result
    expect(ninth).toMatchObject({ isError: true })
    expect(JSON.stringify(ninth)).toContain('8 tasks')
    world.upstream.next({ kind: 'answer' })
    const other = await call(0, { name: 'sg_sunny', arguments: {} })
    expect(replyIn(other.out).result).toMatchObject({ isError: false })
  })
})
