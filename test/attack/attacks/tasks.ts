/** Tasks of another key, ids that were made up, and floods of polls and cancellations. */
import { setTimeout as delay } from 'node:timers/promises'
import { isJsonObject, type JsonObject } from '../../../core/json/json.ts'
import { bearer, send } from '../../e2e/http.ts'
import { attack, EVERYWHERE } from '../attack.ts'
import { freshSkill, type Target } from '../target.ts'

const MODERN = '2026-07-28'
const TASKS = 'io.modelcontextprotocol/tasks'
const META = {
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientCapabilities': { extensions: { [TASKS]: {} } },
}
const PRICE = 5
/** Requests of each flood. */
const FLOOD = 40
/** How long the upstream takes: longer than the attack. */
const SLOW_MS = 20_000
/** Sending again what the platform did not take, for about half a minute. */
const TRIES_MAX = 300
const PAUSE_MS = 100
const METHODS = ['tasks/get', 'tasks/update', 'tasks/cancel']

export const TASK_ATTACK = attack({
  name: 'tasks-of-others',
  tried: `a foreign task by ${METHODS.length} methods and made-up ids, and floods on an own task`,
  on: EVERYWHERE,
  attempt: async (target) => {
    const [owner, thief] = [await target.user(), await target.user()]
    const endpoint = `${target.upstreams.there.url}/slow?ms=${SLOW_MS}`
    const config = { endpoint, method: 'GET', task: { max_sec: 60 } }
    const name = await freshSkill(target, config, { credits_per_call: PRICE })
    const called = await ask(target, owner.key, 'tools/call', { name, arguments: {} })
    const taskId = String(called.result['taskId'])
    const codes = new Set<unknown>()
    for (const id of [taskId, ...madeUp(taskId)]) {
      for (const method of METHODS) {
        const { code } = await ask(target, thief.key, method, paramsOf(method, id))
        codes.add(code)
      }
    }
    const polls = await flood(target, owner.key, 'tasks/get', taskId)
    const working = polls.filter(({ result }) => result['status'] === 'working').length
    const cancels = await flood(target, owner.key, 'tasks/cancel', taskId)
    const acknowledged = cancels.filter(({ code }) => code === undefined).length
    const { credits, onHold } = await target.credits(owner.uid)
    return { codes: [...codes], working, acknowledged, credits, onHold }
  },
  judge: ({ acknowledged, codes, credits, onHold, working }) => {
    if (codes.some((code) => code !== -32602)) return `a foreign task answers ${codes.join(', ')}`
    if (working === 0) return 'no poll was answered'
    if (acknowledged !== FLOOD) return `${acknowledged} of ${FLOOD} cancellations were answered`
    return credits === 100 && onHold === 0 ? undefined : `${credits} credits and ${onHold} on hold`
  },
  held: { codes: [-32602], working: 10, acknowledged: FLOOD, credits: 100, onHold: 0 },
  broken: [
    { codes: [-32602, undefined], working: 10, acknowledged: FLOOD, credits: 100, onHold: 0 },
    { codes: [-32602], working: 0, acknowledged: FLOOD, credits: 100, onHold: 0 },
    { codes: [-32602], working: 10, acknowledged: 1, credits: 100, onHold: 0 },
    { codes: [-32602], working: 10, acknowledged: FLOOD, credits: 105, onHold: 0 },
    { codes: [-32602], working: 10, acknowledged: FLOOD, credits: 95, onHold: 5 },
  ],
})

/** A list of ids that is too long, strange or foreign. */
export const LISTEN_ATTACK = attack({
  name: 'hostile-lists-of-tasks',
  tried: 'lists of ids on a listen stream that are too long or no lists',
  on: EVERYWHERE,
  attempt: async (target) => {
    const { key } = await target.user()
    const lists = [Array(100_000).fill('x'), { 0: 'x' }, 'x', [['x']], [null], [{ __proto__: 1 }]]
    const codes = new Set<unknown>()
    for (const taskIds of lists) {
      const params = { notifications: { taskIds } }
      codes.add((await ask(target, key, 'subscriptions/listen', params)).code)
    }
    return { codes: [...codes] }
  },
  judge: ({ codes }) =>
    codes.every((code) => code === -32602) ? undefined : `answers ${codes.join(', ')}`,
  held: { codes: [-32602] },
  broken: [{ codes: [-32602, undefined] }, { codes: [-32603] }],
})

/** `Mcp-Name` repeats the task's id, or the tool's name. */
type Params = {
  readonly taskId?: string
  readonly name?: string
  readonly [more: string]: unknown
}

function paramsOf(method: string, taskId: string): Params {
  return method === 'tasks/update' ? { taskId, inputResponses: {} } : { taskId }
}

function madeUp(taskId: string): readonly string[] {
  return [`${taskId}A`, taskId.toLowerCase(), taskId.slice(0, -1), `task:${taskId}`, '..', '*']
}

function flood(target: Target, key: string, method: string, taskId: string) {
  const one = () => ask(target, key, method, { taskId })
  return Promise.all(Array.from({ length: FLOOD }, one))
}

async function ask(target: Target, key: string, method: string, params: Params) {
  const message = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: META } }
  const answer = await sendUntilTaken(target, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN,
      'mcp-method': method,
      'mcp-name': params.taskId ?? params.name ?? '',
      ...bearer(key),
    },
    body: JSON.stringify(message),
  })
  const { error, result }: JsonObject = JSON.parse(answer.text)
  return {
    code: isJsonObject(error) ? error['code'] : undefined,
    result: isJsonObject(result) ? result : {},
  }
}

type Sent = Parameters<typeof send>[1]

/**
 * A function has few environments here, and a task holds one. The platform answers 429 to what finds
 * none, before the gateway sees it, so it is sent again.
 */
async function sendUntilTaken(target: Target, sent: Sent): ReturnType<typeof send> {
  for (let tries = 1; ; tries += 1) {
    const answer = await send(target.mcp, sent)
    if (answer.status !== 429 || tries === TRIES_MAX) return answer
    await delay(PAUSE_MS)
  }
}
