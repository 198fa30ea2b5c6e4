/** Calls of the door mcp that go on as tasks, for the tests of what becomes of them. */
import type { StreamingHandler } from '../../../adapters/http/events.ts'
import type { Json, JsonObject } from '../../../core/json/json.ts'
import type { World } from '../../core/flow/world.ts'
import type { MemoryResponse } from '../door-client.ts'
import { doorOf, modern, opened, post, withKey } from './agent.ts'

const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
export const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

export type Reply = { readonly result?: JsonObject; readonly error?: JsonObject }

export const replyIn = (out: MemoryResponse): Reply => JSON.parse(out.text)

export type Client = {
  /** Posts a call; the answer is there after `ms`, and `done` resolves when its work is done. */
  call(ms: number, params?: JsonObject, more?: CallMore): Promise<Called>
  /** A call of sg_render whose upstream takes `afterMs`, a second after its POST. */
  started(afterMs: number, more?: CallMore): Promise<Called & { readonly taskId: string }>
  ask(method: string, taskId: Json, more?: JsonObject): Promise<Reply>
  /** Like `ask`, for an update whose work goes on behind its answer. */
  update(taskId: string, responses: JsonObject): { readonly done: Promise<void> }
  get(taskId: Json): Promise<JsonObject | undefined>
}

type Called = { readonly out: MemoryResponse; readonly done: Promise<void> }
export type CallMore = { readonly key?: string; readonly declares?: JsonObject }

/** `user`: the Authorization header. The door is built anew, so it sees ports that a test has replaced. */
export function clientOf(world: World, user: string, capabilities: JsonObject = {}): Client {
  const door: StreamingHandler = doorOf(world)
  const declared = { meta: { [CAPABILITIES]: { ...TASKS, ...capabilities } } }
  const call: Client['call'] = async (ms, params = RUN, more = {}) => {
    const { declares, key } = more
    const meta = {
      [CAPABILITIES]: declares ?? { ...TASKS, ...capabilities },
      ...(key === undefined ? {} : { 'skillgate/idempotency-key': key }),
    }
    const { done, out } = opened(door, withKey(user, modern('tools/call', params, { meta })))
    await world.clock.advance(ms)
    return { out, done }
  }
  const sentTo = (method: string, taskId: Json, more: JsonObject) => {
    const headers = { 'mcp-name': String(taskId) }
    return withKey(user, modern(method, { taskId, ...more }, { ...declared, headers }))
  }
  const ask: Client['ask'] = async (method, taskId, more = {}) =>
    replyIn(await post(door, sentTo(method, taskId, more)))
  return {
    call,
    started: async (afterMs, more) => {
      world.upstream.next({ kind: 'answer', afterMs })
      const called = await call(1_000, RUN, more)
      return { ...called, taskId: String(replyIn(called.out).result?.['taskId']) }
    },
    ask,
    update: (taskId, inputResponses) =>
      opened(door, sentTo('tasks/update', taskId, { inputResponses })),
    get: async (taskId) => (await ask('tasks/get', taskId)).result,
  }
}

export const RUN: JsonObject = { name: 'sg_render', arguments: {} }
