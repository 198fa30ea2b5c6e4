/** Jobs of upstreams as tasks: what a client of 2026-07-28 with the extension sees, and what it pays. */
import { randomBytes } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import { Fault } from '../../../core/errors.ts'
import { sweepHolds } from '../../../core/flow/execute/sweep-holds.ts'
import { setSecret } from '../../../core/flow/users/manage-secrets.ts'
import type { JsonObject } from '../../../core/json/json.ts'
import type { Script } from '../../core/flow/doubles.ts'
import { makeWorld, okOf, type World } from '../../core/flow/world.ts'
import type { MemoryResponse } from '../door-client.ts'
import { doorOf, legacy, modern, opened, post, withKey } from './agent.ts'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const DECLARED = {
  meta: { [CAPABILITIES]: { extensions: { 'io.modelcontextprotocol/tasks': {} } } },
}
const API = 'https://api.example/jobs'
const STATUS = {
  endpoint: `${API}/{id}`,
  pointer: '/status',
  done: ['done'],
  failed: ['failed'],
  message: '/note',
  progress: '/progress',
}
const JOB: JsonObject = {
  values: { id: '/id' },
  status: STATUS,
  cancel: { method: 'DELETE', endpoint: `${API}/{id}` },
}
const STARTED: JsonObject = { id: 'j/1', status: 'queued' }
const DONE: JsonObject = { id: 'j/1', status: 'done', url: 'https://cdn.example/1.png' }

let world: World
let door: StreamingHandler
let ada: string

beforeEach(async () => {
  world = makeWorld()
  door = doorOf(world)
  ada = await world.user('ada')
  await skill('sg_draw', JOB)
})

function skill(id: string, job: JsonObject, task: JsonObject = {}, more: JsonObject = {}) {
  const config = { endpoint: API, method: 'POST', task: { max_sec: 3_600, job, ...task }, ...more }
  return world.skill(id, { price: 2, config })
}

const answer = (body: JsonObject, more: object = {}): Script => ({
  kind: 'answer',
  body: JSON.stringify(body),
  ...more,
})

type Reply = { readonly result?: JsonObject; readonly error?: JsonObject }
const replyIn = (out: MemoryResponse): Reply => JSON.parse(out.text)

async function call(name = 'sg_draw', how: object = DECLARED): Promise<Reply> {
  const sent = modern('tools/call', { name, arguments: {} }, how)
  return replyIn(await post(door, withKey(ada, sent)))
}

async function started(name = 'sg_draw'): Promise<string> {
  world.upstream.next(answer(STARTED))
  const { result } = await call(name)
  expect(result).toMatchObject({ resultType: 'task', status: 'working' })
  return String(result?.['taskId'])
}

async function ask(method: string, taskId: string, key = ada): Promise<Reply> {
  const sent = modern(method, { taskId }, { ...DECLARED, headers: { 'mcp-name': taskId } })
  return replyIn(await post(door, withKey(key, sent)))
}

const read = async (taskId: string) => (await ask('tasks/get', taskId)).result
const sent = () => world.upstream.requests.map(({ method, url }) => `${method} ${url}`)
const START = `POST ${API}`
const QUESTION = `GET ${API}/j%2F1`
const STOP = `DELETE ${API}/j%2F1`

