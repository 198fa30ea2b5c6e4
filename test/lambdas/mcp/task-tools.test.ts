/** Tasks for clients of revisions before 2026-07-28: answers in words, and two built-in tools. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import { makeWorld, type SkillMore, type World } from '../../core/flow/world.ts'
import { doorOf, legacy, modern, opened, post, withKey } from './agent.ts'

const OUTPUT = { type: 'object', properties: { sunny: { type: 'boolean' } } }
const TASK_TOOLS = ['sg_cancel_task', 'sg_task']

let world: World
let door: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  ada = await world.user('ada')
})

const addMust = (more: SkillMore = {}) =>
  world.skill('sg_must', {
    price: 2,
    config: { task: { max_sec: 600, required: true } },
    ...more,
  })

/** Calls a tool as a client of 2025-11-25; the answer is there after `ms`. */
async function call(name: string, args: JsonObject = {}, ms = 0, key = ada) {
  const sent = legacy('tools/call', { name, arguments: args }, { version: '2025-11-25' })
  const { done, out } = opened(door, withKey(key, sent))
  await world.clock.advance(ms)
  await world.clock.settle()
  return { done, out }
}

async function resultOf(name: string, args: JsonObject, key = ada): Promise<JsonObject> {
  const { out } = await call(name, args, 0, key)
  return JSON.parse(out.text).result
}

const textOf = ({ content }: JsonObject): string => String(Object(Object(content)[0])['text'])

/** A call that takes `afterMs`, and the id of its task. */
async function started(afterMs: number) {
  world.upstream.next({ kind: 'answer', afterMs })
  const { done, out } = await call('sg_must', {}, 1_000)
  const { result } = JSON.parse(out.text)
  return { done, result, taskId: /task_[\w-]{43}/.exec(textOf(result))?.[0] ?? '' }
}

async function listed(key: string | undefined, version = '2025-11-25'): Promise<readonly Json[]> {
  const sent =
    version === '2026-07-28' ? modern('tools/list') : legacy('tools/list', {}, { version })
  const out = await post(door, withKey(key, sent))
  return JSON.parse(out.text).result.tools
}

const namesOf = (tools: readonly Json[]) => tools.map((tool) => Object(tool)['name'])
const taskToolsIn = (tools: readonly Json[]) =>
  namesOf(tools).filter((name) => TASK_TOOLS.includes(name))

