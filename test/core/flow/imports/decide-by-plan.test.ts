/** What a plan tells the person who decides about it: where a tool sends, what it costs, what changes for agents. */
import { describe, expect, test } from 'vitest'
import { applyImport } from '../../../../core/flow/imports/apply-import.ts'
import { changeSkill } from '../../../../core/flow/registry/change-skill.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { makeWorld, okOf, refusalOf, skillJson, type World } from '../world.ts'
import { applied, asked, LIST, listedNames, petstore, planned, SHOW } from './petstore.ts'
import { appliedSet, plannedSet, setOf, skillsAt } from './skill-set.ts'

const LESS = asked(petstore({ '/pets': { get: LIST } }), { allowBreaking: true })
const PLACE = { source: 'official', skillId: 'sg_pets_showPet' }

async function stateOf(world: World) {
  const record = await world.ports.skills.get({ source: 'official', skillId: PLACE.skillId })
  const { state, state_reason: reason } = record?.definition ?? {}
  return [state, reason]
}

async function change(world: World, state: 'disabled' | 'listed' | 'unlisted', reason?: string) {
  const said = reason === undefined ? {} : { reason }
  okOf(await changeSkill(world.ports, world.settings, PLACE, { state, ...said }))
}

describe('an added tool', () => {
  test('of a document shows its name, its description, its host and its price', async () => {
    const paths = { '/pets': { get: { ...LIST, description: 'Lists pets.\nPage by page.' } } }
    const { added } = await planned(makeWorld(), asked(petstore(paths)))
    expect(added).toEqual([
      {
        skillId: 'sg_pets_listPets',
        operation: 'GET /pets',
        name: 'List pets',
        description: 'List pets',
        host: 'petstore.test',
        credits: 1,
        notes: [],
      },
    ])
  })

  test('of a set shows them as well', async () => {
    const { added } = await plannedSet(makeWorld(), setOf(skillsAt(3, 'sg_a')))
    expect(added).toMatchObject([{ skillId: 'sg_a', host: 'api.example', credits: 3 }])
  })

  test('a pattern that no value is checked against stays in the tool, and a note names it', async () => {
    const parameters = [
      { name: 'a', in: 'query', schema: { type: 'string', pattern: '^(?!foo)[a-z]+$' } },
      { name: 'b', in: 'query', schema: { type: 'string', pattern: '[a-z]+(?!foo)' } },
    ]
    const paths = { '/pets': { get: { ...LIST, parameters } } }
    const { added } = await planned(makeWorld(), asked(petstore(paths)))
    expect(added[0]?.notes).toContainEqual(
      'The schema at /properties/b/pattern is listed, but no value is checked against it: a lookahead can be checked only at the beginning, as in ^(?=.*[0-9]), and not among alternatives.',
    )
    expect(added[0]?.notes.join()).not.toContain('/properties/a')
  })

  test('characters that nobody sees are left out, and a note shows them', async () => {
    const hidden = 'a\u202eb\u200bc\u{e0041}d'
    const paths = { '/pets': { get: { ...LIST, summary: hidden, description: hidden } } }
    const { added } = await planned(makeWorld(), asked(petstore(paths)))
    expect(JSON.stringify(added)).not.toMatch(/[\u202e\u200b\u{e0041}]/u)
    expect(added[0]?.name).toBe('abcd')
    expect(added[0]?.notes.join()).toContain('a\\u{202E}b\\u{200B}c\\u{E0041}d')
  })
})

