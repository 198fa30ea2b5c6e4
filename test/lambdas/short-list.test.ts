/** Users whose tool list is the search: what they list, find and call, at each door. */
import { beforeEach, describe, expect, test } from 'vitest'
import { LIST_VERSION_CACHE_MS } from '../../adapters/dynamodb/registry/list-version-cache.ts'
import { syncToolList } from '../../core/flow/registry/sync-tool-list.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import { issueKey } from '../../core/flow/users/manage-keys.ts'
import { patchUser } from '../../core/flow/users/manage-users.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json/json.ts'
import { callsHere } from '../../lambdas/call/answer-call.ts'
import { createExecuteDoor } from '../../lambdas/execute/door.ts'
import { BUILT_IN, listWith } from '../core/flow/built-in.ts'
import { call, openStream, request } from '../core/flow/client.ts'
import { makeWorld, okOf, SETTINGS, type World } from '../core/flow/world.ts'
import { ask } from './door-client.ts'
import { doorByEvent, doorOf, legacy, modern, post, withKey } from './mcp/agent.ts'

const CITY: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
}
const NO_KEY = null
const SHORT = ['sg_account', 'sg_call', 'sg_search_skills']
const VERSIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28']

let world: World
/** Has the short list. */
let ada: string
/** Has the list of the stage, which has all tools. */
let ben: string

beforeEach(async () => {
  world = await worldWith(SETTINGS)
  ada = await world.user('ada')
  ben = await world.user('ben')
  await patchUser(world.ports, 'ada', { list: 'search' })
})

async function worldWith(settings: typeof SETTINGS): Promise<World> {
  const made = makeWorld(settings)
  made.ports.execute = callsHere({
    ports: made.ports,
    settings,
    caches: made.caches,
    lists: makeToolListCache(),
  })
  await made.skill('sg_sunny', { parameters: CITY, price: 2, description: 'Sun of a city.' })
  return made
}

function sentAs(version: string, method: string, params: JsonObject) {
  const { _meta: meta } = params
  return version === '2026-07-28'
    ? modern(method, params, isJsonObject(meta) ? { meta } : {})
    : legacy(method, params, { version })
}

function resultIn(message: Json | undefined): JsonObject {
  const result = isJsonObject(message) ? message['result'] : undefined
  return isJsonObject(result) ? result : {}
}

function namesIn(message: Json | undefined): readonly unknown[] {
  const { tools } = resultIn(message)
  return Array.isArray(tools) ? tools.map((tool) => (isJsonObject(tool) ? tool['name'] : tool)) : []
}

/** The names in an answer of the search. */
function foundIn(message: Json | undefined): readonly unknown[] {
  return namesIn({ result: resultIn(message)['structuredContent'] ?? null })
}

/** The answer of a call, without what differs from call to call. */
function shown(message: JsonObject): string {
  return JSON.stringify(message)
    .replace(/("callId":")[^"]+/g, '$1…')
    .replace(/"remaining":\d+/g, '"remaining":…')
}

/** The calls of ports that may reach the store, as `port.method`. */
function recordStoreUses({ ports }: World): string[] {
  const uses: string[] = []
  const outside = ['clock', 'digests', 'execute', 'ids', 'log', 'seals']
  for (const [port, methods] of Object.entries(ports)) {
    if (outside.includes(port) || typeof methods !== 'object') continue
    const recording = new Proxy(methods, {
      get: (target, name) => {
        const method: unknown = Reflect.get(target, name)
        if (typeof method !== 'function') return method
        return (...args: unknown[]) => {
          uses.push(`${port}.${String(name)}`)
          return Reflect.apply(method, target, args)
        }
      },
    })
    Object.assign(ports, { [port]: recording })
  }
  return uses
}

const byName = (name: string, args?: Json): JsonObject => ({
  name: 'sg_call',
  arguments: { name, ...(args === undefined ? {} : { arguments: args }) },
})

async function called(params: JsonObject, key: string | null = ada, version = '2025-11-25') {
  return (
    await post(doorOf(world), withKey(key ?? undefined, sentAs(version, 'tools/call', params)))
  ).json()
}

