/** A set of skills: its plan, what an apply puts and prunes, and how edits by hand are treated. */
import { describe, expect, test } from 'vitest'
import { planSet } from '../../../../core/flow/imports/plan-set.ts'
import { SET_SKILLS_MAX } from '../../../../core/flow/imports/read-set.ts'
import { changeSkill } from '../../../../core/flow/registry/change-skill.ts'
import { listVersions } from '../../../../core/flow/registry/skill-versions.ts'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import { SET_BYTES_MAX } from '../../../../core/skills/set-limits.ts'
import { makeWorld, okOf, refusalOf, skillJson, type World } from '../world.ts'
import { applied, asked, listedNames, petstore } from './petstore.ts'
import { appliedSet, plannedSet, pricesOf, setOf, skillsAt } from './skill-set.ts'

const PLACE = { source: 'official', skillId: 'sg_a' }
const MARKDOWN = `# Joke

Tells a joke.

\`\`\`yaml
id: sg_joke
endpoint: https://api.example/joke
credits_per_call: 0.5
\`\`\`

\`\`\`json
{"type": "object", "properties": {}}
\`\`\`
`

async function refusedPlan(world: World, text: string) {
  return refusalOf(await planSet(world.ports, world.settings, setOf(text)))
}

describe('applying a set', () => {
  test('stores its skills with the author, and makes the list once', async () => {
    const world = makeWorld()
    let lists = 0
    const { toolsCache } = world.ports
    world.ports.toolsCache = {
      ...toolsCache,
      write: (...args) => {
        lists += 1
        return toolsCache.write(...args)
      },
    }
    const done = await appliedSet(world, setOf(skillsAt(1, 'sg_a', 'sg_b')))
    expect(done).toMatchObject({ changes: 2, tools: 2, unchanged: 0 })
    expect(await listedNames(world)).toEqual(['sg_a', 'sg_b'])
    expect(lists).toBe(1)
    const page = { limit: undefined, cursor: undefined }
    const { versions } = okOf(await listVersions(world.ports, PLACE, page))
    expect(versions).toMatchObject([{ version: 1, by: 'grace', origin: 'set' }])
  })

  test('again changes neither skills nor list', async () => {
    const world = makeWorld()
    const request = setOf(skillsAt(1, 'sg_a', 'sg_b'))
    await appliedSet(world, request)
    const before = await world.ports.toolListVersion.read()
    world.clock.jump(60_000)
    expect(await appliedSet(world, request)).toMatchObject({ changes: 0, unchanged: 2 })
    expect(await world.ports.toolListVersion.read()).toBe(before)
  })

  test('names each field that changed, with both values', async () => {
    const world = makeWorld()
    await appliedSet(world, setOf(skillsAt(1, 'sg_a', 'sg_b')))
    const request = setOf([...skillsAt(2, 'sg_a'), ...skillsAt(1, 'sg_b')])
    expect(await plannedSet(world, request)).toMatchObject({
      changes: 1,
      changed: [
        {
          skillId: 'sg_a',
          file: '/0',
          fields: [{ field: 'credits_per_call', from: '1', to: '2' }],
        },
      ],
      unchanged: 1,
    })
    expect(await pricesOf(world)).toEqual({ sg_a: 1, sg_b: 1 })
    await appliedSet(world, request)
    expect(await pricesOf(world)).toEqual({ sg_a: 2, sg_b: 1 })
  })

  test('puts no skill of a set of which one has a fault, and names the fault of each file', async () => {
    const world = makeWorld()
    const bad = { ...skillJson('sg_bad'), credits_per_call: -1 }
    const file = { path: 'skills/b.md', text: '# No blocks' }
    const { code, detail, faults } = await refusedPlan(
      world,
      JSON.stringify([skillJson('sg_a'), bad, file]),
    )
    expect(code).toBe('invalid_skill')
    expect(detail).toMatch(/^2 of 3 skills cannot be taken, so nothing was changed\./)
    expect(faults?.[0]).toEqual({
      pointer: '/1/credits_per_call',
      message: 'must be a number from 0 to 10000 with at most 6 decimals',
    })
    expect(faults?.[1]?.pointer).toMatch(/^\/2/)
    expect(faults?.[1]?.message).toMatch(/^skills\/b\.md: /)
    expect(await pricesOf(world)).toEqual({})
  })

  test('refuses two skills of one id', async () => {
    const text = JSON.stringify(skillsAt(1, 'sg_a', 'sg_a'))
    const { faults } = await refusedPlan(makeWorld(), text)
    expect(faults).toEqual([
      { pointer: '/1', message: '/id is also the id of /0; keep one of the two.' },
    ])
  })

  test('refuses a slip, and takes it as a warning when strict is off', async () => {
    const world = makeWorld()
    const skill = { ...skillJson('sg_a'), credits_per_cal: 2 }
    expect((await refusedPlan(world, JSON.stringify([skill]))).code).toBe('invalid_skill')
    const { warnings } = await plannedSet(world, setOf([skill], { strict: false }))
    expect(warnings).toMatchObject([{ skillId: 'sg_a' }])
  })
})

