/**
 * Requests over a store that never answers, at both transports: a list is the built-in one after 3 s, however
 * many reads it would have waited for. The test moves the clock.
 */

import { beforeEach, describe, expect, test } from 'vitest'
import { credentialOf } from '../../../bench/lib/credential.ts'
import { openSession } from '../../../core/flow/sse/open-session.ts'
import { openListen } from '../../../core/flow/streamable-http/open-listen.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json/json.ts'
import { BUILT_IN } from '../../core/flow/built-in.ts'
import { call, openStream, request } from '../../core/flow/client.ts'
import { makeWorld, type World } from '../../core/flow/world.ts'
import type { SentRequest } from '../door-client.ts'
import { doorOf, legacy, modern, opened, withKey } from './agent.ts'

/** Of the form of the earlier service's keys. */
const OLD_KEY = 'Bearer old-key-of-ada'

let world: World
let ada: string

beforeEach(async () => {
  world = makeWorld()
  ada = await world.user('ada')
  await world.skill('sg_weather')
})

const never = () => new Promise<never>(() => {})

type Part = 'keys' | 'counts' | 'lists'

/** From now on these reads of the store never end. */
function hang(...parts: readonly Part[]): void {
  const { ports } = world
  if (parts.includes('keys')) ports.keys = { ...ports.keys, find: never }
  if (parts.includes('counts')) {
    ports.rateCounters = { count: never, read: never }
    ports.profiles = { ...ports.profiles, read: never }
  }
  if (parts.includes('lists')) {
    ports.toolListVersion = { ...ports.toolListVersion, read: never }
    ports.toolsCache = { ...ports.toolsCache, read: never }
    ports.skills = { ...ports.skills, list: never }
  }
}

/** The answer to one POST /mcp that was sent `ms` ago. */
async function answerAfter(ms: number, sent: SentRequest): Promise<string> {
  const { out } = opened(doorOf(world), sent)
  await world.clock.advance(ms)
  return out.text
}

function namesIn(message: Json | undefined): readonly Json[] {
  const result = isJsonObject(message) ? message['result'] : undefined
  const tools = isJsonObject(result) ? result['tools'] : undefined
  return Array.isArray(tools)
    ? tools.map((tool) => (isJsonObject(tool) ? (tool['name'] ?? null) : null)).sort()
    : []
}

const HANGS: readonly [string, readonly Part[]][] = [
  ['keys, counts and lists', ['keys', 'counts', 'lists']],
  ['the counts', ['counts']],
  ['the lists', ['lists']],
  ['the keys', ['keys']],
]

describe.each(HANGS)('a store that hangs at %s', (_where, parts) => {
  test.each<[string, SentRequest]>([
    ['2026-07-28', modern('tools/list')],
    ['2025-06-18', legacy('tools/list', {}, { version: '2025-06-18' })],
    ['2025-03-26', legacy('tools/list')],
  ])('POST /mcp of %s answers with the built-in list after 3 s', async (_version, sent) => {
    hang(...parts)
    const text = await answerAfter(3_000, withKey(ada, sent))
    expect(namesIn(JSON.parse(text))).toEqual(BUILT_IN)
  })

  test('HTTP+SSE answers with the built-in list after 3 s, and heartbeats go on', async () => {
    const stream = await openStream(world, ada)
    hang(...parts)
    await stream.post(request(1, 'tools/list'))
    await world.clock.advance(3_250)
    expect(stream.withId(1).map(namesIn)).toEqual([BUILT_IN])
    const before = stream.heartbeats()
    await world.clock.advance(5_000)
    expect(stream.heartbeats()).toBe(before + 1)
  })

  test('all lists of a batch wait 3 s together', async () => {
    hang(...parts)
    const body = [1, 2, 3, 4].map((id) => request(id, 'tools/list'))
    const text = await answerAfter(3_000, withKey(ada, { body }))
    const answers: readonly JsonObject[] = JSON.parse(text)
    expect(answers.map(namesIn)).toEqual([BUILT_IN, BUILT_IN, BUILT_IN, BUILT_IN])
  })
})

describe('a store that hangs', () => {
  test.each<[string, SentRequest, string]>([
    ['initialize', legacy('initialize', initializeParams()), '"serverInfo"'],
    ['server/discover', modern('server/discover'), '"supportedVersions"'],
    ['ping', legacy('ping'), '"result":{}'],
  ])('the method %s is answered after 3 s', async (_method, sent, part) => {
    hang('keys', 'counts', 'lists')
    expect(await answerAfter(3_000, withKey(ada, sent))).toContain(part)
  })

  test('a key of the earlier service waits once, whatever for', async () => {
    hang('keys', 'counts', 'lists')
    const text = await answerAfter(3_000, withKey(OLD_KEY, modern('tools/list')))
    expect(namesIn(JSON.parse(text))).toEqual(BUILT_IN)
  })

  test('a list without a key is the built-in one', async () => {
    hang('counts', 'lists')
    expect(namesIn(JSON.parse(await answerAfter(3_000, modern('tools/list'))))).toEqual(BUILT_IN)
  })

  const ANSWERED_HERE = BUILT_IN.filter((name) => name !== 'sg_read_result')
  test.each(ANSWERED_HERE)('a call of %s ends with an error after 3 s', async (name) => {
    hang('keys', 'counts', 'lists')
    const sent = modern('tools/call', {
      name,
      arguments: name === 'sg_search_skills' ? { query: 'x' } : {},
    })
    const { error } = JSON.parse(await answerAfter(3_000, withKey(ada, sent)))
    expect(error).toMatchObject({
      code: -32603,
      message: 'The gateway failed at this request. Send it again.',
    })
  })

  test('a call of sg_read_result, which is answered where calls are made, fails after 3 s', async () => {
    hang('keys', 'counts', 'lists')
    const sent = modern('tools/call', { name: 'sg_read_result', arguments: {} })
    const { result } = JSON.parse(await answerAfter(3_000, withKey(ada, sent)))
    expect(result).toMatchObject({ isError: true })
  })

  test('a call of a built-in tool over HTTP+SSE ends with the same error', async () => {
    const stream = await openStream(world, ada)
    hang('keys', 'counts', 'lists')
    await stream.post(call(1, 'sg_account'))
    await world.clock.advance(3_250)
    expect(stream.withId(1)).toMatchObject([{ error: { code: -32603 } }])
  })

  test('a stream that opens fails after 30 s', async () => {
    hang('keys')
    const failures: unknown[] = []
    const credential = credentialOf(ada)
    void openSession(world.ports, world.settings, credential).catch((cause) => failures.push(cause))
    void openListen(world.ports, world.settings, { credential }).catch((cause) =>
      failures.push(cause),
    )
    await world.clock.advance(29_999)
    expect(failures).toEqual([])
    await world.clock.advance(1)
    expect(failures).toMatchObject([{ code: 'store_unavailable' }, { code: 'store_unavailable' }])
  })

  test('a list is whole again once the store answers', async () => {
    const { keys } = world.ports
    hang('keys')
    expect(
      namesIn(JSON.parse(await answerAfter(3_000, withKey(ada, modern('tools/list'))))),
    ).toEqual(BUILT_IN)
    world.ports.keys = keys
    const text = await answerAfter(0, withKey(ada, modern('tools/list')))
    expect(namesIn(JSON.parse(text))).toContain('sg_weather')
  })

  test('a store that answers leaves no alarm behind', async () => {
    await answerAfter(0, withKey(ada, modern('tools/list')))
    expect(world.clock.sleepers()).toBe(0)
  })
})

function initializeParams(): JsonObject {
  return {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  }
}