function executed(body: JsonObject, key = ada, headers = {}) {
  const door = createExecuteDoor(world.ports, world.settings)
  return ask(door, 'POST', '/v1/execute', { headers: { authorization: key, ...headers }, body })
}

describe('the short list', () => {
  test.each(VERSIONS)('has three tools in %s, for its user alone', async (version) => {
    const list = async (key: string | undefined) =>
      namesIn((await post(doorOf(world), withKey(key, sentAs(version, 'tools/list', {})))).json())
    expect(await list(ada)).toEqual(SHORT)
    const all = listWith('sg_sunny')
    expect([await list(ben), await list(undefined)]).toEqual([all, all])
  })

  test('has three tools on a stream, which is told when the list becomes the short one', async () => {
    const stream = await openStream(world, ben)
    const list = async (id: number) => {
      await stream.post(request(id, 'tools/list', {}))
      await world.clock.advance(250)
      return namesIn(stream.withId(id)[0])
    }
    expect(await list(1)).toContain('sg_sunny')
    expect(await list(2)).not.toContain('sg_call')
    await patchUser(world.ports, 'ben', { list: 'search' })
    expect(await list(3)).toEqual(SHORT)
    await patchUser(world.ports, 'ben', { list: null })
    expect(await list(4)).toContain('sg_sunny')
  })

  test('is that of everybody in a stage that says so, unless the user has the other one', async () => {
    world = await worldWith({ ...SETTINGS, toolList: 'search' })
    const [cleo, dan] = [await world.user('cleo'), await world.user('dan')]
    await patchUser(world.ports, 'dan', { list: 'all' })
    const list = async (key: string | undefined) =>
      namesIn((await post(doorOf(world), withKey(key, legacy('tools/list')))).json())
    expect([await list(cleo), await list(undefined)]).toEqual([SHORT, SHORT])
    expect(await list(dan)).toEqual(listWith('sg_sunny'))
  })

  test('says that sg_call may do anything, and costs what the called tool costs', async () => {
    const out = await post(
      doorOf(world),
      withKey(ada, legacy('tools/list', {}, { version: '2025-11-25' })),
    )
    const { tools } = resultIn(out.json())
    expect(Array.isArray(tools) ? tools[1] : undefined).toMatchObject({
      name: 'sg_call',
      description: expect.stringMatching(/Price: that of the called tool\.$/),
      annotations: {
        readOnlyHint: false,
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: true,
      },
    })
    expect(JSON.stringify(tools)).not.toContain('"sg_sunny"')
  })
})

describe('the short list and sg_call', () => {
  test('use the store as often as the list of all tools and a direct call', async () => {
    const uses = recordStoreUses(world)
    const door = doorOf(world)
    const usesOf = async (key: string, method: string, params: JsonObject) => {
      await post(door, withKey(key, legacy(method, params, { version: '2025-11-25' })))
      await world.clock.settle()
      return uses.splice(0)
    }
    const direct = { name: 'sg_sunny', arguments: { city: 'Oslo' } }
    const pairs = [
      ['tools/list', {}, {}],
      ['tools/call', byName('sg_sunny', { city: 'Oslo' }), direct],
      ['tools/call', byName('sg_account', {}), { name: 'sg_account', arguments: {} }],
    ] as const
    for (const [method, short, long] of pairs) {
      // The first round fills the caches of the environment.
      for (const key of [ada, ben]) await usesOf(key, method, long)
      const expected = await usesOf(method === 'tools/list' ? ben : ada, method, long)
      expect(expected.length).toBeGreaterThan(0)
      expect(await usesOf(ada, method, short)).toEqual(expected)
    }
  })
})

