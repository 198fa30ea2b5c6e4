/** Upstreams that ask behind the answer of a call: the task asks its client, with the price on hold. */
import { beforeEach, describe, expect, test } from 'vitest'
import { sweepHolds } from '../../../core/flow/execute/sweep-holds.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import { type Client, clientOf, replyIn } from './task-calls.ts'

const ASK = { method: 'elicitation/create', params: { message: 'To whom?' } }
const DONE = JSON.stringify({ content: [{ type: 'text', text: 'sent' }] })
const CAN = { elicitation: {} }
const YES = { action: 'accept', content: { name: 'Bob' } }
const NO = { action: 'decline' }
const SENDING: JsonObject = {
  method: 'POST',
  body: { what: '{{args.what}}', to: '{{input.responses}}', at: '{{input.state}}' },
  response: { as: 'mcp' },
  task: { max_sec: 60 },
}
const RUN = { name: 'sg_send', arguments: { what: 'a letter' } }

let world: World
let ada: string
let client: Client

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  await pushSkill()
  client = clientOf(world, ada, CAN)
})

function pushSkill(more: { readonly price?: number; readonly config?: JsonObject } = {}) {
  const parameters = { type: 'object', properties: { what: { type: 'string' } } }
  return world.skill('sg_send', { price: 2, parameters, config: SENDING, ...more })
}

/** A task whose upstream asks these questions after two seconds. */
async function asked(inputRequests: JsonObject = { to: ASK }, more: JsonObject = {}) {
  asks(2_000, inputRequests, more)
  const { done, out } = await client.call(1_000, RUN)
  const taskId = String(replyIn(out).result?.['taskId'])
  await world.clock.advance(2_000)
  await done
  return taskId
}

function asks(afterMs: number, inputRequests: JsonObject, more: JsonObject = {}): void {
  const body = JSON.stringify({ resultType: 'input_required', inputRequests, ...more })
  world.upstream.next({ kind: 'answer', afterMs, body })
}

function completes(afterMs = 0): void {
  world.upstream.next({ kind: 'answer', afterMs, body: DONE })
}

async function openKeys(taskId: string): Promise<string[]> {
  return Object.keys(Object((await client.get(taskId))?.['inputRequests'])).sort()
}

const sentBody = (nth: number): JsonObject =>
  JSON.parse(String(world.upstream.requests[nth]?.body ?? 'null'))

/** Answers, and lets all work that follows end. */
async function update(taskId: string, responses: JsonObject): Promise<void> {
  const { done } = client.update(taskId, responses)
  await world.clock.advance(2_000)
  await done
}

