/** Hidden characters are refused wherever a person writes what agents or people read. */
import { beforeEach, describe, expect, test } from 'vitest'
import type { JsonObject } from '../../core/json/json.ts'
import { applied, asked, petstore, planned, SHOW } from '../core/flow/imports/petstore.ts'
import { makeWorld, skillJson, type World } from '../core/flow/world.ts'
import { askAdmin } from './admin/admin-client.ts'

const RLO = '\u202E'
const TAG = '\u{E0041}'

let world: World

beforeEach(() => {
  world = makeWorld()
})

function withMeta(more: JsonObject): JsonObject {
  const skill = skillJson('sg_shown')
  return { ...skill, meta: { ...Object(skill['meta']), ...more } }
}

function taking(property: JsonObject, name = 'q'): JsonObject {
  return { parameters: { type: 'object', properties: { [name]: property } } }
}

const HIDING: readonly (readonly [string, JsonObject, string])[] = [
  ['a name', withMeta({ name: `Wea${RLO}ther` }), '/meta/name'],
  ['a description', withMeta({ description: `Weather${TAG}` }), '/meta/description'],
  ['a tag', withMeta({ tags: ['a', `b\u200B`] }), '/meta/tags/1'],
  ['an emoji', withMeta({ emoji: `\u{1F600}${TAG}\u{E007F}` }), '/meta/emoji'],
  ['a parameter', withMeta(taking({ type: 'string' }, `q${RLO}`)), '/meta/parameters/properties'],
  [
    'a parameter’s description',
    withMeta(taking({ description: `x\u00AD` })),
    '/meta/parameters/properties/q/description',
  ],
  ['an enum', withMeta(taking({ enum: ['a', `b${TAG}`] })), '/meta/parameters/properties/q/enum/1'],
  [
    'an output schema',
    withMeta({ output_schema: { title: `x\u2066` } }),
    '/meta/output_schema/title',
  ],
  [
    'the reason of a state',
    { ...withMeta({}), state: 'disabled', state_reason: `x${RLO}` },
    '/state_reason',
  ],
]

describe('a hidden character in a skill', () => {
  test.each(HIDING)(
    'in %s is refused by sync_skill and skills:apply with its place',
    async (_, skill, pointer) => {
      const one = await askAdmin(world, 'POST', '/sync_skill', {
        body: skill,
        query: 'source=official',
      })
      expect(one.status).toBe(422)
      expect(one.json).toMatchObject({
        errors: [{ pointer, message: expect.stringMatching(/U\+[0-9A-F]{4,5} at character/) }],
      })
      const set = await askAdmin(world, 'POST', '/skills:apply', { body: [skill], query: 'set=s' })
      expect(set.status).toBe(422)
      expect(set.json).toMatchObject({ errors: [{ pointer: `/0${pointer}` }] })
      expect(
        await world.ports.skills.get({ source: 'official', skillId: 'sg_shown' }),
      ).toBeUndefined()
    },
  )

  test('in Markdown is refused with its line', async () => {
    const yaml =
      'id: sg_m\nsource: official\ncredits_per_call: 0\nendpoint: https://api.example.com/n'
    const body = `# Wea${RLO}ther\n\nText.\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n\n\`\`\`json\n{"type":"object"}\n\`\`\`\n`
    const out = await askAdmin(world, 'POST', '/sync_skill', { body })
    expect(out.status).toBe(422)
    expect(out.text).toContain(
      'holds U+202E at character 4, which readers do not see; remove it (heading, line 1)',
    )
  })

  test('in the reason of a PATCH is refused', async () => {
    await world.skill('sg_shown')
    const body = { state: 'disabled', reason: `Broken${RLO}` }
    const out = await askAdmin(world, 'PATCH', '/skills/official/sg_shown', { body })
    expect(out.status).toBe(422)
    expect(out.json).toMatchObject({ errors: [{ pointer: '/reason' }] })
  })

  test.each([
    [{ title: `a${RLO}` }, '/title'],
    [{ description: `a${TAG}` }, '/description'],
    [
      { inputSchema: { type: 'object', properties: { q: { description: 'a\u200B' } } } },
      '/inputSchema/properties/q/description',
    ],
  ])('in a pushed list is refused: %j', async (more: JsonObject, pointer) => {
    const tool = { name: 'a', description: 'A.', inputSchema: { type: 'object' }, ...more }
    const body = { mode: 'replace', tools: [tool] }
    const out = await askAdmin(world, 'POST', '/sync_cache', { body })
    expect(out.status).toBe(422)
    expect(out.json).toMatchObject({ errors: [{ pointer: `/tools/0${pointer}` }] })
  })
})

describe('a hidden character in an imported document', () => {
  test('in prose is left out, and a note shows it', async () => {
    const parameters = [
      {
        name: 'petId',
        in: 'path',
        required: true,
        description: `The\u00ADpet`,
        schema: { type: 'string' },
      },
    ]
    const document = petstore({
      '/pets/{petId}': { get: { ...SHOW, parameters, summary: `Show${RLO} a pet` } },
    })
    const { added } = await planned(world, asked(document))
    expect(added[0]?.notes.join()).toContain(
      'hidden characters were left out of "Show\\u{202E} a pet"',
    )
    expect(added[0]?.notes.join()).toContain('The\\u{00AD}pet')
    await applied(world, asked(document))
    const record = await world.ports.skills.get({ source: 'official', skillId: 'sg_pets_showPet' })
    expect(JSON.stringify(record?.definition)).not.toMatch(/[\u202E\u00AD]/)
  })

  test('in a value that the API is sent leaves the operation out, with the reason', async () => {
    const parameters = [
      { name: 'kind', in: 'query', schema: { type: 'string', enum: [`cat${TAG}`, 'dog'] } },
    ]
    const { added, notImported } = await planned(
      world,
      asked(petstore({ '/pets': { get: { parameters } } })),
    )
    expect(added).toEqual([])
    expect(notImported[0]?.reason).toContain('holds U+E0041 at character 4')
  })
})

describe('a hidden character in what an administrator writes', () => {
  test.each([
    ['POST', '/users', { username: `a${RLO}b` }, '/username'],
    ['POST', '/users', { username: 'ok', identity: `a\u200Bb@example.com` }, '/identity'],
    ['PATCH', '/users/ada', { username: `a${TAG}` }, '/username'],
    ['PATCH', '/users/ada', { state: 'disabled', reason: `a${RLO}` }, '/reason'],
    ['POST', '/users/ada/credits', { grantId: 'g', amount: 1, reason: `a\u2066b` }, '/reason'],
  ])(
    '%s %s %j is refused, and the message shows it',
    async (method, path, body: JsonObject, pointer) => {
      await world.user('ada')
      const out = await askAdmin(world, method, path, { body })
      expect(out.status).toBe(422)
      expect(out.json).toMatchObject({
        errors: [{ pointer, message: expect.stringMatching(/this one holds U\+/) }],
      })
    },
  )
})