describe('entries that an administrator pushed for built-in tools', () => {
  let answered: Json | undefined
  const list = async (door: ReturnType<typeof doorOf>) =>
    (await post(door, withKey(ada, legacy('tools/list')))).json()

  beforeEach(async () => {
    const names = listWith('sg_call')
    const entries = names.map((name) => ({
      name,
      description: `Our text of ${name}.`,
      inputSchema: { type: 'object' },
    }))
    const door = doorOf(world)
    await list(door)
    okOf(await syncToolList(world.ports, world.settings, { mode: 'replace', tools: entries }))
    answered = await list(door)
  })

  test('change the texts of the short list at once, and not its names and prices', () => {
    const { tools } = resultIn(answered)
    expect(
      Array.isArray(tools) &&
        tools.map((tool) => isJsonObject(tool) && [tool['name'], tool['description']]),
    ).toEqual([
      ['sg_account', 'Our text of sg_account.\n\nPrice: free.'],
      ['sg_call', 'Our text of sg_call.\n\nPrice: that of the called tool.'],
      ['sg_search_skills', 'Our text of sg_search_skills.\n\nPrice: free.'],
    ])
  })

  test('are found by the search, apart from sg_call', async () => {
    const found = await called({ name: 'sg_search_skills', arguments: { query: 'our text' } })
    expect(foundIn(found).toSorted()).toEqual(BUILT_IN)
  })

  test('give nobody else sg_call', async () => {
    for (const key of [ben, undefined]) {
      const out = await post(doorOf(world), withKey(key, legacy('tools/list')))
      expect(namesIn(out.json())).not.toContain('sg_call')
    }
  })
})

describe('the search of a user of the short list', () => {
  test('shows schema, whole description and price of each tool', async () => {
    const description = `Sun. ${'x'.repeat(400)}`
    await world.skill('sg_sunny', { parameters: CITY, price: 2, description })
    const found = await called({ name: 'sg_search_skills', arguments: { query: 'sun' } })
    const tool = { name: 'sg_sunny', title: 'sg_sunny', description, inputSchema: CITY, credits: 2 }
    expect(resultIn(found)['structuredContent']).toMatchObject({ tools: [tool], count: 1 })
    const other = await called({ name: 'sg_search_skills', arguments: { query: 'sun' } }, ben)
    expect(JSON.stringify(other)).not.toContain('inputSchema')
  })

  test('shows tools of 256,000 bytes together, past that leaves out the worst match, and never the best one', async () => {
    const found = async (...chars: readonly number[]) => {
      const entries = chars.map((count, index) => ({
        name: `sg_moon_${index}`,
        description: `Moon. ${'x'.repeat(count)}`,
        inputSchema: { type: 'object' },
      }))
      okOf(await syncToolList(world.ports, world.settings, { mode: 'replace', tools: entries }))
      // The list version is read again after this time.
      await world.clock.advance(LIST_VERSION_CACHE_MS)
      const search = { name: 'sg_search_skills', arguments: { query: 'moon' } }
      return resultIn(await called(search))['structuredContent']
    }
    const bytesOf = (answer: Json | undefined) =>
      isJsonObject(answer) && Array.isArray(answer['tools'])
        ? answer['tools'].reduce<number>((sum, tool) => sum + JSON.stringify(tool).length, 0)
        : 0
    const left = 256_000 - bytesOf(await found(100_000, 100_000))
    expect(await found(100_000, 100_000 + left)).toMatchObject({ count: 2 })
    expect(await found(100_000, 100_001 + left)).toMatchObject({ count: 1, left_out: 1 })
    expect(await found(256_000)).toMatchObject({ count: 1 })
  })
})