describe('a task whose upstream asks', () => {
  test('shows the questions, and goes on with the answers, for one charge', async () => {
    const taskId = await asked({ to: ASK }, { requestState: 'round 1' })
    const read = await client.get(taskId)
    expect(read).toMatchObject({ resultType: 'complete', status: 'input_required' })
    expect(read?.['inputRequests']).toEqual({ 'to~1': ASK })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 2 })
    completes()
    await update(taskId, { 'to~1': YES })
    expect(sentBody(1)).toEqual({ what: 'a letter', to: { to: YES }, at: 'round 1' })
    expect(await client.get(taskId)).toMatchObject({
      status: 'completed',
      result: { isError: false, content: [{ text: 'sent' }] },
    })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
    expect(world.clock.sleepers()).toBe(0)
  })

  test('a question in the first second is asked directly, without a task', async () => {
    asks(500, { to: ASK })
    const { done, out } = await client.call(500, RUN)
    await done
    expect(replyIn(out).result).toMatchObject({ resultType: 'input_required' })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('an update is answered before its call has ended', async () => {
    const taskId = await asked()
    completes(30_000)
    const { done } = client.update(taskId, { 'to~1': YES })
    await world.clock.settle()
    const read = await client.get(taskId)
    expect(read).toMatchObject({ status: 'working' })
    expect(read).not.toHaveProperty('inputRequests')
    await world.clock.advance(30_000)
    await done
    expect(await client.get(taskId)).toMatchObject({ status: 'completed' })
  })

  test('answers may come in parts, and those to no open question are ignored', async () => {
    const taskId = await asked({ to: ASK, from: ASK })
    await update(taskId, { 'to~1': YES, 'x~1': NO, to: NO, 'to~2': NO })
    await update(taskId, { 'to~1': NO })
    expect(await openKeys(taskId)).toEqual(['from~1'])
    expect(world.upstream.requests).toHaveLength(1)
    completes()
    await update(taskId, { 'to~1': NO, 'from~1': NO })
    expect(sentBody(1)).toMatchObject({ to: { to: YES, from: NO } })
    expect(await client.get(taskId)).toMatchObject({ status: 'completed' })
  })

  test('an update that comes twice, or ten times at once, runs the call once', async () => {
    const taskId = await asked()
    completes()
    const all = Array.from({ length: 10 }, () => client.update(taskId, { 'to~1': YES }).done)
    await world.clock.advance(2_000)
    await Promise.all(all)
    await update(taskId, { 'to~1': YES })
    expect(world.upstream.requests).toHaveLength(2)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('parts that come at once are all kept', async () => {
    const requests = Object.fromEntries([...'abcdefgh'].map((key) => [key, ASK]))
    const taskId = await asked(requests)
    completes()
    const all = [...'abcdefgh'].map((key) => client.update(taskId, { [`${key}~1`]: YES }).done)
    await world.clock.advance(2_000)
    await Promise.all(all)
    expect(await client.get(taskId)).toMatchObject({ status: 'completed' })
    expect(world.upstream.requests).toHaveLength(2)
  })

  test('a second round has keys of its own, and the ninth ends the task, free', async () => {
    const taskId = await asked()
    for (let round = 2; round <= 8; round += 1) {
      asks(0, { to: ASK })
      await update(taskId, { [`to~${round - 1}`]: YES })
      expect(await openKeys(taskId)).toEqual([`to~${round}`])
    }
    asks(0, { to: ASK })
    await update(taskId, { 'to~8': YES })
    const read = await client.get(taskId)
    expect(read).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(JSON.stringify(read)).toContain('more than 8 times')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a failure of the last round gives the price back', async () => {
    const taskId = await asked()
    world.upstream.next({ kind: 'answer', status: 500 })
    await update(taskId, { 'to~1': YES })
    expect(await client.get(taskId)).toMatchObject({
      status: 'completed',
      result: { isError: true },
    })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a cancelled question is given back once, and answers come too late', async () => {
    const taskId = await asked()
    for (const _time of [1, 2]) await client.ask('tasks/cancel', taskId)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    await update(taskId, { 'to~1': YES })
    expect(await client.get(taskId)).toMatchObject({ status: 'cancelled' })
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a question waits for an hour, through sweeps and calls, with its price on hold', async () => {
    const taskId = await asked()
    for (let minutes = 9; minutes <= 54; minutes += 9) {
      world.clock.jump(540_000)
      await sweepHolds(world.ports)
      expect(await world.credits('ada')).toEqual({ free: 98, held: 2 })
    }
    world.clock.jump(359_000)
    completes()
    await update(taskId, { 'to~1': YES })
    expect(await client.get(taskId)).toMatchObject({
      status: 'completed',
      result: { isError: false },
    })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a question that nobody answers within an hour has completed with an error, and is free', async () => {
    const taskId = await asked()
    world.clock.jump(3_600_001)
    await update(taskId, { 'to~1': YES })
    expect(world.upstream.requests).toHaveLength(1)
    const read = await client.get(taskId)
    expect(read).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(JSON.stringify(read)).toContain('within an hour')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('the sweep gives the price of such a question back if nobody reads it', async () => {
    await asked()
    world.clock.jump(3_780_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a skill that costs more by now is charged as it was held', async () => {
    const taskId = await asked()
    await pushSkill({ price: 50 })
    world.clock.jump(60_000)
    completes()
    await update(taskId, { 'to~1': YES })
    expect(await client.get(taskId)).toMatchObject({
      status: 'completed',
      result: { isError: false },
    })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a skill that runs no tasks any more ends the task with the reason, free', async () => {
    const taskId = await asked()
    const { task: _none, ...config } = SENDING
    await pushSkill({ config })
    world.clock.jump(60_000)
    await update(taskId, { 'to~1': YES })
    const read = await client.get(taskId)
    expect(read).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(world.upstream.requests).toHaveLength(1)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test.each([
    ['no object', 7],
    ['an answer that is no object', { 'to~1': 'yes' }],
    ['65 answers', Object.fromEntries(Array.from({ length: 65 }, (_, n) => [`k${n}`, NO]))],
    ['answers of more than 262,144 bytes', { 'to~1': { x: 'x'.repeat(262_144) } }],
  ])('%s is refused, and the question stays', async (_what, inputResponses) => {
    const taskId = await asked()
    expect((await client.ask('tasks/update', taskId, { inputResponses })).error).toMatchObject({
      code: -32602,
    })
    expect(await openKeys(taskId)).toEqual(['to~1'])
  })

  test('a worker that dies after the last answer leaves a failed task, free', async () => {
    const taskId = await asked()
    const { tasks } = world.ports
    const never = () => new Promise<never>(() => {})
    world.ports.tasks = { ...tasks, end: never, renew: never }
    world.upstream.next({ kind: 'hang' })
    clientOf(world, ada, CAN).update(taskId, { 'to~1': YES })
    await world.clock.settle()
    world.ports.tasks = tasks
    client = clientOf(world, ada, CAN)
    world.clock.jump(60_001)
    expect(await client.get(taskId)).toMatchObject({ status: 'failed' })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})