describe('the text of a set', () => {
  test.each([
    ['an array', JSON.stringify(skillsAt(1, 'sg_a', 'sg_b')), ['sg_a', 'sg_b']],
    ['one skill', JSON.stringify(skillJson('sg_a'), null, 2), ['sg_a']],
    [
      'lines',
      `${JSON.stringify(skillJson('sg_a'))}\n\n${JSON.stringify(skillJson('sg_b'))}\r\n`,
      ['sg_a', 'sg_b'],
    ],
    ['files', JSON.stringify([{ path: 'joke.md', text: MARKDOWN }]), ['sg_joke']],
    [
      'files of JSON in lines',
      `${JSON.stringify({ path: 'a.json', text: JSON.stringify(skillJson('sg_a')) })}\n${JSON.stringify({ path: 'joke.md', text: MARKDOWN })}`,
      ['sg_a', 'sg_joke'],
    ],
  ])('a text of %s is taken', async (_, text, ids) => {
    const { added } = await plannedSet(makeWorld(), setOf(text))
    expect(added.map(({ skillId }) => skillId)).toEqual(ids)
  })

  test('a page that GET skills answered is taken back, and changes nothing', async () => {
    const world = makeWorld()
    await appliedSet(world, setOf(skillsAt(1, 'sg_a')))
    const { records } = await world.ports.skills.list({ source: 'official', limit: 10 })
    const page = {
      skills: records.map(({ definition, skillId }) => ({ skill: definition, skillId })),
    }
    expect(await plannedSet(world, setOf(page))).toMatchObject({ changes: 0, unchanged: 1 })
  })

  test('names the line that is no JSON', async () => {
    const text = `${JSON.stringify(skillJson('sg_a'))}\n{"id": oops}\n`
    const { faults } = await refusedPlan(makeWorld(), text)
    expect(faults).toMatchObject([{ pointer: '/1' }])
  })

  test('names a number that no double keeps', async () => {
    const [skill] = skillsAt(1, 'sg_a')
    const text = JSON.stringify([skill]).replace(
      '"properties":{}',
      '"properties":{"a":{"const":12345678901234567890}}',
    )
    const { faults } = await refusedPlan(makeWorld(), text)
    expect(faults?.[0]?.pointer).toBe('/0/meta/parameters/properties/a/const')
  })

  test.each(['', '[]', 'nonsense', '{"id"'])('the text %j is refused', async (text) => {
    expect((await refusedPlan(makeWorld(), text)).code).toBe('malformed')
  })

  test('a set may have 1,000 skills, and one more is refused', async () => {
    const ids = Array.from({ length: SET_SKILLS_MAX }, (_, n) => `sg_s${n}`)
    const { changes } = await plannedSet(makeWorld(), setOf(skillsAt(1, ...ids)))
    expect(changes).toBe(1_000)
    const more = JSON.stringify(skillsAt(1, ...ids, 'sg_one_more'))
    expect((await refusedPlan(makeWorld(), more)).detail).toBe(
      'body: has 1001 skills; send 1 to 1000.',
    )
  })

  test('a set may have 4 MB, and one byte more is refused', async () => {
    const text = JSON.stringify(skillsAt(1, 'sg_a'))
    const full = text.padEnd(SET_BYTES_MAX, ' ')
    expect((await plannedSet(makeWorld(), setOf(full))).changes).toBe(1)
    expect((await refusedPlan(makeWorld(), `${full} `)).code).toBe('too_large')
  })
})