describe('a key of the short list with a scope', () => {
  const scoped = async () => {
    await world.skill('sg_moonlit', { parameters: CITY, price: 2, description: 'Sun and moon.' })
    const issued = okOf(await issueKey(world.ports, 'ada', { tools: ['sg_moonlit'] }))
    return `Bearer ${issued.key}`
  }

  test('lists the three tools, and finds only what it may call', async () => {
    const key = await scoped()
    const out = await post(doorOf(world), withKey(key, legacy('tools/list')))
    expect(namesIn(out.json())).toEqual(SHORT)
    const search = { name: 'sg_search_skills', arguments: { query: 'sun' } }
    expect(foundIn(await called(search, key))).toEqual(['sg_moonlit'])
    expect(foundIn(await called(byName('sg_search_skills', { query: 'sun' }), key))).toEqual([
      'sg_moonlit',
    ])
    expect(foundIn(await called(search))).toContain('sg_sunny')
  })

  test('calls by sg_call what the scope allows, and nothing else', async () => {
    const key = await scoped()
    expect(resultIn(await called(byName('sg_moonlit', { city: 'Oslo' }), key))['isError']).toBe(
      false,
    )
    const refused = resultIn(await called(byName('sg_sunny', { city: 'Oslo' }), key))
    expect([refused['isError'], JSON.stringify(refused['content'])]).toEqual([
      true,
      expect.stringContaining('this API key may not call sg_sunny'),
    ])
    const out = await executed({ skill: 'sg_call', arguments: { name: 'sg_sunny' } }, key)
    expect([out.status, out.json()['code']]).toEqual([403, 'key_scope'])
    expect(world.upstream.requests).toHaveLength(1)
  })
})

