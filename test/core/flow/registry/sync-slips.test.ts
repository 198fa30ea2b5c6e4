/** What a sync says of likely mistakes in a definition, and which skills it then leaves unchanged. */
import { describe, expect, test } from 'vitest'
import { type SyncRequest, syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { makeWorld, okOf, refusalOf, type SkillMore, skillJson, type World } from '../world.ts'

function sync(world: World, skill: JsonObject | string, more: Partial<SyncRequest> = {}) {
  const text = typeof skill === 'string' ? skill : JSON.stringify(skill)
  const request = { text, source: undefined, uid: undefined, list: 'now' as const, ...more }
  return syncSkill(world.ports, world.settings, request)
}

const official = (world: World) => world.ports.skills.get({ source: 'official', skillId: 'sg_a' })
const pointersOf = (faults: readonly { pointer: string }[] | undefined) =>
  faults?.map(({ pointer }) => pointer)
const CITY = { type: 'object', properties: { city: { type: 'string' } } }

describe('a refused skill', () => {
  test('has all faults of fields, schemas, target, templates and hook options in one answer', async () => {
    const world = makeWorld()
    const config = {
      endpoint: 'http://10.0.0.1/x',
      method: 'GETT',
      timeout_ms: 99_999,
      query: { q: '{{args.q' },
      plugin_hook: 'hmac_sha256_signature',
      plugin_options: { secret: 'lower' },
    }
    const skill = {
      ...skillJson('sg_a', {
        config,
        parameters: { type: 'object', properties: { q: { type: 'strng' } } },
      }),
      credits_per_call: -1,
    }
    const pointers = pointersOf(refusalOf(await sync(world, skill)).faults)
    expect(pointers).toEqual(
      expect.arrayContaining([
        '/config/method',
        '/config/timeout_ms',
        '/config/query/q',
        '/config/endpoint',
        '/credits_per_call',
        expect.stringMatching(/^\/meta\/parameters\/properties\/q/),
        '/config/plugin_options/secret',
      ]),
    )
  })

  test('has every broken place of its body, each with its pointer', async () => {
    const body = { a: '{{args.}}', b: [1, '{{oops}}'], c: { '{{args.x}}': 1 }, d: '{{args.city}}' }
    const config = { method: 'POST', body }
    const refused = refusalOf(await sync(makeWorld(), skillJson('sg_a', { config })))
    expect(pointersOf(refused.faults)).toEqual([
      '/config/body/a',
      '/config/body/b/1',
      '/config/body/c/{{args.x}}',
    ])
  })

  test('of which schema and target are at fault has both, though each field can be read', async () => {
    const parameters = { type: 'object', properties: { q: { type: 'strng' } } }
    const config = { endpoint: 'https://10.0.0.1/' }
    const refused = refusalOf(await sync(makeWorld(), skillJson('sg_a', { parameters, config })))
    expect(refused.code).toBe('invalid_skill')
    expect(pointersOf(refused.faults)).toContain('/config/endpoint')
    expect(pointersOf(refused.faults)?.join()).toContain('/meta/parameters/properties/q')
  })
})

/** Each definition has one likely mistake; with the place and the word that its warning names. */
const SLIPS: readonly (readonly [string, SkillMore & { top?: JsonObject }, string, string])[] = [
  ['a letter left out', { config: { methd: 'POST' } }, '/config/methd', 'method'],
  ['the first word of a field', { config: { timeout: 5 } }, '/config/timeout', 'timeout_ms'],
  ['another case', { config: { pluginHook: 'x' } }, '/config/pluginHook', 'plugin_hook'],
  [
    'two letters swapped',
    { top: { credist_per_call: 1 } },
    '/credist_per_call',
    'credits_per_call',
  ],
  [
    'a place in the endpoint',
    { config: { endpoint: 'https://api.example/{zzz}' } },
    '/config/endpoint',
    '{zzz}',
  ],
  ['a place in the query', { config: { query: { q: '{{args.zzz}}' } } }, '/config', 'args.zzz'],
]

describe.each(SLIPS)('the slip %s', (_title, { top = {}, ...more }, pointer, word) => {
  const slipped = { ...skillJson('sg_a', { parameters: CITY, ...more }), ...top }

  test('a new skill with a slip is stored with a warning', async () => {
    const synced = okOf(await sync(makeWorld(), slipped))
    const warning = synced.warnings.find((one) => one.startsWith(`${pointer}: `))
    expect(warning).toContain(word)
  })

  test('a skill with a slip is refused under strict=true, and nothing is stored', async () => {
    const world = makeWorld()
    const refused = refusalOf(await sync(world, slipped, { strict: true }))
    expect(refused.code).toBe('invalid_skill')
    expect(pointersOf(refused.faults)).toEqual([pointer])
    expect(await official(world)).toBeUndefined()
  })

  test('a skill with a slip does not replace one that works, unless strict=false says so', async () => {
    const world = makeWorld()
    okOf(await sync(world, skillJson('sg_a', { parameters: CITY })))
    const before = await official(world)
    const refused = refusalOf(await sync(world, slipped))
    expect(refused.detail).toContain('Nothing was changed.')
    expect(refused.detail).toContain('?strict=false')
    expect(pointersOf(refused.faults)).toEqual([pointer])
    expect(await official(world)).toEqual(before)
    expect(okOf(await sync(world, slipped, { strict: false })).warnings).not.toEqual([])
    expect((await official(world))?.version).toBe(2)
  })

  test('a stored skill with the same slip can be changed in other places', async () => {
    const world = makeWorld()
    okOf(await sync(world, slipped))
    okOf(await sync(world, { ...slipped, credits_per_call: 2 }))
    expect((await official(world))?.version).toBe(2)
  })
})

describe('a definition that is no slip', () => {
  test.each([
    ['a field far from ours', { config: { 'x-team': 'a' } }],
    [
      'a place that additionalProperties admit',
      {
        parameters: { ...CITY, additionalProperties: { type: 'string' } },
        config: { endpoint: 'https://api.example/{zzz}' },
      },
    ],
    [
      'a place that patternProperties admit',
      {
        parameters: { ...CITY, patternProperties: { '^z': {} } },
        config: { query: { q: '{{args.zzz}}' } },
      },
    ],
  ])('a skill with %s is stored under strict=true, with a warning', async (_title, more) => {
    const world = makeWorld()
    okOf(await sync(world, skillJson('sg_a')))
    expect(okOf(await sync(world, skillJson('sg_a', more))).warnings).toHaveLength(1)
    okOf(await sync(world, { ...skillJson('sg_a', more), credits_per_call: 3 }, { strict: true }))
  })

  test('does not replace a skill that cannot run', async () => {
    const world = makeWorld()
    okOf(await sync(world, skillJson('sg_a', { config: { plugin_hook: 'no_such_hook' } })))
    const slipped = skillJson('sg_a', { config: { methd: 'POST' } })
    expect(okOf(await sync(world, slipped)).warnings.join()).toContain('/config/methd')
  })
})

describe('an OpenAPI document', () => {
  test.each([
    ['of version 3 in JSON', '{"openapi":"3.1.0","info":{"title":"x"},"paths":{}}'],
    ['of version 2 in JSON', '{"swagger":"2.0","paths":{}}'],
    ['in YAML', '# ours\n---\nopenapi: 3.0.3\ninfo:\n  title: x\n'],
    ['in quoted YAML', '"swagger": "2.0"\n'],
  ])('a document %s is called one', async (_title, text) => {
    const refused = refusalOf(await sync(makeWorld(), text))
    expect(refused.code).toBe('invalid_skill')
    expect(refused.detail).toContain('this is an OpenAPI document')
  })

  test('a skill with a field of that name is no OpenAPI document', async () => {
    okOf(await sync(makeWorld(), { ...skillJson('sg_a'), openapi: '3.1.0' }))
  })
})
