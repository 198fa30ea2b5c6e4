/** Calls that go on as tasks, by a client of 2026-07-28, against a twin that dies in one of their writes. */
import { setTimeout as sleep } from 'node:timers/promises'
import { bearer, postJson } from '../e2e/http.ts'
import type { Chain } from './chain.ts'
import type { Kill } from './crash-points.ts'
import type { SkillId } from './skills.ts'
import type { TwinProcess } from './twin-process.ts'

export type TaskEndState = {
  /** What the next twin says of the task, before and after a sweep; undefined if the client never got its id. */
  readonly status: string | undefined
  readonly isError: boolean | undefined
  readonly settled: number
  readonly onHold: number
  readonly missing: number
}

const GRANTED = 10
const MICRO = 1_000_000
const VERSION = '2026-07-28'
const META = {
  'io.modelcontextprotocol/protocolVersion': VERSION,
  'io.modelcontextprotocol/clientCapabilities': {
    elicitation: {},
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}

type Caller = { readonly key: string; readonly text: string }
type Result = { readonly [name: string]: unknown } | undefined

/** `kill` happens in the call itself, or in what follows the answers to its questions if `answers`. */
export async function runTask(
  chain: Chain,
  { answers = false, kill, skill }: { answers?: boolean; kill: Kill; skill: SkillId },
): Promise<TaskEndState> {
  const { key, uid } = await chain.user(GRANTED)
  const caller = { key, text: `${kill} ${uid}` }
  const twin = await chain.twin()
  let taskId: string | undefined
  if (answers) {
    taskId = await call(twin, caller, skill)
    await untilItIs(twin, caller, taskId, 'input_required')
    await twin.arm(kill)
    await Promise.all([update(twin, caller, taskId), twin.died()])
  } else {
    await twin.arm(kill)
    const [told] = await Promise.all([call(twin, caller, skill), twin.died()])
    taskId = told
  }
  const next = await chain.twin()
  if ((await get(next, caller, taskId))?.['status'] === 'input_required') {
    await update(next, caller, taskId)
    await untilItIs(next, caller, taskId, 'completed')
  }
  const read = await get(next, caller, taskId)
  await untilReleased(next, uid)
  await next.sweep()
  const { credits, holds, outcomes } = await next.books(uid)
  const settled = outcomes.filter(({ state }) => state === 'settled').length
  const result = read?.['result']
  return {
    status: read === undefined ? undefined : String(read['status']),
    isError:
      typeof result === 'object' && result !== null ? Reflect.get(result, 'isError') : undefined,
    settled,
    onHold: holds.length,
    missing: GRANTED - credits / MICRO - settled,
  }
}

/** The id of the task; undefined if the connection broke before. */
async function call(twin: TwinProcess, { key, text }: Caller, skill: SkillId) {
  const params = { name: skill, arguments: { text } }
  const result = await post(twin, key, { method: 'tools/call', params, name: skill })
  return result === undefined ? undefined : String(result['taskId'])
}

async function update(twin: TwinProcess, { key }: Caller, taskId = ''): Promise<void> {
  const inputResponses = { 'to~1': { action: 'accept', content: {} } }
  const params = { taskId, inputResponses }
  await post(twin, key, { method: 'tasks/update', params, name: taskId })
}

function get(twin: TwinProcess, { key }: Caller, taskId: string | undefined): Promise<Result> {
  if (taskId === undefined) return Promise.resolve(undefined)
  return post(twin, key, { method: 'tasks/get', params: { taskId }, name: taskId })
}

type Sent = {
  readonly method: string
  readonly params: { readonly [name: string]: unknown }
  readonly name: string
}

async function post(
  twin: TwinProcess,
  key: string,
  { method, name, params }: Sent,
): Promise<Result> {
  const headers = { 'mcp-protocol-version': VERSION, 'mcp-method': method, 'mcp-name': name }
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }
  const accept = 'application/json'
  const all = { ...headers, accept, ...bearer(key) }
  // A killed twin breaks its connections, on purpose.
  const answer = await postJson(`${twin.url}/mcp`, body, all).catch(() => undefined)
  if (answer === undefined) return undefined
  const { result } = answer.json()
  if (typeof result !== 'object' || result === null) throw new Error(answer.text)
  return Object.fromEntries(Object.entries(result))
}

const LOOK_MS = 20
const LOOKS_MAX = 1_000
/** A task is asked for 10 times a second at most. */
const POLL_MS = 120

async function untilItIs(
  twin: TwinProcess,
  caller: Caller,
  taskId: string | undefined,
  status: string,
) {
  for (let look = 1; look <= LOOKS_MAX; look += 1) {
    if ((await get(twin, caller, taskId))?.['status'] === status) return
    await sleep(POLL_MS)
  }
  throw new Error(`the task is not ${status}`)
}

/** The writes behind the last answer of a living twin; what a dead one left waits for the sweep. */
async function untilReleased(twin: TwinProcess, uid: string): Promise<void> {
  for (let look = 1; look <= 25; look += 1) {
    if ((await twin.books(uid)).holds.length === 0) return
    await sleep(LOOK_MS)
  }
}
