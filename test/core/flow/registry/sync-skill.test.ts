import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../core/errors.ts'
import { type SyncRequest, syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { makeWorld, okOf, refusalOf, type SkillMore, skillJson, type World } from '../world.ts'

function sync(world: World, skill: JsonObject | string, more: Partial<SyncRequest> = {}) {
  const text = typeof skill === 'string' ? skill : JSON.stringify(skill)
  const request = { text, source: undefined, uid: undefined, list: 'now' as const, ...more }
  return syncSkill(world.ports, world.settings, request)
}

const mine = (id: string, more: SkillMore = {}) => skillJson(id, { source: 'private', ...more })

async function stored(world: World, skillId: string, source: 'official' | 'market' = 'official') {
  return world.ports.skills.get({ source, skillId })
}

describe('syncing a skill', () => {
  test('stores and lists it', async () => {
    const world = makeWorld()
    const synced = okOf(await sync(world, skillJson('sg_weather')))
    expect(synced).toMatchObject({
      toolName: 'sg_weather',
      created: true,
      listed: true,
      warnings: [],
      skill: { id: 'sg_weather', source: 'official', credits_per_call: 1 },
    })
    expect(await stored(world, 'sg_weather')).toMatchObject({ version: 1, uid: undefined })
    const list = await world.ports.toolsCache.read()
    expect(list?.tools.map((tool) => tool.name)).toEqual(['sg_weather'])
    expect(await world.ports.toolListVersion.read()).toBe(world.clock.nowMs())
  })

  test('twice changes neither version nor list nor broadcast the second time', async () => {
    const world = makeWorld()
    await sync(world, skillJson('sg_weather'))
    const before = [
      await stored(world, 'sg_weather'),
      await world.ports.toolsCache.read(),
      await world.ports.toolListVersion.read(),
    ]
    world.clock.jump(60_000)
    const again = okOf(await sync(world, skillJson('sg_weather')))
    expect(again).toMatchObject({ created: false, listed: true })
    expect([
      await stored(world, 'sg_weather'),
      await world.ports.toolsCache.read(),
      await world.ports.toolListVersion.read(),
    ]).toEqual(before)
  })

  test('syncing a change that no list shows is announced all the same, since functions cache it', async () => {
    const world = makeWorld()
    await sync(world, skillJson('sg_weather'))
    await sync(world, skillJson('sg_weather', { source: 'market' }))
    // Another sync has announced its change since this one read the clock.
    const laterMs = await world.ports.toolListVersion.write(world.clock.nowMs() + 50)
    const config = { endpoint: 'https://elsewhere.test/' }
    await sync(world, skillJson('sg_weather', { source: 'market', config }))
    expect(await world.ports.toolListVersion.read()).toBeGreaterThan(laterMs)
  })

  test('returns a skill that can be synced again and changes nothing', async () => {
    const world = makeWorld()
    const first = okOf(await sync(world, { ...skillJson('weather'), $schema: 'x' }))
    expect(first.skill['$schema']).toBe('x')
    const again = okOf(await sync(world, first.skill))
    expect(again).toMatchObject({ created: false, skill: first.skill })
    expect((await stored(world, 'sg_weather'))?.version).toBe(1)
  })

  test('with a change raises the version and keeps the time of creation', async () => {
    const world = makeWorld()
    await sync(world, skillJson('sg_weather'))
    const createdAtMs = world.clock.nowMs()
    world.clock.jump(1_000)
    const changed = okOf(await sync(world, skillJson('sg_weather', { price: 2 })))
    expect(changed.created).toBe(false)
    expect(await stored(world, 'sg_weather')).toMatchObject({
      version: 2,
      createdAtMs,
      updatedAtMs: createdAtMs + 1_000,
    })
    const list = await world.ports.toolsCache.read()
    expect(list?.tools.map((tool) => tool.priceMicroCredits)).toEqual([2_000_000])
  })

  test('with list=later leaves the list alone', async () => {
    const world = makeWorld()
    const synced = okOf(await sync(world, skillJson('sg_weather'), { list: 'later' }))
    expect(synced.listed).toBe(false)
    expect(await world.ports.toolsCache.read()).toBeUndefined()
    expect(await world.ports.toolListVersion.read()).toBe(0)
  })

  test('takes the tier from the request if the text names none', async () => {
    const world = makeWorld()
    const { source: _source, ...noTier } = skillJson('sg_weather')
    okOf(await sync(world, noTier, { source: 'market' }))
    expect(await stored(world, 'sg_weather', 'market')).toBeDefined()
    expect(refusalOf(await sync(world, noTier)).faults).toMatchObject([{ pointer: '/source' }])
    const both = refusalOf(await sync(world, skillJson('sg_weather'), { source: 'market' }))
    expect(both.faults).toMatchObject([{ pointer: '/source' }])
  })

  test('adds the prefix, and says so', async () => {
    const world = makeWorld()
    const synced = okOf(await sync(world, skillJson('weather')))
    expect(synced.toolName).toBe('sg_weather')
    expect(synced.warnings).toEqual(['/id: lacks the prefix sg_; stored as sg_weather'])
  })

  test('warns of a tool name over 48 characters, and not of one with 48', async () => {
    const world = makeWorld()
    const [fits, long] = [`sg_${'a'.repeat(45)}`, `sg_${'b'.repeat(46)}`]
    expect(okOf(await sync(world, skillJson(fits))).warnings).toEqual([])
    expect(okOf(await sync(world, skillJson(long))).warnings.join()).toContain('49 characters')
  })

  test('with a hook lists it, whatever secrets are set', async () => {
    const world = makeWorld()
    const config = { plugin_hook: 'hmac_sha256_signature', plugin_options: { secret: 'KEY' } }
    const synced = okOf(await sync(world, skillJson('sg_weather', { config })))
    expect(synced).toMatchObject({ listed: true, warnings: [] })
  })

  test('that this build cannot run stores it with a warning and does not list it', async () => {
    const world = makeWorld()
    await sync(world, skillJson('sg_weather'))
    const hooked = skillJson('sg_weather', { config: { plugin_hook: 'no_such_hook' } })
    const synced = okOf(await sync(world, hooked))
    expect(synced).toMatchObject({ listed: false, created: false })
    expect(synced.warnings.join()).toContain('not listed')
    expect((await world.ports.toolsCache.read())?.tools).toEqual([])
  })
})

describe('a refused sync', () => {
  test.each(['account', 'sg_account', 'search_skills', 'usage'])(
    'a sync refuses the name of a built-in tool: %s',
    async (id) => {
      const world = makeWorld()
      const refusal = refusalOf(await sync(world, skillJson(id)))
      expect(refusal.code).toBe('invalid_skill')
      expect(refusal.faults).toMatchObject([{ pointer: '/id' }])
    },
  )

  test('a sync refuses every fault of the text at once, each with its place', async () => {
    const world = makeWorld()
    const refusal = refusalOf(
      await sync(world, {
        ...skillJson('sg_weather', { config: { timeout_ms: 15_001 } }),
        credits_per_call: -1,
      }),
    )
    const places = refusal.faults?.map((fault) => fault.pointer)
    expect(places).toEqual(expect.arrayContaining(['/config/timeout_ms', '/credits_per_call']))
  })

  // Holds: SCHEMA-2
  test('a sync refuses parameters that are not a schema', async () => {
    const world = makeWorld()
    const parameters = { type: 'object', properties: { city: { type: 'town' } } }
    const refusal = refusalOf(await sync(world, skillJson('sg_weather', { parameters })))
    expect(refusal.code).toBe('invalid_skill')
    expect(refusal.faults?.[0]?.pointer).toContain('/meta/parameters')
  })

  test('a sync refuses options that the hook does not take, each with its place', async () => {
    const world = makeWorld()
    const config = {
      plugin_hook: 'hmac_sha256_signature',
      plugin_options: { secret: 'a value', payload: 'all', 'x/y': 1 },
    }
    const refusal = refusalOf(await sync(world, skillJson('sg_weather', { config })))
    expect(refusal.code).toBe('invalid_skill')
    expect(refusal.detail).toMatch(
      /^The options of a hook: \/config\/plugin_options\/x~1y is not an option of this hook/,
    )
    expect(refusal.faults?.map(({ pointer }) => pointer)).toEqual([
      '/config/plugin_options/x~1y',
      '/config/plugin_options/secret',
      '/config/plugin_options/payload',
    ])
    expect(JSON.stringify(refusal)).not.toContain('a value')
    expect(await stored(world, 'sg_weather')).toBeUndefined()
  })

  test('a sync refuses a token endpoint that may not be called', async () => {
    const world = makeWorld()
    const config = {
      plugin_hook: 'oauth2_client_credentials',
      plugin_options: {
        token_url: 'https://169.254.169.254/token',
        client_id_secret: 'ID',
        client_secret_secret: 'SECRET',
      },
    }
    const refusal = refusalOf(await sync(world, skillJson('sg_weather', { config })))
    expect(refusal.faults).toMatchObject([{ pointer: '/config/plugin_options/token_url' }])
  })

  test('a sync refuses an endpoint that may not be called', async () => {
    const world = makeWorld()
    const config = { endpoint: 'http://api.example/x' }
    expect((await sync(world, skillJson('sg_weather', { config }))).ok).toBe(false)
  })

  test.each([
    ['nothing', ''],
    ['text that is not JSON', '{"id":'],
    ['JSON that is not an object', '[]'],
    ['Markdown without its blocks', '# Weather'],
  ])('a text is refused by a sync: %s', async (_what, text) => {
    const world = makeWorld()
    expect((await sync(world, text)).ok).toBe(false)
  })

  test('a sync warns of a pattern that no value is checked against, with its pointer', async () => {
    const world = makeWorld()
    const { meta: old, ...rest } = skillJson('sg_weather')
    const checked = { type: 'string', pattern: '^(?=.*[0-9])[a-z0-9]+$' }
    const unchecked = { type: 'string', pattern: '^(?:(?!foo).)*$' }
    const parameters = { type: 'object', properties: { a: checked, b: unchecked } }
    const meta = { ...Object(old), parameters, output_schema: { pattern: '(a)\\1' } }
    const { warnings } = okOf(await sync(world, { ...rest, meta }))
    expect(warnings).toEqual([
      '/meta/parameters/properties/b/pattern: is listed, but no value is checked against it: a lookahead can be checked only at the beginning, as in ^(?=.*[0-9]), and not among alternatives',
      '/meta/output_schema/pattern: is listed, but no value is checked against it: a reference to what a group has matched cannot be checked',
    ])
  })

  test('a sync refuses a schema that would break the list of a client, with its pointer', async () => {
    const world = makeWorld()
    const refused = async (meta: JsonObject) => {
      const { meta: old, ...rest } = skillJson('sg_weather')
      const refusal = refusalOf(await sync(world, { ...rest, meta: { ...Object(old), ...meta } }))
      return refusal.faults?.map(({ pointer }) => pointer)
    }
    const outside = { $ref: 'https://schemas.example/x.json' }
    expect(await refused({ parameters: { type: 'object', properties: { a: outside } } })).toEqual([
      '/meta/parameters/properties/a/$ref',
    ])
    expect(await refused({ output_schema: outside })).toEqual(['/meta/output_schema/$ref'])
    expect(await refused({ output_schema: { pattern: '(?:(?=.*)a*b' } })).toEqual([
      '/meta/output_schema/pattern',
    ])
    expect(await refused({ parameters: { type: 'object', title: null } })).toEqual([
      '/meta/parameters/title',
    ])
    expect(await refused({ parameters: { type: 'object', required: ['a', 'a'] } })).toEqual([
      '/meta/parameters/required',
    ])
    expect(await refused({ name: null })).toEqual(['/meta/name'])
    expect(await refused({ description: null })).toEqual(['/meta/description'])
  })

  test('writes nothing', async () => {
    const world = makeWorld()
    await sync(world, skillJson('sg_weather'))
    const before = await stored(world, 'sg_weather')
    await sync(world, { ...skillJson('sg_weather'), credits_per_call: 'much' })
    expect(await stored(world, 'sg_weather')).toEqual(before)
  })
})

describe('Markdown', () => {
  const markdown = (more = '') =>
    '# Weather\n\nTells it.\n\n```yaml\nendpoint: https://api.example.com/w\nowner: ann\n' +
    `credits_per_call: 0\n${more}\n\`\`\`\n\n~~~json\n{"type": "object", "properties": {}}\n~~~\n`

  test('is stored as the unified JSON that it stands for, unknown fields and all', async () => {
    const world = makeWorld()
    const synced = okOf(await sync(world, markdown(), { source: 'official' }))
    expect(synced).toMatchObject({
      toolName: 'sg_weather',
      created: true,
      listed: true,
      warnings: ['/config/owner: unknown field; kept and not used'],
    })
    expect(synced.skill).toEqual({
      id: 'sg_weather',
      source: 'official',
      meta: {
        name: 'Weather',
        description: 'Tells it.',
        parameters: { type: 'object', properties: {} },
      },
      config: { endpoint: 'https://api.example.com/w', owner: 'ann', method: 'GET' },
      credits_per_call: 0,
    })
    const again = okOf(await sync(world, synced.skill))
    expect(again).toMatchObject({ created: false, skill: synced.skill })
    expect((await stored(world, 'sg_weather'))?.version).toBe(1)
  })

  test('without a price, or with a price of null, is refused, and the old price stays', async () => {
    const world = makeWorld()
    const dear = markdown().replace('credits_per_call: 0', 'credits_per_call: 2')
    okOf(await sync(world, dear, { source: 'official' }))
    for (const line of ['', 'credits_per_call: null', 'credits_per_call: ~', 'credits_per_call:']) {
      const text = markdown().replace('credits_per_call: 0', line)
      expect(refusalOf(await sync(world, text, { source: 'official' }))).toMatchObject({
        code: 'invalid_skill',
        faults: [{ pointer: '/credits_per_call', message: expect.stringContaining('line 5') }],
      })
    }
    expect((await stored(world, 'sg_weather'))?.definition['credits_per_call']).toBe(2)
  })

  test('is refused with the line of the fault, and leaves the old skill', async () => {
    const world = makeWorld()
    okOf(await sync(world, markdown(), { source: 'official' }))
    const before = [await stored(world, 'sg_weather'), await world.ports.toolsCache.read()]
    const wrong = refusalOf(await sync(world, markdown('retries: 9'), { source: 'official' }))
    expect(wrong).toMatchObject({
      code: 'invalid_skill',
      faults: [
        {
          pointer: '/config/retries',
          message: 'must be a whole number from 0 to 2 (YAML block, line 5)',
        },
      ],
    })
    const broken = refusalOf(await sync(world, markdown('owner: bob'), { source: 'official' }))
    expect(broken.faults).toEqual([
      { pointer: '', message: 'line 9: the YAML block gives a key twice; keep one of the two' },
    ])
    expect([await stored(world, 'sg_weather'), await world.ports.toolsCache.read()]).toEqual(before)
  })
})

describe('a private skill', () => {
  test('needs an owner who exists', async () => {
    const world = makeWorld()
    expect(refusalOf(await sync(world, mine('sg_x')))).toMatchObject({
      code: 'malformed',
      faults: [{ pointer: '/query/uid' }],
    })
    expect(refusalOf(await sync(world, mine('sg_x'), { uid: 'nobody' })).code).toBe('not_found')
  })

  test.each([undefined, 'official' as const])(
    'is not made from a shared skill with an owner and the source %s: it is refused, and nothing is stored',
    async (source) => {
      const world = makeWorld()
      await world.user('u1')
      const message =
        'goes with private skills only, and this one is official; leave it out, or make the skill private'
      const answer = await sync(world, skillJson('sg_weather'), { uid: 'u1', source })
      expect(refusalOf(answer)).toEqual({
        code: 'malformed',
        detail: `/query/uid: ${message}`,
        faults: [{ pointer: '/query/uid', message }],
      })
      expect(await stored(world, 'sg_weather')).toBeUndefined()
    },
  )

  test('is called {username}_{skillId} and is in the list of its owner alone', async () => {
    const world = makeWorld()
    await world.user('u1', { username: 'Ada L.' })
    const synced = okOf(await sync(world, mine('sg_x'), { uid: 'u1' }))
    expect(synced).toMatchObject({ toolName: 'Ada_L__sg_x', created: true, listed: true })
    expect(await world.ports.toolsCache.read()).toBeUndefined()
    expect(await world.ports.toolListVersion.read()).toBe(0)
    expect((await world.profile('u1')).skillsChangedAtMs).toBe(world.clock.nowMs())
  })

  test('synced again unchanged tells no stream', async () => {
    const world = makeWorld()
    await world.user('u1')
    await sync(world, mine('sg_x'), { uid: 'u1' })
    const before = (await world.profile('u1')).skillsChangedAtMs
    world.clock.jump(5_000)
    await sync(world, mine('sg_x'), { uid: 'u1' })
    expect((await world.profile('u1')).skillsChangedAtMs).toBe(before)
  })

  test('gets a name with a hash if another skill of the user has its name, and keeps it', async () => {
    const world = makeWorld()
    await world.user('u1', { username: 'ada' })
    const first = okOf(await sync(world, mine('sg_a.b'), { uid: 'u1' }))
    const second = okOf(await sync(world, mine('sg_a:b'), { uid: 'u1' }))
    expect(first.toolName).toBe('ada_sg_a_b')
    expect(second.toolName).toMatch(/^ada_sg_a_b_[A-Za-z0-9_-]{8}$/)
    const again = okOf(await sync(world, mine('sg_a:b', { price: 2 }), { uid: 'u1' }))
    expect(again.toolName).toBe(second.toolName)
    expect(okOf(await sync(world, mine('sg_a.b'), { uid: 'u1' })).toolName).toBe('ada_sg_a_b')
  })

  test('gets a name of its own when two of one name are synced at once', async () => {
    const world = makeWorld()
    await world.user('u1', { username: 'ada' })
    const ids = ['sg_a.b', 'sg_a:b', 'sg_a;b']
    const all = await Promise.all(ids.map((id) => sync(world, mine(id), { uid: 'u1' })))
    const names = all.map((one) => okOf(one).toolName)
    expect(new Set(names).size).toBe(3)
  })

  test('with a long id has a name of 64 characters that ends in a hash', async () => {
    const world = makeWorld()
    await world.user('u1', { username: 'ada' })
    const [a, b] = [`sg_${'x'.repeat(100)}a`, `sg_${'x'.repeat(100)}b`]
    const names = [
      okOf(await sync(world, mine(a), { uid: 'u1' })).toolName,
      okOf(await sync(world, mine(b), { uid: 'u1' })).toolName,
    ]
    expect(names.map((name) => name.length)).toEqual([64, 64])
    expect(new Set(names).size).toBe(2)
  })

  test('is refused when the name with the hash is taken, too', async () => {
    const world = makeWorld()
    await world.user('u1', { username: 'ada' })
    const claimToolName = async () => 'sg_other'
    world.ports.skills = { ...world.ports.skills, claimToolName }
    expect(refusalOf(await sync(world, mine('sg_x'), { uid: 'u1' })).code).toBe('conflict')
  })
})

describe('two syncs of one skill at once', () => {
  test('both succeed, and one of the two is stored whole', async () => {
    const world = makeWorld()
    const both = await Promise.all([
      sync(world, skillJson('sg_weather', { price: 1 })),
      sync(world, skillJson('sg_weather', { price: 2 })),
    ])
    expect(both.map((one) => one.ok)).toEqual([true, true])
    const record = await stored(world, 'sg_weather')
    expect(record?.version).toBe(2)
    expect([1, 2]).toContain(record?.definition['credits_per_call'])
    expect((await world.ports.toolsCache.read())?.tools).toHaveLength(1)
  })

  test('eight different skills synced at once are all listed', async () => {
    const world = makeWorld()
    const ids = Array.from({ length: 8 }, (_, i) => `sg_s${i}`)
    const all = await Promise.all(ids.map((id) => sync(world, skillJson(id))))
    expect(all.every((one) => one.ok && one.value.listed)).toBe(true)
    const list = await world.ports.toolsCache.read()
    expect(list?.tools.map((tool) => tool.name).sort()).toEqual(ids)
  })

  test('a sync that loses five times ends with the advice to send it again', async () => {
    const world = makeWorld()
    world.ports.skills = { ...world.ports.skills, put: async () => false }
    expect(refusalOf(await sync(world, skillJson('sg_weather')))).toMatchObject({
      code: 'conflict',
      retryAfterSec: 1,
    })
  })
})

describe('a sync that dies on the way', () => {
  test('after the claim continues with the same name when sent again', async () => {
    const world = makeWorld()
    await world.user('u1', { username: 'ada' })
    const { put } = world.ports.skills
    const down = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.skills = { ...world.ports.skills, put: down }
    await expect(sync(world, mine('sg_x'), { uid: 'u1' })).rejects.toThrow('down')
    world.ports.skills = { ...world.ports.skills, put }
    expect(okOf(await sync(world, mine('sg_x'), { uid: 'u1' })).toolName).toBe('ada_sg_x')
  })

  test('before the list is listed when sent again', async () => {
    const world = makeWorld()
    const { write } = world.ports.toolsCache
    const down = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.toolsCache = { ...world.ports.toolsCache, write: down }
    await expect(sync(world, skillJson('sg_weather'))).rejects.toThrow('down')
    world.ports.toolsCache = { ...world.ports.toolsCache, write }
    expect(okOf(await sync(world, skillJson('sg_weather')))).toMatchObject({
      created: false,
      listed: true,
    })
    expect((await world.ports.toolsCache.read())?.tools).toHaveLength(1)
  })

  test('before the broadcast is broadcast when sent again', async () => {
    const world = makeWorld()
    const { write } = world.ports.toolListVersion
    const down = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.toolListVersion = { ...world.ports.toolListVersion, write: down }
    await expect(sync(world, skillJson('sg_weather'))).rejects.toThrow('down')
    world.ports.toolListVersion = { ...world.ports.toolListVersion, write }
    okOf(await sync(world, skillJson('sg_weather')))
    expect(await world.ports.toolListVersion.read()).toBe(world.clock.nowMs())
  })
})

describe('an output schema that is closed', () => {
  const closed = (response: JsonObject, properties: JsonObject) => {
    const definition = skillJson('sg_weather', { config: { response } })
    const meta = definition['meta'] as JsonObject
    const output_schema = { type: 'object', properties, additionalProperties: false }
    return { ...definition, meta: { ...meta, output_schema } }
  }

  test('needs the member that shown headers and statuses add', async () => {
    const world = makeWorld()
    for (const response of [{ ok_statuses: [404] }, { show_headers: ['link'] }]) {
      expect(refusalOf(await sync(world, closed(response, {}))).faults).toEqual([
        {
          pointer: '/meta/output_schema/additionalProperties',
          message: expect.stringContaining('_http'),
        },
      ])
      okOf(await sync(world, closed(response, { _http: { type: 'object' } })))
    }
    okOf(await sync(world, closed({}, {})))
  })
})