describe('the start of a job', () => {
  test('is answered with a task at once, whose price is on hold and for which nothing runs', async () => {
    await started()
    expect(await world.credits('ada')).toEqual({ free: 98, held: 2 })
    expect(world.clock.sleepers()).toBe(0)
    expect(sent()).toEqual([START])
  })

  test('a start that is done at once is answered directly, and charged', async () => {
    world.upstream.next(answer(DONE))
    expect((await call()).result).toMatchObject({ resultType: 'complete', structuredContent: DONE })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a start that has failed at once is answered directly, and free', async () => {
    world.upstream.next(answer({ id: 'j/1', status: 'failed', note: 'no such style' }))
    const { result } = await call()
    expect(result).toMatchObject({ resultType: 'complete', isError: true })
    expect(JSON.stringify(result)).toContain('no such style')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test.each([
    ['without the value that its addresses need', answer({ status: 'queued' })],
    ['whose value is too long', answer({ id: 'x'.repeat(513), status: 'queued' })],
    ['that is not JSON', { kind: 'answer', body: 'ok', mediaType: 'text/plain' } as const],
    ['with 500', answer(STARTED, { status: 500 })],
  ])('an answer %s is a failure, and free', async (_what, script) => {
    world.upstream.next(script)
    expect((await call()).result).toMatchObject({ resultType: 'complete', isError: true })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a value of 512 characters is kept', async () => {
    world.upstream.next(answer({ id: 'x'.repeat(512), status: 'queued' }))
    expect((await call()).result).toMatchObject({ resultType: 'task' })
  })
})

describe('a running job', () => {
  test('is asked about once per poll interval, however many ask at once', async () => {
    const taskId = await started()
    world.clock.jump(9_999)
    await read(taskId)
    expect(sent()).toEqual([START])
    world.clock.jump(1)
    world.upstream.always(answer({ ...STARTED, progress: 40, note: 'drawing' }))
    await Promise.all(Array.from({ length: 8 }, () => read(taskId)))
    expect(sent()).toEqual([START, QUESTION])
    expect(await read(taskId)).toMatchObject({ status: 'working', statusMessage: 'drawing (40)' })
    world.clock.jump(10_000)
    await read(taskId)
    expect(sent()).toEqual([START, QUESTION, QUESTION])
  })

  test('is charged once with its result, which stays', async () => {
    const taskId = await started()
    world.clock.jump(10_000)
    world.upstream.next(answer(DONE))
    const ended = await read(taskId)
    expect(ended).toMatchObject({
      status: 'completed',
      result: { isError: false, structuredContent: DONE },
    })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
    world.clock.jump(80_000_000)
    expect((await read(taskId))?.['result']).toEqual(ended?.['result'])
    expect(sent()).toEqual([START, QUESTION])
  })

  test('a job that failed has completed with an error, and is free', async () => {
    const taskId = await started()
    world.clock.jump(10_000)
    world.upstream.next(answer({ status: 'failed', note: 'out of paint' }))
    const ended = await read(taskId)
    expect(ended).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(JSON.stringify(ended)).toContain('out of paint')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('the result of a job is fetched from its own address', async () => {
    await skill('sg_file', { ...JOB, result: { endpoint: `${API}/{id}/file` } })
    const taskId = await started('sg_file')
    world.clock.jump(10_000)
    world.upstream.next(answer(DONE), answer({ file: 1 }))
    expect(await read(taskId)).toMatchObject({ result: { structuredContent: { file: 1 } } })
    expect(sent()).toEqual([START, QUESTION, `GET ${API}/j%2F1/file`])
  })

  test('a result that is not there yet is fetched at the next question', async () => {
    await skill('sg_file', { ...JOB, result: { endpoint: `${API}/{id}/file` } })
    const taskId = await started('sg_file')
    world.clock.jump(10_000)
    world.upstream.next(answer(DONE), answer({}, { status: 503 }))
    expect(await read(taskId)).toMatchObject({ status: 'working' })
    world.clock.jump(10_000)
    world.upstream.next(answer(DONE), answer({ file: 1 }))
    expect(await read(taskId)).toMatchObject({ status: 'completed' })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test.each<[string, Script]>([
    ['does not answer', { kind: 'unreachable' }],
    ['answers 503', answer(STARTED, { status: 503 })],
    ['answers too much', { kind: 'too_large' }],
    ['is sent elsewhere', { kind: 'refused_target', detail: 'redirects inward' }],
    ['answers without a status', answer({ id: 'j/1' })],
    ['answers no JSON', { kind: 'answer', body: '<html>', mediaType: 'text/html' }],
  ])(
    'a job whose upstream %s is asked again, and given up after 10 times in a row',
    async (_what, script) => {
      const taskId = await started()
      world.upstream.always(script)
      for (let times = 1; times <= 9; times += 1) {
        world.clock.jump(10_000)
        expect(await read(taskId)).toMatchObject({ status: 'working' })
      }
      world.clock.jump(60_000)
      expect(await read(taskId)).toMatchObject({ status: 'completed', result: { isError: true } })
      expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    },
  )

  test('a question that gives a state begins the count of failed ones anew', async () => {
    const taskId = await started()
    for (let times = 1; times <= 18; times += 1) {
      world.clock.jump(31_000)
      world.upstream.next(times % 9 === 0 ? answer(STARTED) : answer({}, { status: 404 }))
      expect(await read(taskId)).toMatchObject({ status: 'working' })
    }
  })

  test('a question that hangs is cut after 10 s', async () => {
    const taskId = await started()
    world.clock.jump(10_000)
    world.upstream.next({ kind: 'deaf' })
    const reading = read(taskId)
    await world.clock.advance(10_000)
    expect(await reading).toMatchObject({ status: 'working' })
  })

  test('is stopped and refunded after its max_sec, if it runs for ever', async () => {
    const taskId = await started()
    world.upstream.always(answer({ status: 'running' }))
    world.clock.jump(3_599_000)
    expect(await read(taskId)).toMatchObject({ status: 'working' })
    world.clock.jump(10_000)
    const ended = await read(taskId)
    expect(ended).toMatchObject({ status: 'completed', result: { isError: true } })
    expect(JSON.stringify(ended)).toContain('3600 s')
    expect(sent()).toEqual([START, QUESTION, QUESTION, STOP])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('is not taken for dead when it is first read after ten minutes of silence', async () => {
    const taskId = await started()
    world.clock.jump(600_000)
    world.upstream.next(answer(STARTED))
    expect(await read(taskId)).toMatchObject({ status: 'working' })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 2 })
    world.clock.jump(600_000)
    world.upstream.next(answer(DONE))
    expect(await read(taskId)).toMatchObject({ status: 'completed', result: { isError: false } })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a long result that came early can be read a day after the latest end of its job', async () => {
    await skill('sg_day', JOB, { max_sec: 86_400 })
    const taskId = await started('sg_day')
    world.clock.jump(10_000)
    // Random, so that it is stored in several parts.
    const file = randomBytes(600_000).toString('base64')
    world.upstream.next(answer({ ...DONE, file }))
    await read(taskId)
    world.clock.jump(2 * 86_400_000)
    expect(await read(taskId)).toMatchObject({ result: { structuredContent: { file } } })
  })

  test('goes on by the version of its skill that started it', async () => {
    const taskId = await started()
    await skill('sg_draw', { ...JOB, status: { ...STATUS, endpoint: `${API}/{id}/new` } })
    world.clock.jump(40_000)
    world.upstream.next(answer(DONE))
    expect(await read(taskId)).toMatchObject({ status: 'completed' })
    expect(sent()).toEqual([START, QUESTION])
  })
})

describe('the start of a job that takes over a second', () => {
  /** The upstream answers after 3 s; the client has its task after 1 s. */
  async function slow() {
    world.upstream.next(answer(STARTED, { afterMs: 3_000 }))
    const sent = modern('tools/call', { name: 'sg_draw', arguments: {} }, DECLARED)
    const { done, out } = opened(door, withKey(ada, sent))
    await world.clock.advance(1_000)
    const taskId = String(replyIn(out).result?.['taskId'])
    return { done, taskId }
  }

  test('is a task before it has ended, and goes on as the job', async () => {
    const { done, taskId } = await slow()
    expect(await read(taskId)).toMatchObject({ status: 'working' })
    await world.clock.advance(2_000)
    await done
    expect(world.clock.sleepers()).toBe(0)
    world.clock.jump(60_000)
    world.upstream.next(answer(DONE))
    expect(await read(taskId)).toMatchObject({ status: 'completed' })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a task that is cancelled meanwhile is free, and its job is stopped once it has begun', async () => {
    const { done, taskId } = await slow()
    await ask('tasks/cancel', taskId)
    await world.clock.advance(2_000)
    await done
    expect(sent()).toEqual([START, STOP])
    expect(await read(taskId)).toMatchObject({ status: 'cancelled' })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('a job that cannot be stored', () => {
  test.each<[string, () => void]>([
    ['its record', () => failing('jobs', 'create')],
    ['the lease of its task', () => failing('tasks', 'renew')],
  ])('has failed, is free, and is stopped, if the store refuses %s', async (_what, fail) => {
    fail()
    const taskId = await started()
    expect(await read(taskId)).toMatchObject({ status: 'failed' })
    expect(sent()).toEqual([START, STOP])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  function failing(port: 'jobs' | 'tasks', method: string): void {
    const refuse = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports[port] = { ...world.ports[port], [method]: refuse } as never
    door = doorOf(world)
  }
})

describe('a job with an Idempotency-Key', () => {
  const keyed = async (name = 'sg_draw') => {
    const meta = { ...DECLARED.meta, 'skillgate/idempotency-key': 'order-1' }
    return (await call(name, { meta })).result
  }

  test('whose answer was lost is the same task for its repeats, and is charged once', async () => {
    world.upstream.next(answer(STARTED))
    const taskId = String((await keyed())?.['taskId'])
    for (const ms of [0, 30_000, 90_000]) {
      world.clock.jump(ms)
      expect(await keyed()).toMatchObject({ resultType: 'task', taskId, status: 'working' })
    }
    world.upstream.next(answer(DONE))
    expect(await read(taskId)).toMatchObject({ status: 'completed', result: { isError: false } })
    world.clock.jump(120_000)
    expect(await keyed()).toMatchObject({ resultType: 'task', taskId, status: 'completed' })
    expect(sent()).toEqual([START, QUESTION])
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('that failed is the same task for its repeats, and is free', async () => {
    world.upstream.next(answer(STARTED))
    const taskId = String((await keyed())?.['taskId'])
    world.clock.jump(90_000)
    world.upstream.next(answer({ status: 'failed' }))
    await read(taskId)
    expect(await keyed()).toMatchObject({ resultType: 'task', taskId, status: 'completed' })
    expect(sent()).toEqual([START, QUESTION])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('that was cancelled begins anew with its repeat', async () => {
    world.upstream.next(answer(STARTED))
    const taskId = String((await keyed())?.['taskId'])
    await ask('tasks/cancel', taskId)
    world.upstream.next(answer(STARTED))
    expect((await keyed())?.['taskId']).not.toBe(taskId)
    expect(sent()).toEqual([START, STOP, START])
    expect(await world.credits('ada')).toEqual({ free: 98, held: 2 })
  })
})

describe('a client of an earlier revision', () => {
  const old = async (name: string, args: JsonObject = {}) => {
    const sent = legacy('tools/call', { name, arguments: args }, { version: '2025-11-25' })
    const { result } = replyIn(await post(door, withKey(ada, sent)))
    return JSON.stringify(result)
  }
  const idIn = (text: string) => /task_[\w-]{43}/.exec(text)?.[0] ?? ''

  beforeEach(() => skill('sg_must', JOB, { required: true }))

  test('gets the id of a required job in words, and its result from sg_task', async () => {
    world.upstream.next(answer(STARTED))
    const taskId = idIn(await old('sg_must'))
    world.clock.jump(10_000)
    world.upstream.next(answer({ ...STARTED, note: 'drawing' }), answer(DONE))
    expect(await old('sg_task', { task_id: taskId })).toContain('working (drawing)')
    world.clock.jump(10_000)
    expect(await old('sg_task', { task_id: taskId })).toContain('https://cdn.example/1.png')
    expect(sent()).toEqual([START, QUESTION, QUESTION])
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('stops a job with sg_cancel_task, and pays nothing', async () => {
    world.upstream.next(answer(STARTED))
    const taskId = idIn(await old('sg_must'))
    expect(await old('sg_cancel_task', { task_id: taskId })).toContain('cost nothing')
    expect(sent()).toEqual([START, STOP])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('is answered by sg_task in time while the upstream of the job hangs', async () => {
    world.upstream.next(answer(STARTED))
    const taskId = idIn(await old('sg_must'))
    world.clock.jump(10_000)
    world.upstream.next({ kind: 'deaf' })
    const asked = old('sg_task', { task_id: taskId })
    await world.clock.advance(1_500)
    expect(await asked).toContain('is working')
    await world.clock.advance(10_000)
  })

  test('gets the result of a job that is not required within its 15 s, and no task', async () => {
    world.upstream.next(answer(STARTED), answer(DONE))
    const asked = old('sg_draw')
    await world.clock.advance(10_000)
    expect(await asked).toContain('https://cdn.example/1.png')
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })
})

describe('the secrets of a job', () => {
  const place = { uid: 'ada', name: 'API_KEY', skill: undefined }
  const set = async (value: string) =>
    okOf(
      await setSecret(world.ports, world.settings, place, {
        value,
        origins: ['https://api.example'],
      }),
    )
  const authorizations = () =>
    world.upstream.requests.map(({ headers }) => headers['authorization'])

  beforeEach(async () => {
    await set('the-first-key')
    await skill('sg_paint', JOB, {}, { auth: { type: 'bearer', secret: 'API_KEY' } })
  })

  test('are read anew for each question', async () => {
    const taskId = await started('sg_paint')
    await set('the-second-key')
    world.clock.jump(60_000)
    world.upstream.next(answer(DONE))
    expect(await read(taskId)).toMatchObject({ status: 'completed' })
    expect(authorizations()).toEqual(['Bearer the-first-key', 'Bearer the-second-key'])
  })

  test('are masked in what agents read of its state and its result', async () => {
    const taskId = await started('sg_paint')
    world.clock.jump(10_000)
    world.upstream.next(answer({ ...STARTED, note: 'key the-first-key' }))
    expect((await read(taskId))?.['statusMessage']).toBe('key [secret API_KEY]')
    world.clock.jump(10_000)
    world.upstream.next(answer({ ...DONE, echo: 'the-first-key' }))
    expect(JSON.stringify(await read(taskId))).not.toContain('the-first-key')
  })

  test('a start whose id is a secret of the call is refused, and free', async () => {
    world.upstream.next(answer({ id: 'the-first-key', status: 'queued' }))
    expect((await call('sg_paint')).result).toMatchObject({ isError: true })
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('a cancelled job', () => {
  test('is refunded once, and its upstream told once, however often it is cancelled', async () => {
    const taskId = await started()
    await Promise.all([1, 2, 3].map(() => ask('tasks/cancel', taskId)))
    expect(await read(taskId)).toMatchObject({ status: 'cancelled' })
    expect(sent()).toEqual([START, STOP])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('a job that is done when it is cancelled is charged exactly when its result is kept', async () => {
    const taskId = await started()
    world.clock.jump(10_000)
    world.upstream.always(answer(DONE))
    await Promise.all([read(taskId), ask('tasks/cancel', taskId)])
    const status = (await read(taskId))?.['status']
    const { free, held } = await world.credits('ada')
    expect(held).toBe(0)
    expect([status, free]).toEqual(status === 'completed' ? ['completed', 98] : ['cancelled', 100])
  })
})

describe('a job that nobody polls', () => {
  /** The sweep visits the users of a minute when the next one is over. */
  async function sweepLater(): Promise<void> {
    world.clock.jump(3_600_000 + 180_000)
    await sweepHolds(world.ports)
  }

  test('is settled at its deadline if it is done, and its result can be read for a day', async () => {
    const taskId = await started()
    await sweepHolds(world.ports)
    world.upstream.next(answer(DONE))
    await sweepLater()
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
    world.clock.jump(80_000_000)
    expect(await read(taskId)).toMatchObject({ result: { structuredContent: DONE } })
    expect(sent()).toEqual([START, QUESTION])
  })

  test('is refunded at its deadline if it is not done', async () => {
    const taskId = await started()
    world.upstream.always(answer(STARTED))
    await sweepLater()
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect(await read(taskId)).toMatchObject({ status: 'completed', result: { isError: true } })
  })

  test('is left to the sweep by the next call of its user', async () => {
    await started()
    world.clock.jump(3_600_000 + 60_000)
    await world.skill('sg_sunny', { price: 1 })
    world.upstream.next(answer({ sunny: true }), answer(DONE))
    await call('sg_sunny')
    expect(await world.credits('ada')).toEqual({ free: 97, held: 2 })
    world.clock.jump(120_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 97, held: 0 })
  })

  test('keeps its hold while the door of upstreams is down, for ten minutes', async () => {
    await started()
    const { visit } = world.ports.jobVisits
    world.ports.jobVisits = { visit: () => Promise.reject(new Fault('internal', 'down')) }
    await sweepLater()
    expect(await world.credits('ada')).toEqual({ free: 98, held: 2 })
    world.ports.jobVisits = { visit }
    world.upstream.next(answer(DONE))
    world.clock.jump(120_000)
    await sweepHolds(world.ports)
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test.each<[string, (keyHash: string) => Promise<unknown>]>([
    [
      'its user was disabled',
      () => {
        const disabled = { state: 'disabled', reason: 'left', sinceMs: 1 } as const
        return world.ports.profiles.change('ada', { disabled })
      },
    ],
    ['its key was revoked', (keyHash) => world.ports.keys.revoke({ uid: 'ada', keyHash })],
  ])('is refunded without a question if %s', async (_what, close) => {
    await started()
    const [key] = await world.ports.keys.list('ada')
    await close(key?.keyHash ?? '')
    await sweepLater()
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect(sent()).toEqual([START])
  })
})

describe('a client that takes no task', () => {
  test('gets the result of a job that is done within its 15 s', async () => {
    world.upstream.next(answer(STARTED), answer(DONE))
    const { done, out } = opened(
      door,
      withKey(ada, modern('tools/call', { name: 'sg_draw', arguments: {} })),
    )
    await world.clock.advance(10_000)
    await done
    expect(replyIn(out).result).toMatchObject({ structuredContent: DONE })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('gets a failure, is refunded, and has a longer job stopped', async () => {
    world.upstream.always(answer(STARTED))
    const { done, out } = opened(
      door,
      withKey(ada, modern('tools/call', { name: 'sg_draw', arguments: {} })),
    )
    await world.clock.advance(15_000)
    await done
    expect(replyIn(out).result).toMatchObject({ isError: true })
    expect(sent()).toEqual([START, QUESTION, STOP])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})