describe('a call by sg_call', () => {
  test.each(VERSIONS)('is answered as the direct call in %s', async (version) => {
    for (const door of [doorOf(world), doorByEvent(world)]) {
      const answer = async (params: JsonObject) => {
        const out = await post(door, withKey(ada, sentAs(version, 'tools/call', params)))
        await world.clock.settle()
        return shown(out.json())
      }
      for (const args of [{ city: 'Oslo' }, { city: 'Oslo', town: 'x' }, {}, { city: 7 }]) {
        const direct = await answer({ name: 'sg_sunny', arguments: args })
        expect(await answer(byName('sg_sunny', args))).toBe(direct)
      }
      const account = await answer({ name: 'sg_account', arguments: { a: 1 } })
      expect(await answer(byName('sg_account', { a: 1 }))).toBe(account)
      const nobody = await answer({ name: 'sg_nobody', arguments: {} })
      expect(await answer(byName('sg_nobody'))).toBe(nobody)
    }
  })

  test('holds, charges and logs the named tool', async () => {
    const answer = await called(byName('sg_sunny', { city: 'Oslo' }))
    await world.clock.settle()
    expect(resultIn(answer)['_meta']).toMatchObject({
      'skillgate/credits': { charged: 2, refunded: 0, remaining: 98 },
    })
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
    expect(world.log.calls.map(({ charged, skillId }) => [skillId, charged])).toEqual([
      ['sg_sunny', 2_000_000],
    ])
    const usage = await called(byName('sg_usage'))
    expect(resultIn(usage)['structuredContent']).toMatchObject({
      calls: [{ skill: 'sg_sunny', charged: 2 }],
    })
  })

  test('is refunded when the upstream fails', async () => {
    world.upstream.next({ kind: 'answer', status: 500 })
    const answer = await called(byName('sg_sunny', { city: 'Oslo' }))
    await world.clock.settle()
    expect(resultIn(answer)['isError']).toBe(true)
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
  })

  test('works on a stream', async () => {
    const stream = await openStream(world, ada)
    await stream.post(call(1, 'sg_sunny', { city: 'Oslo' }))
    await stream.post(call(2, 'sg_call', { name: 'sg_sunny', arguments: { city: 'Oslo' } }))
    await world.clock.advance(500)
    const contents = [1, 2].map((id) => resultIn(stream.withId(id)[0])['content'])
    expect(contents[0]).toEqual([{ type: 'text', text: '{"sunny":true}' }])
    expect(contents[1]).toEqual(contents[0])
  })

  test('works over REST, where an Idempotency-Key charges once', async () => {
    const body = { skill: 'sg_call', arguments: { name: 'sg_sunny', arguments: { city: 'Oslo' } } }
    const first = await executed(body, ada, { 'idempotency-key': 'a-1' })
    const second = await executed(body, ada, { 'idempotency-key': 'a-1' })
    await world.clock.settle()
    expect([first.status, first.json()['skillId'], second.text]).toEqual([
      200,
      'sg_sunny',
      first.text,
    ])
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
  })

  test.each(['2025-11-25', '2026-07-28'])(
    'over MCP charges once for one key of idempotency in %s, also for a direct repeat',
    async (version) => {
      const sent = (params: JsonObject) =>
        called({ ...params, _meta: { 'skillgate/idempotency-key': 'a-2' } }, ada, version)
      const first = resultIn(await sent(byName('sg_sunny', { city: 'Oslo' })))
      await world.clock.settle()
      const second = resultIn(await sent(byName('sg_sunny', { city: 'Oslo' })))
      const direct = resultIn(await sent({ name: 'sg_sunny', arguments: { city: 'Oslo' } }))
      expect([first['isError'], second['content'], direct['content']]).toEqual([
        false,
        first['content'],
        first['content'],
      ])
      expect(await world.credits('ada')).toEqual({ free: 98, held: 0 })
      expect(world.upstream.requests).toHaveLength(1)
    },
  )

  test('of a tool whose arguments headers mirror needs no such headers', async () => {
    const parameters: JsonObject = {
      type: 'object',
      properties: { city: { type: 'string', 'x-mcp-header': 'City' } },
    }
    await world.skill('sg_mirrored', { parameters })
    const answer = await called(byName('sg_mirrored', { city: 'Oslo' }), ada, '2026-07-28')
    expect(resultIn(answer)['isError']).toBe(false)
  })

  test.each([
    [{}, 'name: must be the name of a tool, of 1 to 256 characters.'],
    [{ name: 7 }, 'name: must be the name of a tool'],
    [{ name: 'x'.repeat(257) }, 'name: must be the name of a tool'],
    [{ name: 'sg_call' }, 'name: must be another tool than this one.'],
    [{ name: 'sg_sunny', city: 'Oslo' }, 'city: is not an argument of this tool'],
    [{ name: 'sg_sunny', arguments: [] }, 'arguments: must be an object'],
    [{ name: 'sg_sunny', arguments: '{}' }, 'arguments: was sent as a text'],
  ])('with %j is refused in words, and calls nothing', async (args: JsonObject, says) => {
    const answer = resultIn(await called({ name: 'sg_call', arguments: args }))
    expect([answer['isError'], JSON.stringify(answer['content'])]).toEqual([
      true,
      expect.stringContaining(says),
    ])
    const out = await executed({ skill: 'sg_call', arguments: args })
    expect([out.status, out.json()['code']]).toEqual([422, 'invalid_arguments'])
    expect(world.upstream.requests).toEqual([])
  })

  test.each([[byName('sg_sunny', { city: 'Oslo' })], [byName('sg_account')], [byName('')]])(
    'by a user whose list has all tools is refused: %j',
    async (params) => {
      const answer = resultIn(await called(params, ben))
      expect([answer['isError'], JSON.stringify(answer['content'])]).toEqual([
        true,
        expect.stringContaining('sg_call is not a tool of this user'),
      ])
      const args = isJsonObject(params['arguments']) ? params['arguments'] : {}
      const out = await executed({ skill: 'sg_call', arguments: args }, ben)
      expect([out.status, out.json()['code']]).toEqual([403, 'forbidden'])
      expect(world.upstream.requests).toEqual([])
    },
  )

  test('without a key asks for one', async () => {
    for (const name of ['sg_sunny', 'sg_account']) {
      const answer = resultIn(await called(byName(name, {}), NO_KEY))
      expect([answer['isError'], JSON.stringify(answer['content'])]).toEqual([
        true,
        expect.stringContaining('API key'),
      ])
    }
  })

  test('counts once in the minute of the key', async () => {
    const small = await world.user('eve', { tier: 'small' })
    await patchUser(world.ports, 'eve', { list: 'search' })
    const errors: unknown[] = []
    for (let count = 0; count < 4; count += 1) {
      errors.push(resultIn(await called(byName('sg_sunny', { city: 'Oslo' }), small))['isError'])
    }
    expect(errors).toEqual([false, false, false, true])
  })
})
