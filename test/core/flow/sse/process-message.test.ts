import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../core/errors.ts'
import { isJsonObject, type JsonObject } from '../../../../core/json/json.ts'
import type { Tool } from '../../../../core/skills/skill.ts'
import { BUILT_IN, listWith } from '../built-in.ts'
import {
  type AgentStream,
  call,
  cancelled,
  openStream,
  postTo,
  request,
  textOf,
} from '../client.ts'
import { makeWorld, type World } from '../world.ts'

async function opened(more: { credits?: number } = {}) {
  const world = makeWorld()
  const ada = await world.user('ada', more)
  await world.skill('sg_weather')
  return { world, ada, stream: await openStream(world, ada) }
}

/** The answer to one request. */
async function ask(world: World, stream: AgentStream, message: JsonObject): Promise<JsonObject> {
  await stream.post(message)
  await world.clock.advance(250)
  const [answer, ...more] = stream.withId(message['id'] ?? null)
  if (answer === undefined || more.length > 0) throw new Error(`answers: ${more.length}`)
  return answer
}

function resultOf(message: JsonObject): JsonObject {
  const result = message['result']
  if (!isJsonObject(result)) throw new Error(`no result: ${JSON.stringify(message)}`)
  return result
}

function names(message: JsonObject): readonly unknown[] {
  const { tools } = resultOf(message)
  return Array.isArray(tools) ? tools.map((tool) => (isJsonObject(tool) ? tool['name'] : tool)) : []
}

function toolOf(name: string, description = 'Does it.'): Tool {
  return {
    name,
    title: undefined,
    description,
    inputSchema: { type: 'object' },
    skillId: undefined,
    priceMicroCredits: 0,
  }
}