describe('a change that breaks', () => {
  const definition = (more: JsonObject, config: JsonObject = {}): JsonObject => {
    const whole = skillJson('sg_a', { price: 1 }) as JsonObject
    return { ...whole, ...more, config: { ...(whole['config'] as JsonObject), ...config } }
  }

  test.each<[string, JsonObject, string]>([
    [
      'a price that rises',
      definition({ credits_per_call: 9_000 }),
      'The price rises from 1 to 9000 credits.',
    ],
    [
      'another host',
      definition({}, { endpoint: 'https://evil.example/x' }),
      'The host is evil.example, not api.example.',
    ],
    [
      'a secret in a header',
      definition({}, { headers: { 'x-key': '{{secrets.KEY}}' } }),
      'The credential in headers is another one.',
    ],
    [
      'a secret in the query',
      definition({}, { query: { key: '{{secrets.KEY}}' } }),
      'The credential in query is another one.',
    ],
    [
      'another credential',
      definition({}, { auth: { type: 'bearer', secret: 'KEY' } }),
      'The auth is another one.',
    ],
    [
      'a state that hides it',
      definition({ state: 'disabled' }),
      'Its state is disabled, not listed.',
    ],
    [
      'groups that it had not',
      definition({ groups: ['beta'] }),
      'Only users in the groups beta see it.',
    ],
  ])('%s is breaking in the plan of a set', async (_, now, reason) => {
    const world = makeWorld()
    await appliedSet(world, setOf([definition({})]))
    const { breaking } = await plannedSet(world, setOf([now]))
    expect(breaking.flatMap(({ reasons }) => reasons)).toContain(reason)
  })

  test('a price that falls, and a header without a secret, break nothing', async () => {
    const world = makeWorld()
    await appliedSet(world, setOf([definition({})]))
    const now = definition({ credits_per_call: 0.5 }, { headers: { accept: 'application/json' } })
    expect((await plannedSet(world, setOf([now]))).breaking).toEqual([])
  })

  test('an import with a higher price, or on another host, changes nothing without allowBreaking', async () => {
    const world = makeWorld()
    await applied(world, asked(petstore()))
    const dear = asked(petstore(), { defaults: { credits: 9_000 } })
    expect(refusalOf(await applyImport(world.ports, world.settings, dear)).detail).toContain(
      'rises from 1 to 9000',
    )
    const moved = asked(petstore(undefined, { servers: [{ url: 'https://other.test/v1' }] }))
    expect(refusalOf(await applyImport(world.ports, world.settings, moved)).detail).toContain(
      'other.test, not petstore.test',
    )
  })
})

describe('a stop by a person', () => {
  test('a stop outlasts an operation that goes and comes back', async () => {
    const world = makeWorld()
    await applied(world, asked(petstore()))
    await change(world, 'disabled', 'Emergency.')
    await applied(world, LESS)
    expect(await stateOf(world)).toEqual(['disabled', 'Emergency.'])
    expect((await planned(world, LESS)).drift).toBe(false)
    await applied(world, asked(petstore()))
    expect(await stateOf(world)).toEqual(['disabled', 'Emergency.'])
    expect(await listedNames(world)).toEqual(['sg_pets_listPets'])
  })

  test('a stop while the operation is gone outlasts its return, and so does another state', async () => {
    for (const [state, reason] of [
      ['disabled', 'Emergency.'],
      ['disabled', undefined],
      ['unlisted', undefined],
    ] as const) {
      const world = makeWorld()
      await applied(world, asked(petstore()))
      await applied(world, LESS)
      await change(world, state, reason)
      await applied(world, asked(petstore()))
      expect(await stateOf(world)).toEqual([state, reason])
      await applied(world, LESS)
      await applied(world, asked(petstore()))
      expect(await stateOf(world)).toEqual([state, reason])
    }
  })

  test('a stopped skill is not deleted, since the operation would come back without the stop', async () => {
    const world = makeWorld()
    await applied(world, asked(petstore()))
    await change(world, 'disabled', 'Emergency.')
    await applied(world, LESS)
    await applied(world, { ...LESS, deleteDisabled: true })
    await applied(world, asked(petstore()))
    expect(await stateOf(world)).toEqual(['disabled', 'Emergency.'])
  })

  test('a skill that nobody stopped is enabled when its operation comes back, and the plan says so', async () => {
    const world = makeWorld()
    await applied(world, asked(petstore()))
    await applied(world, LESS)
    const { changed } = await planned(
      world,
      asked(petstore({ '/pets/{petId}': { get: SHOW }, '/pets': { get: LIST } })),
    )
    expect(changed).toMatchObject([
      { fields: expect.arrayContaining([expect.objectContaining({ field: 'state' })]) },
    ])
    await applied(world, asked(petstore()))
    expect(await stateOf(world)).toEqual([undefined, undefined])
  })
})