describe('a call of an earlier revision', () => {
  test('of a skill that requires a task is answered with its id in words', async () => {
    await addMust()
    const { result, taskId } = await started(60_000)
    expect(taskId).toMatch(/^task_/)
    expect(result).toMatchObject({ isError: false })
    expect(textOf(result)).toContain(`sg_task with {"task_id": "${taskId}"}`)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 2 })
  })

  test('of a skill that requires a task is answered directly if it ends within a second', async () => {
    await addMust()
    world.upstream.next({ kind: 'answer', afterMs: 900 })
    const { done, out } = await call('sg_must', {}, 900)
    await done
    expect(JSON.parse(out.text).result).toMatchObject({ structuredContent: { sunny: true } })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('of a skill that may run as a task is answered within 15 s, and makes no task', async () => {
    await world.skill('sg_may', { price: 2, config: { task: { max_sec: 600 } } })
    world.upstream.next({ kind: 'hang' })
    const { done, out } = await call('sg_may', {}, 15_000)
    await done
    expect(JSON.parse(out.text).result).toMatchObject({ isError: true })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('that its client cancels within the second is cut, and free', async () => {
    await addMust()
    world.upstream.next({ kind: 'hang' })
    const { done } = await call('sg_must', {}, 500)
    await post(door, withKey(ada, cancelled()))
    await world.clock.settle()
    await done
    expect(world.upstream.cuts()).toBe(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('that is a task goes on when its client cancels the request', async () => {
    await addMust()
    const { done, taskId } = await started(5_000)
    await post(door, withKey(ada, cancelled()))
    await world.clock.advance(5_000)
    await done
    expect(await resultOf('sg_task', { task_id: taskId })).toMatchObject({ isError: false })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })
})

/** notifications/cancelled of the request that `legacy` makes. */
function cancelled() {
  const { body, ...sent } = legacy('notifications/cancelled', { requestId: 1 })
  const { id: _, ...message } = Object(body)
  return { ...sent, body: message }
}

describe('the tool sg_task', () => {
  test('says that a task works, and then gives the result of its call, as often as it is asked', async () => {
    await addMust()
    const { done, taskId } = await started(5_000)
    const working = await resultOf('sg_task', { task_id: taskId })
    expect(working).toMatchObject({ isError: false })
    expect(textOf(working)).toContain('is working')
    await world.clock.advance(5_000)
    await done
    for (const _ of [1, 2]) {
      expect(await resultOf('sg_task', { task_id: taskId })).toMatchObject({
        content: [{ type: 'text' }],
        structuredContent: { sunny: true },
        isError: false,
      })
    }
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('gives the error of a call whose upstream failed, which is free', async () => {
    await addMust()
    world.upstream.always({ kind: 'answer', status: 500, afterMs: 5_000 })
    const { done, out } = await call('sg_must', {}, 1_000)
    const taskId = /task_[\w-]{43}/.exec(out.text)?.[0] ?? ''
    await world.clock.advance(60_000)
    await done
    const result = await resultOf('sg_task', { task_id: taskId })
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).not.toContain('task_id')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('says that a task whose process died has failed, and its call is free', async () => {
    await addMust()
    const { taskId } = await started(Number.MAX_SAFE_INTEGER)
    world.clock.jump(640_000)
    const result = await resultOf('sg_task', { task_id: taskId })
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toContain('has failed')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test.each([
    ['an id that no task has', { task_id: `task_${'A'.repeat(43)}` }],
    ['no id', {}],
    ['a number', { task_id: 7 }],
    ['a further argument', { task_id: 'x', all: true }],
  ])('refuses %s', async (_what, args) => {
    const result = await resultOf('sg_task', args)
    expect(result).toMatchObject({ isError: true })
    expect(textOf(result)).toContain('task_id')
  })

  test('and sg_cancel_task know no task of another key', async () => {
    await addMust()
    const { taskId } = await started(60_000)
    const bob = await world.user('bob')
    for (const tool of ['sg_task', 'sg_cancel_task']) {
      expect(await resultOf(tool, { task_id: taskId }, bob)).toEqual(
        await resultOf(tool, { task_id: `task_${'A'.repeat(43)}` }, bob).then((unknown) => ({
          ...unknown,
          _meta: expect.any(Object),
        })),
      )
    }
    expect(textOf(await resultOf('sg_task', { task_id: taskId }))).toContain('is working')
  })
})

describe('the tool sg_cancel_task', () => {
  test('stops a task and gives its credits back once, however often it is called', async () => {
    await addMust()
    const { done, taskId } = await started(60_000)
    for (const _ of [1, 2, 3]) {
      const result = await resultOf('sg_cancel_task', { task_id: taskId })
      expect(textOf(result)).toContain('is cancelled and cost nothing')
    }
    // The next renewal of the lease tells the worker.
    await world.clock.advance(30_000)
    await done
    expect(world.upstream.cuts()).toBe(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect(textOf(await resultOf('sg_task', { task_id: taskId }))).toContain('was cancelled')
  })

  test('leaves a task that has ended as it is, charged', async () => {
    await addMust()
    const { done, taskId } = await started(5_000)
    await world.clock.advance(5_000)
    await done
    const result = await resultOf('sg_cancel_task', { task_id: taskId })
    expect(textOf(result)).toContain('it is completed')
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })
})

describe('the list of tools', () => {
  const REVISIONS = ['2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

  test('has both tools, in order, once a skill requires a task', async () => {
    await world.skill('sg_may', { config: { task: { max_sec: 600 } } })
    for (const version of REVISIONS) expect(taskToolsIn(await listed(ada, version))).toEqual([])
    await addMust()
    for (const version of REVISIONS) {
      const names = namesOf(await listed(ada, version))
      expect(names.filter((name) => TASK_TOOLS.includes(name))).toEqual(TASK_TOOLS)
      expect(names).toEqual(names.toSorted())
    }
    expect(taskToolsIn(await listed(undefined))).toEqual(TASK_TOOLS)
  })

  test('has them for members of the group of such a skill alone', async () => {
    await addMust({ groups: ['film'] })
    expect(taskToolsIn(await listed(ada))).toEqual([])
    const bob = await world.user('bob', { groups: ['film'] })
    expect(taskToolsIn(await listed(bob))).toEqual(TASK_TOOLS)
    expect(taskToolsIn(await listed(undefined))).toEqual([])
  })

  test('has them for the owner of a private skill that requires a task alone', async () => {
    await addMust({ source: 'private', uid: 'ada' })
    expect(taskToolsIn(await listed(ada))).toEqual(TASK_TOOLS)
    expect(taskToolsIn(await listed(await world.user('bob')))).toEqual([])
  })

  test('shows no output schema of such a tool to clients that have no tasks', async () => {
    await addMust({ outputSchema: OUTPUT })
    const schemaAt = async (version: string) =>
      Object((await listed(ada, version)).find((tool) => Object(tool)['name'] === 'sg_must'))[
        'outputSchema'
      ]
    expect(await schemaAt('2025-11-25')).toBeUndefined()
    expect(await schemaAt('2025-06-18')).toBeUndefined()
    expect(await schemaAt('2026-07-28')).toBeDefined()
  })
})
