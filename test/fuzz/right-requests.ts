/** Correct requests: odd ones are made from them. */
import { makeCallId } from '../../core/call/call-id.ts'
import type { Json, JsonObject } from '../../core/json/json.ts'
import { START_MS } from '../core/flow/manual-clock.ts'
import { ARGUMENT } from './canaries.ts'
import { SKILL_IDS } from './stored-skills.ts'

const ARGUMENTS: readonly JsonObject[] = [
  { city: 'Oslo', note: ARGUMENT },
  { city: ARGUMENT, days: 3 },
  { note: ARGUMENT, when: '2033-05-18', tags: ['a'], size: 1.5 },
  { note: ARGUMENT },
  { note: ARGUMENT, list: [1, { a: [ARGUMENT] }, null], deep: { a: { b: { c: 1 } } } },
  { city: 'São Paulo/..?#👍', note: 'a b&c=d', list: [] },
  {},
]

const NAMES = [...SKILL_IDS, 'weather', 'ada_sg_mine', 'mine', 'sg_private', 'bob_sg_private']

/** Every skill with some of the arguments. */
const CALLS: readonly (readonly [name: string, args: JsonObject])[] = NAMES.flatMap((name, nth) =>
  [0, 1, 2].map((more) => [name, ARGUMENTS[(nth + more * 2) % ARGUMENTS.length] ?? {}] as const),
)

export const EXECUTE_BODIES: readonly Json[] = CALLS.map(([skill, args]) => ({
  skill,
  arguments: args,
}))

const request = (id: Json, method: string, params?: Json): Json => ({
  jsonrpc: '2.0',
  id,
  method,
  ...(params === undefined ? {} : { params }),
})

export const MESSAGES: readonly Json[] = [
  ...CALLS.map(([name, args], nth) => request(nth % 5, 'tools/call', { name, arguments: args })),
  request(1, 'initialize', {
    protocolVersion: '2024-11-05',
    capabilities: {},
    clientInfo: { name: 'fuzz', version: '1' },
  }),
  request('a', 'ping'),
  request(2, 'tools/list', {}),
  request(3, 'tools/list', { cursor: 'x' }),
  request('b', 'tools/call', { name: 'sg_account', arguments: {} }),
  request(4, 'tools/call', { name: 'sg_usage', arguments: { limit: 2, cursor: 'x' } }),
  request(5, 'tools/call', { name: 'sg_usage' }),
  request(6, 'tools/call', { name: 'sg_nothing', arguments: { note: ARGUMENT } }),
  request(7, 'resources/list'),
  request(9, 'resources/read', { uri: 'skill://a/SKILL.md' }),
  request(10, 'resources/directory/read', { uri: 'skill://a' }),
  request(11, 'skills/list', { cursor: 'x' }),
  request(12, 'prompts/get', { name: 'a', arguments: { b: 'c' } }),
  request(8, 'logging/setLevel', { level: 'debug' }),
  { jsonrpc: '2.0', method: 'notifications/initialized' },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
  { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a', reason: 'no' } },
  { jsonrpc: '2.0', id: 1, result: {} },
  { jsonrpc: '2.0', id: 'ping-1', error: { code: -32601, message: ARGUMENT } },
]

/** Call ids known beforehand to the functions that may void them. */
export const CALL_IDS: readonly string[] = ['one', 'two'].map((name) => {
  return makeCallId(START_MS, `fuzz-${name}`)
})
const [ONE = '', TWO = ''] = CALL_IDS

/** The requests that our own functions send to the second URL of execute. */
export const VOIDS: readonly Json[] = [
  { uid: 'ada', callId: ONE, reason: 'void' },
  { uid: 'ada', callId: TWO, reason: 'cancelled' },
  { uid: 'nobody', callId: ONE, reason: 'void' },
]