describe('a skill that the set has no more', () => {
  async function shrunk() {
    const world = makeWorld()
    await appliedSet(world, setOf(skillsAt(1, 'sg_a', 'sg_b')))
    return world
  }

  test('stays, and is named, unless prune is asked for', async () => {
    const world = await shrunk()
    const done = await appliedSet(world, setOf(skillsAt(1, 'sg_b')))
    expect(done).toMatchObject({ changes: 0, left: ['sg_a'], removed: [] })
    expect(await listedNames(world)).toEqual(['sg_a', 'sg_b'])
  })

  test('prune deletes it, and touches no skill of another set and none made by hand', async () => {
    const world = await shrunk()
    await world.skill('sg_hand')
    await appliedSet(world, setOf(skillsAt(1, 'sg_other'), { set: 'other' }))
    const request = setOf(skillsAt(1, 'sg_b'), { prune: true })
    expect(await plannedSet(world, request)).toMatchObject({ changes: 1, removed: ['sg_a'] })
    expect(await appliedSet(world, request)).toMatchObject({ changes: 1, removed: ['sg_a'] })
    expect(Object.keys(await pricesOf(world))).toEqual(['sg_b', 'sg_hand', 'sg_other'])
    expect(await listedNames(world)).toEqual(['sg_b', 'sg_hand', 'sg_other'])
    expect((await plannedSet(world, request)).changes).toBe(0)
  })

  test('makes room for the market’s skill of the same id', async () => {
    const world = await shrunk()
    await world.skill('sg_a', { source: 'market', description: 'The market’s.' })
    await appliedSet(world, setOf(skillsAt(1, 'sg_b'), { prune: true }))
    const tools = (await world.ports.toolsCache.read())?.tools ?? []
    expect(tools.find(({ name }) => name === 'sg_a')?.description).toContain('The market’s.')
  })
})

describe('a skill of a set that was edited by hand', () => {
  async function edited() {
    const world = makeWorld()
    await appliedSet(world, setOf(skillsAt(1, 'sg_a')))
    okOf(
      await changeSkill(world.ports, world.settings, PLACE, {
        credits: 5,
        state: 'disabled',
        reason: 'Down.',
      }),
    )
    return world
  }
  const FIELDS = ['credits_per_call', 'state', 'state_reason']

  test('keeps the edit, which the plan names', async () => {
    const world = await edited()
    const done = await appliedSet(world, setOf(skillsAt(1, 'sg_a')))
    expect(done).toMatchObject({ changes: 0, edited: [{ fields: FIELDS, conflicts: [] }] })
    expect(await pricesOf(world)).toEqual({ sg_a: 5 })
  })

  test('keeps it where the set changed the field as well, which is a conflict', async () => {
    const world = await edited()
    const done = await appliedSet(world, setOf(skillsAt(2, 'sg_a')))
    expect(done.edited).toMatchObject([{ fields: FIELDS, conflicts: ['credits_per_call'] }])
    expect(await pricesOf(world)).toEqual({ sg_a: 5 })
  })

  test('loses its price to a set that asks to overwrite, and stays disabled, with a word', async () => {
    const world = await edited()
    const request = setOf(skillsAt(2, 'sg_a'), { edits: 'overwrite' })
    const done = await appliedSet(world, request)
    expect(done.changed[0]?.fields.map(({ field }) => field)).toEqual(['credits_per_call'])
    expect(done.warnings[0]?.texts.join()).toContain('state: disabled was kept')
    expect(await pricesOf(world)).toEqual({ sg_a: 2 })
    expect(await listedNames(world)).toEqual([])
    expect((await plannedSet(world, request)).changes).toBe(0)
  })
})

describe('a skill that others made', () => {
  test('a skill made by hand is adopted, and keeps what differs until overwrite is asked for', async () => {
    const world = makeWorld()
    await world.skill('sg_a', { price: 1 })
    const done = await appliedSet(world, setOf(skillsAt(2, 'sg_a')))
    expect(done).toMatchObject({ adopted: ['sg_a'], edited: [{ conflicts: ['credits_per_call'] }] })
    expect(await pricesOf(world)).toEqual({ sg_a: 1 })
    await appliedSet(world, setOf(skillsAt(2, 'sg_a'), { edits: 'overwrite' }))
    expect(await pricesOf(world)).toEqual({ sg_a: 2 })
  })

  test('a skill of another set or of an OpenAPI document is refused, until a sync takes it out', async () => {
    const world = makeWorld()
    await appliedSet(world, setOf(skillsAt(1, 'sg_a'), { set: 'other' }))
    await applied(world, asked(petstore()))
    const text = JSON.stringify(skillsAt(1, 'sg_a', 'sg_pets_showPet'))
    const { code, faults } = await refusedPlan(world, text)
    expect(code).toBe('conflict')
    expect(faults?.map(({ message }) => message.split(';')[0])).toEqual([
      '/0: sg_a belongs to the set other',
      '/1: sg_pets_showPet belongs to the import pets',
    ])
    const request = { source: undefined, uid: undefined, list: 'now' } as const
    for (const skill of skillsAt(1, 'sg_a', 'sg_pets_showPet')) {
      const body = JSON.stringify(skill)
      okOf(await syncSkill(world.ports, world.settings, { ...request, text: body, strict: false }))
    }
    expect((await plannedSet(world, setOf(text))).adopted).toEqual(['sg_a', 'sg_pets_showPet'])
  })
})