describe('a number that JSON would change', () => {
  test('is refused in a result that a model can read, and no upstream is asked', async () => {
    const { world, stream } = await opened()
    const args = '{"ids":[1,9007199254740993],"far":1e999}'
    const params = `{"name":"sg_weather","arguments":${args}}`
    await stream.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)
    await world.clock.advance(250)
    const [answer] = stream.withId(1)
    expect(textOf(answer)).toContain('Send them as strings.')
    expect(textOf(answer)).toContain('- /ids/1: is a number that would be changed on its way')
    expect(textOf(answer)).toContain('- /far: is a number that would be changed on its way')
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('ids', () => {
  test.each(['0', '-1', '9007199254740993', '-9007199254740993', '"x"', '"0"', '""', '1.0'])(
    '%s comes back as it came',
    async (id) => {
      const { world, stream } = await opened()
      await stream.post(`{"jsonrpc":"2.0","id":${id},"method":"ping"}`)
      await world.clock.advance(250)
      expect(stream.blocks.at(-1)).toBe(
        `event: message\ndata: {"jsonrpc":"2.0","id":${id},"result":{}}\n\n`,
      )
    },
  )
})

describe('methods', () => {
  // Holds: LIFE-2, LIFE-4
  test('initialize answers 2024-11-05 whatever version the client names', async () => {
    const { world, stream } = await opened()
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x' } }
    const answer = await ask(world, stream, request(1, 'initialize', params))
    expect(resultOf(answer)).toMatchObject({
      protocolVersion: '2024-11-05',
      capabilities: {
        tools: { listChanged: true },
        experimental: { 'skillgate/idempotency': { keepSec: 86_400 } },
      },
      serverInfo: { name: 'skillgate', version: '1.2.3' },
      instructions: expect.stringMatching(/sg_search_skills.*sg_account/),
    })
  })

  // Holds: PING-1
  test('a ping is answered with an empty object', async () => {
    const { world, stream } = await opened()
    expect(resultOf(await ask(world, stream, request(1, 'ping')))).toEqual({})
  })

  // Holds: LIFE-10
  test('an unknown method gets the error -32601', async () => {
    const { world, stream } = await opened()
    const answer = await ask(world, stream, request(1, 'completion/complete'))
    expect(answer).toMatchObject({ error: { code: -32601 } })
  })

  // Holds: CALL-2
  test.each([
    ['tools/call without a name', 'tools/call', {}],
    ['tools/call with a list of arguments', 'tools/call', { name: 'sg_weather', arguments: [] }],
    ['tools/call with a name of 129 characters', 'tools/call', { name: 'a'.repeat(129) }],
    ['tools/list with a number as cursor', 'tools/list', { cursor: 5 }],
    ['tools/list with a cursor that we never gave', 'tools/list', { cursor: 'nonsense' }],
  ])('%s gets the error -32602', async (_what, method, params) => {
    const { world, stream } = await opened()
    expect(await ask(world, stream, request(1, method, params))).toMatchObject({
      error: { code: -32602 },
    })
    expect(world.upstream.requests).toEqual([])
  })

  // Holds: LIFE-7
  test('a request is served without an initialize before it', async () => {
    const { world, stream } = await opened()
    expect(names(await ask(world, stream, request(1, 'tools/list')))).toContain('sg_weather')
  })
})

describe('messages that are never answered', () => {
  // Holds: RPC-6
  test('responses and notifications are never answered, known or not', async () => {
    const { world, stream } = await opened()
    await stream.post({ jsonrpc: '2.0', id: 1, result: {} })
    await stream.post({ jsonrpc: '2.0', id: 2, error: { code: 1, message: 'no' } })
    await stream.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    await stream.post({ jsonrpc: '2.0', method: 'tools/list' })
    await stream.post(cancelled('nothing of that id'))
    await world.clock.advance(30_000)
    const replies = stream.messages().filter((one) => one['method'] === undefined)
    expect(replies).toEqual([])
  })
})

describe('a tool call', () => {
  test('answers with the upstream’s content and costs its price', async () => {
    const { world, stream } = await opened()
    const answer = await ask(world, stream, call(1, 'sg_weather'))
    expect(resultOf(answer)).toEqual({
      content: [{ type: 'text', text: '{"sunny":true}' }],
      isError: false,
      _meta: {
        'skillgate/call': { callId: world.log.calls[0]?.callId },
        'skillgate/credits': { charged: 1, refunded: 0, remaining: 99 },
      },
    })
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('after a change of its price costs the new one, and its result says so', async () => {
    const { world, stream } = await opened()
    await ask(world, stream, request(1, 'tools/list'))
    await world.skill('sg_weather', { price: 7 })
    expect(resultOf(await ask(world, stream, call(2, 'sg_weather')))['_meta']).toMatchObject({
      'skillgate/credits': { charged: 7, refunded: 0, remaining: 93 },
    })
  })

  test('of a skill that requires a task says at which door it runs, and is free', async () => {
    const { stream, world } = await opened()
    await world.skill('sg_must', { config: { task: { max_sec: 600, required: true } } })
    const answer = await ask(world, stream, call(7, 'sg_must'))
    expect(resultOf(answer)).toMatchObject({ isError: true })
    expect(textOf(answer)).toContain('POST /mcp')
    expect(world.upstream.requests).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('that failed says that it cost nothing, in its text and in figures', async () => {
    const { world, stream } = await opened()
    world.upstream.next({ kind: 'answer', status: 500 })
    const failed = resultOf(await ask(world, stream, call(1, 'sg_weather')))
    expect(failed).toMatchObject({
      isError: true,
      _meta: { 'skillgate/credits': { charged: 1, refunded: 1, remaining: 100 } },
    })
  })

  // Holds: CALL-1
  test('a call of an unknown tool gets the error -32602', async () => {
    const { world, stream } = await opened()
    expect(await ask(world, stream, call(1, 'sg_nothing'))).toMatchObject({
      error: {
        code: -32602,
        message: 'Unknown tool: sg_nothing. The tool sg_search_skills finds tools by words.',
      },
    })
  })

  test('a call of a misspelt tool is told the near names, up to three, and no list', async () => {
    const { world, stream } = await opened()
    expect(await ask(world, stream, call(1, 'sg_get-weathr'))).toMatchObject({
      error: {
        code: -32602,
        message: 'Unknown tool: sg_get-weathr. Did you mean sg_weather?',
      },
    })
  })

  // Holds: CALL-3
  test('that fails gets a result with isError that says what it cost', async () => {
    const { world, stream } = await opened()
    world.upstream.next({ kind: 'answer', status: 500, body: '{"oops":1}' })
    const answer = await ask(world, stream, call(1, 'sg_weather'))
    expect(resultOf(answer)['isError']).toBe(true)
    expect(textOf(answer)).toContain('500')
    expect(textOf(answer)).toContain('costs nothing')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('that hangs is cut before 15 s, and its credits are back before the agent is told', async () => {
    const { world, stream } = await opened()
    world.upstream.next({ kind: 'hang' })
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(14_249)
    expect(stream.withId(1)).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 99, held: 1 })
    await world.clock.advance(751)
    expect(textOf(stream.withId(1)[0])).toContain('was stopped')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('is cut after 15 s and voided even if execute itself hangs', async () => {
    const { world, stream } = await opened()
    const voided: string[] = []
    world.ports.execute = {
      execute: () => new Promise(() => {}),
      voidCall: async ({ callId }) => {
        voided.push(callId)
        return 'free'
      },
    }
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(14_999)
    expect(stream.withId(1)).toEqual([])
    await world.clock.advance(251)
    expect(textOf(stream.withId(1)[0])).toContain('did not answer within 15 s')
    expect(voided).toHaveLength(1)
  })

  test('that cannot reach execute says so and is voided', async () => {
    const { world, stream } = await opened()
    world.down.execute = true
    const answer = await ask(world, stream, call(1, 'sg_weather'))
    expect(textOf(answer)).toContain('could not finish the call')
    expect(textOf(answer)).toContain('costs nothing')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('that could not be voided either promises no refund', async () => {
    const { world, stream } = await opened()
    world.down.execute = true
    world.down.voids = true
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(5_000)
    expect(textOf(stream.withId(1)[0])).toContain('not certain')
    const tries = world.log.events().filter((event) => event === 'void-failed')
    expect(tries).toHaveLength(3)
  })

  test('without credits gets a result that says so', async () => {
    const { world, stream } = await opened({ credits: 0 })
    const answer = await ask(world, stream, call(1, 'sg_weather'))
    expect(resultOf(answer)['isError']).toBe(true)
    expect(textOf(answer)).toContain('costs 1 credit, and the balance is 0.')
  })

  // Holds: ORIGIN-3
  test('of an anonymous session gets a result that asks for a key', async () => {
    const world = makeWorld()
    await world.skill('sg_weather')
    const stream = await openStream(world, undefined)
    for (const [id, name] of [
      [1, 'sg_weather'],
      [2, 'sg_account'],
    ] as const) {
      const answer = await ask(world, stream, call(id, name))
      expect(resultOf(answer)['isError']).toBe(true)
      expect(textOf(answer)).toContain('This tool needs an API key')
    }
    expect(world.upstream.requests).toEqual([])
  })

  test('a call of a built-in tool is answered at once and is free', async () => {
    const { world, stream } = await opened()
    const answer = await ask(world, stream, call(1, 'sg_account'))
    expect(JSON.parse(textOf(answer))).toEqual({
      username: 'ada',
      tier: 'free',
      credits: 100,
      credits_on_hold: 0,
      calls_in_flight: 0,
      tasks_running: 0,
      calls_left_this_minute: 59,
      next_minute_in_sec: 40,
      limits: { calls_per_minute: 60, calls_in_flight: 32 },
    })
    expect(textOf(await ask(world, stream, call(2, 'sg_account', { x: 1 })))).toContain(
      'takes no arguments',
    )
  })

  test('with a key that was revoked since gets an auth error, and the stream stays', async () => {
    const { world, stream } = await opened()
    world.ports.keys = { ...world.ports.keys, find: async () => undefined }
    for (const [id, name] of [
      [1, 'sg_weather'],
      [2, 'sg_account'],
    ] as const) {
      const answer = await ask(world, stream, call(id, name))
      expect(textOf(answer)).toContain('unknown or expired')
    }
    expect(stream.why()).toBeUndefined()
  })

  test('a POST cannot bring another identity: the locked one is charged', async () => {
    const { world, stream } = await opened()
    await world.user('bob')
    await ask(world, stream, call(1, 'sg_weather', {}))
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
    expect(await world.credits('bob')).toEqual({ free: 100, held: 0 })
  })
})

describe('a cancelled request', () => {
  // Holds: CANCEL-2
  test('is not answered, its call is cut within a second, and the credits are back', async () => {
    const { world, stream } = await opened()
    world.upstream.next({ kind: 'hang' })
    await stream.post(call(1, 'sg_weather'))
    await world.clock.advance(500)
    await stream.post(cancelled(1))
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    await world.clock.advance(1_000)
    expect(world.upstream.cuts()).toBe(1)
    await world.clock.advance(30_000)
    expect(stream.withId(1)).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('costs nothing even when its call had settled but the reply was not stored yet', async () => {
    const { world, stream } = await opened()
    const { append } = world.ports.replies
    let held: (() => void) | undefined
    world.ports.replies = {
      ...world.ports.replies,
      append: async (reply) => {
        if (held === undefined) {
          await new Promise<void>((resolve) => {
            held = resolve
          })
        }
        return append(reply)
      },
    }
    await stream.post(call(1, 'sg_weather'))
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
    await stream.post(cancelled(1))
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    held?.()
    await world.clock.advance(30_000)
    expect(stream.withId(1)).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  // Holds: CANCEL-1
  test('that was answered before keeps its answer and its price', async () => {
    const { world, stream } = await opened()
    await ask(world, stream, call(1, 'sg_weather'))
    await stream.post(cancelled(1))
    await world.clock.advance(5_000)
    expect(stream.withId(1)).toHaveLength(1)
    expect(await world.credits('ada')).toEqual({ free: 99, held: 0 })
  })

  test('a cancellation ends the newest request of its id, and no other', async () => {
    const { world, stream } = await opened()
    world.upstream.always({ kind: 'answer', afterMs: 2_000 })
    await stream.post(call('same', 'sg_weather'))
    await stream.post(call('same', 'sg_weather'))
    await stream.post(call('other', 'sg_weather'))
    await stream.post(cancelled('same'))
    await world.clock.advance(10_000)
    expect([stream.withId('same').length, stream.withId('other').length]).toEqual([1, 1])
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test('a cancellation finds its request by the id as it was posted', async () => {
    const { world, stream } = await opened()
    world.upstream.always({ kind: 'hang' })
    await stream.post(call(1, 'sg_weather'))
    await stream.post(cancelled('1'))
    await world.clock.advance(2_000)
    expect(world.upstream.cuts()).toBe(0)
    await stream.post(cancelled(1))
    await world.clock.advance(2_000)
    expect(world.upstream.cuts()).toBe(1)
  })

  // Holds: CANCEL-3
  test('a cancellation leaves the requests of other sessions alone', async () => {
    const { world, ada, stream } = await opened()
    const other = await openStream(world, ada)
    world.upstream.always({ kind: 'answer', afterMs: 2_000 })
    await stream.post(call(1, 'sg_weather'))
    await other.post(cancelled(1))
    await world.clock.advance(5_000)
    expect(stream.withId(1)).toHaveLength(1)
  })

  test('whose first void failed is voided later: its late result gives the credits back', async () => {
    const { world, stream } = await opened()
    world.upstream.next({ kind: 'answer', afterMs: 3_000 })
    await stream.post(call(1, 'sg_weather'))
    world.down.voids = true
    await stream.post(cancelled(1))
    expect(world.failures).toHaveLength(1)
    world.down.voids = false
    await world.clock.advance(10_000)
    expect(stream.withId(1)).toEqual([])
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })
})

describe('a reply that is too long', () => {
  /** A body of so many bytes: two spaces for each, as its quotes are escaped in the reply. */
  function answered(world: World, chars: number) {
    world.upstream.next({ kind: 'answer', body: 'x'.repeat(chars) })
  }

  test('a result of 1,015,808 bytes is delivered, and one byte more is kept and charged', async () => {
    const { world, stream } = await opened()
    await world.skill('sg_long', { config: { max_response_bytes: 2_000_000 } })
    const block = '{"type":"text","text":""},'
    answered(world, 1_015_808 - block.length)
    const fits = await ask(world, stream, call(1, 'sg_long'))
    expect(textOf(fits)).toHaveLength(1_015_808 - block.length)
    answered(world, 1_015_809 - block.length)
    const tooLong = await ask(world, stream, call(2, 'sg_long'))
    expect(resultOf(tooLong)['isError']).toBe(false)
    expect(textOf(tooLong)).toContain('is kept for one hour')
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })
})

describe('the tool list', () => {
  test('is the built-in one when the store fails', async () => {
    const { world, stream } = await opened()
    const down = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.toolListVersion = { ...world.ports.toolListVersion, read: down }
    world.ports.skills = { ...world.ports.skills, list: down }
    expect(names(await ask(world, stream, request(1, 'tools/list')))).toEqual(BUILT_IN)
  })

  test('is the built-in one when only the key cannot be looked up, since nobody knows whose list it is', async () => {
    const { world, stream } = await opened()
    const down = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.keys = { ...world.ports.keys, find: down }
    const listed = names(await ask(world, stream, request(1, 'tools/list')))
    expect(listed).toEqual(BUILT_IN)
  })

  test('comes in pages of 500', async () => {
    const { world, stream } = await opened()
    const tools = Array.from({ length: 1_000 }, (_, i) =>
      toolOf(`sg_t${String(i).padStart(4, '0')}`),
    )
    await world.ports.toolsCache.write(tools, (await world.ports.toolsCache.read())?.version)
    const first = await ask(world, stream, request(1, 'tools/list'))
    expect(names(first)).toHaveLength(500)
    const cursor = resultOf(first)['nextCursor'] ?? null
    const second = await ask(world, stream, request(2, 'tools/list', { cursor }))
    expect(names(second)).toHaveLength(500)
    const third = await ask(
      world,
      stream,
      request(3, 'tools/list', { cursor: resultOf(second)['nextCursor'] ?? null }),
    )
    expect(names(third)).toEqual(listWith(...tools.map(({ name }) => name)).slice(1_000))
    expect(resultOf(third)).not.toHaveProperty('nextCursor')
  })

  test('comes in smaller pages where 500 entries do not fit a reply', async () => {
    const { world, stream } = await opened()
    const long = 'd'.repeat(4_000)
    const tools = Array.from({ length: 600 }, (_, i) => toolOf(`sg_t${i + 1_000}`, long))
    await world.ports.toolsCache.write(tools, (await world.ports.toolsCache.read())?.version)
    const all: unknown[] = []
    let cursor: JsonObject = {}
    for (let page = 1; page <= 3; page += 1) {
      const answer = await ask(world, stream, request(page, 'tools/list', cursor))
      all.push(...names(answer))
      cursor = { cursor: resultOf(answer)['nextCursor'] ?? null }
      expect(names(answer).length).toBe(page === 3 ? 100 + BUILT_IN.length : 250)
    }
    expect(all).toEqual(listWith(...tools.map(({ name }) => name)))
  })
})

describe('a sealed credential that does not open', () => {
  test('answers a request with an error at once, and a ping as ever', async () => {
    const { world, stream } = await opened()
    const { open } = world.ports.seals
    world.ports.seals = {
      ...world.ports.seals,
      open: (id, purpose, sealed) => {
        if (purpose === 'credential') throw new Fault('internal', 'does not open')
        return open(id, purpose, sealed)
      },
    }
    expect(await ask(world, stream, call(1, 'sg_weather'))).toMatchObject({
      error: { code: -32603 },
    })
    expect(await ask(world, stream, request(2, 'ping'))).toMatchObject({ result: {} })
  })
})

describe('two sessions of two users', () => {
  // Holds: SSE-4
  test("see neither each other's replies nor tools, and pay for themselves", async () => {
    const { world, stream } = await opened()
    const bob = await openStream(world, await world.user('bob'))
    await world.skill('sg_secret', { source: 'private', uid: 'bob', price: 5 })
    expect(names(await ask(world, bob, request(1, 'tools/list')))).toContain('bob_sg_secret')
    expect(names(await ask(world, stream, request(1, 'tools/list')))).not.toContain('bob_sg_secret')
    expect(await ask(world, stream, call(2, 'bob_sg_secret'))).toMatchObject({
      error: { code: -32602 },
    })
    await ask(world, bob, call(2, 'bob_sg_secret'))
    expect([await world.credits('ada'), await world.credits('bob')]).toEqual([
      { free: 100, held: 0 },
      { free: 95, held: 0 },
    ])
  })

  test('a POST to a session that ended is refused, and no upstream is called', async () => {
    const { world, stream } = await opened()
    stream.close()
    await world.clock.settle()
    const posted = await postTo(world, stream.opened.sessionId, call(1, 'sg_weather'))
    expect(posted).toMatchObject({ refusal: { code: 'not_found' } })
    expect(world.upstream.requests).toEqual([])
  })
})
