/** Several skills in one request, and what a GET of the registry answered sent back. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { listSkills, showSkill } from '../../../../core/flow/registry/manage-skills.ts'
import type { SyncRequest } from '../../../../core/flow/registry/sync-skill.ts'
import { SYNC_MS_MAX, syncSkills } from '../../../../core/flow/registry/sync-skills.ts'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import type { SkillSource } from '../../../../core/skills/skill.ts'
import { makeWorld, okOf, refusalOf, skillJson, type World } from '../world.ts'

function send(world: World, body: Json | object, more: Partial<SyncRequest> = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const request = { text, source: undefined, uid: undefined, list: 'now' as const, ...more }
  return syncSkills(world.ports, world.settings, request)
}

async function resultsOf(world: World, body: Json | object, more: Partial<SyncRequest> = {}) {
  const synced = okOf(await send(world, body, more))
  if (synced.kind !== 'many') throw new Error('was taken for one skill')
  return synced.results
}

const named = (count: number) =>
  Array.from({ length: count }, (_, index) => skillJson(`sg_n${index}`))

describe('an array of skills', () => {
  test('has one result each, in order: new, as it was, and refused', async () => {
    const world = makeWorld()
    await send(world, skillJson('sg_old'))
    const broken = { ...skillJson('sg_bad'), credits_per_call: -1 }
    const results = await resultsOf(world, [skillJson('sg_new'), broken, skillJson('sg_old')])
    expect(results).toMatchObject([
      { status: 201, synced: { toolName: 'sg_new', created: true, listed: true } },
      { status: 422, problem: { errors: [{ pointer: '/credits_per_call' }] } },
      { status: 200, synced: { toolName: 'sg_old', created: false } },
    ])
    const list = await world.ports.toolsCache.read()
    expect(list?.tools.map(({ name }) => name)).toEqual(['sg_new', 'sg_old'])
  })

  test('has 1 to 100 skills', async () => {
    const later = { list: 'later' as const }
    expect(await resultsOf(makeWorld(), named(100), later)).toHaveLength(100)
    expect(refusalOf(await send(makeWorld(), named(101), later)).detail).toContain('1 to 100')
    expect(refusalOf(await send(makeWorld(), [])).detail).toBe('body: has 0 skills; send 1 to 100.')
  })

  test('with something in it that is no skill refuses that alone', async () => {
    const results = await resultsOf(makeWorld(), [{ a: 1 }, skillJson('sg_a')])
    expect(results.map(({ status }) => status)).toEqual([422, 201])
  })

  test('begins no further skill once its time is over, and says so of each', async () => {
    const world = makeWorld()
    const put = world.ports.skills.put.bind(world.ports.skills)
    world.ports.skills = {
      ...world.ports.skills,
      put: (record, version) => {
        world.clock.jump(SYNC_MS_MAX / 2)
        return put(record, version)
      },
    }
    const results = await resultsOf(world, named(4), { list: 'later' })
    expect(results.map(({ status }) => status)).toEqual([201, 201, 504, 504])
    expect(results[3]).toMatchObject({ problem: { code: 'timed_out' } })
  })

  test('is not what a Markdown text is that begins with a bracket', async () => {
    const refused = refusalOf(await send(makeWorld(), '[![build](b.svg)](ci)\n\ntext\n'))
    expect(refused.detail).toContain('Markdown')
  })
})

describe('an answer of GET that is synced', () => {
  const text = fc.string({ minLength: 1, maxLength: 12 }).filter((one) => one.trim() !== '')
  const safe = text.map((one) => one.replace(/\p{C}/gu, '_'))
  const definition = fc.record(
    {
      id: fc.stringMatching(/^[a-z0-9_-]{1,20}$/).map((id) => `x${id}`),
      source: fc.constantFrom<SkillSource>('private', 'official', 'market'),
      skill_uid: fc.uuid(),
      credits_per_call: fc.constantFrom(0, 0.000001, 1, 2.5, 10_000),
      extra: fc.jsonValue({ maxDepth: 3 }),
      '2': fc.boolean(),
      config: fc.record(
        {
          endpoint: fc.constant('https://api.example/v1'),
          method: fc.constantFrom('get', 'POST', 'Delete'),
          timeout_ms: fc.integer({ min: 1, max: 14_250 }),
          query: fc.dictionary(fc.stringMatching(/^[a-z]{1,5}$/), safe),
          note: fc.jsonValue({ maxDepth: 2 }),
        },
        { requiredKeys: ['endpoint'] },
      ),
      meta: fc.record(
        {
          name: safe,
          description: safe,
          tags: fc.array(safe, { maxLength: 3 }),
          emoji: fc.constant('⛅'),
          parameters: fc.constantFrom<JsonObject>(
            { type: 'object' },
            { type: 'object', properties: { n: { type: 'number', maximum: 1e308 } } },
          ),
        },
        { requiredKeys: ['name', 'description'] },
      ),
    },
    { requiredKeys: ['id', 'source', 'config', 'meta', 'credits_per_call'] },
  )

  test('an answer of GET is taken back for any skill, and changes nothing', async () => {
    const world = makeWorld()
    await world.user('ada')
    await fc.assert(
      fc.asyncProperty(definition, async (sent) => {
        const uid = sent.source === 'private' ? 'ada' : undefined
        const first = await send(world, sent, { uid, strict: false, list: 'later' })
        fc.pre(first.ok && first.value.kind === 'one')
        const skillId = `sg_${sent.id}`
        const view = okOf(await showSkill(world.ports, { source: sent.source, skillId, uid }))
        // As a person sends it: the body of the GET, without a query.
        const again = okOf(await send(world, view, { list: 'later' }))
        expect(again).toMatchObject({ kind: 'one', outcome: { created: false } })
        expect(okOf(await showSkill(world.ports, { source: sent.source, skillId, uid }))).toEqual(
          view,
        )
      }),
      { numRuns: 300 },
    )
  })

  test('an answer of GET is taken back for a page of skills, of several tiers, with one result each', async () => {
    const world = makeWorld()
    await world.user('ada')
    await send(world, skillJson('sg_a'))
    await send(world, skillJson('sg_b', { source: 'market' }))
    await send(world, skillJson('sg_c', { source: 'private' }), { uid: 'ada' })
    const page = okOf(await listSkills(world.ports, world.settings, { uid: 'ada' }))
    expect(page.skills).toHaveLength(3)
    const results = await resultsOf(world, page)
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200])
    expect(okOf(await listSkills(world.ports, world.settings, { uid: 'ada' }))).toEqual(page)
  })

  test('an answer of GET is refused with another owner in the query', async () => {
    const world = makeWorld()
    await world.user('ada')
    await world.user('bob')
    await send(world, skillJson('sg_c', { source: 'private' }), { uid: 'ada' })
    const place = { source: 'private', skillId: 'sg_c', uid: 'ada' }
    const view = okOf(await showSkill(world.ports, place))
    const refused = refusalOf(await send(world, view, { uid: 'bob' }))
    expect(refused.faults).toMatchObject([{ pointer: '/query/uid' }])
  })

  test('an answer of GET may be a skill as deep and as long as one can be stored', async () => {
    const world = makeWorld()
    let deep: Json = 'x'
    for (let level = 0; level < 62; level += 1) deep = [deep]
    const skill = { ...skillJson('sg_deep'), deep: { at: deep } }
    const room = 256_000 - JSON.stringify({ ...skill, pad: '' }).length
    okOf(await send(world, { ...skill, pad: 'x'.repeat(room) }))
    const place = { source: 'official', skillId: 'sg_deep' }
    const view = okOf(await showSkill(world.ports, place))
    expect(okOf(await send(world, { skills: [view] }))).toMatchObject({
      results: [{ status: 200 }],
    })
  })
})
