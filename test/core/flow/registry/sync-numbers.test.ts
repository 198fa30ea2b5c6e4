/** Numbers of a definition that JSON.parse would change, however the skill is sent. */
import { describe, expect, test } from 'vitest'
import { syncSkills } from '../../../../core/flow/registry/sync-skills.ts'
import { CHANGED_NUMBERS_MAX } from '../../../../core/json/changed-numbers.ts'
import { makeWorld, okOf, refusalOf, skillJson, type World } from '../world.ts'

const CHANGED = '9007199254740993'
const KEPT = '9007199254740992'

function send(world: World, text: string) {
  return syncSkills(world.ports, world.settings, {
    text,
    source: undefined,
    uid: undefined,
    list: 'later',
  })
}

/** A skill whose only parameter has this number as its default, as it stands in the text. */
function withDefault(id: string, number: string): string {
  const skill = skillJson(id)
  const parameters = {
    type: 'object',
    properties: { q: { type: 'string' }, n: { type: 'number', default: 424_242 } },
  }
  return JSON.stringify({ ...skill, meta: { ...Object(skill['meta']), parameters } }).replace(
    '424242',
    number,
  )
}

function markdown(yaml: string, number: string): string {
  const parameters = `{"type":"object","properties":{"n":{"type":"number","default":${number}}}}`
  return `# Numbers\n\nCounts.\n\n\`\`\`yaml\n${yaml}\n\`\`\`\n\n\`\`\`json\n${parameters}\n\`\`\`\n`
}

const YAML = [
  'id: sg_m',
  'source: official',
  'credits_per_call: 0',
  'endpoint: https://api.example.com/n',
]

describe('a definition with a number that would be changed', () => {
  test.each([CHANGED, '1e999', '0.1234567890123456789'])(
    'is refused with its pointer, and the old skill stays: %s',
    async (number) => {
      const world = makeWorld()
      okOf(await send(world, withDefault('sg_n', KEPT)))
      const refusal = refusalOf(await send(world, withDefault('sg_n', number)))
      expect(refusal.code).toBe('invalid_skill')
      expect(refusal.faults).toMatchObject([{ pointer: '/meta/parameters/properties/n/default' }])
      const stored = await world.ports.skills.get({ source: 'official', skillId: 'sg_n' })
      expect(JSON.stringify(stored?.definition)).toContain(KEPT)
    },
  )

  test('is told from one that keeps its numbers', async () => {
    expect(okOf(await send(makeWorld(), withDefault('sg_n', '1.50e2')))).toMatchObject({
      kind: 'one',
    })
  })

  test('is found where a GET put the definition', async () => {
    const refusal = refusalOf(
      await send(makeWorld(), `{"version":3,"skill":${withDefault('sg_n', CHANGED)}}`),
    )
    expect(refusal.faults).toMatchObject([{ pointer: '/meta/parameters/properties/n/default' }])
  })

  test.each([
    ['an array', (skills: string) => `[${skills}]`],
    ['a page', (skills: string) => `{"skills":[${skills}]}`],
  ])('a definition with a changed number is refused alone in %s', async (_name, around) => {
    const skills = [withDefault('sg_a', KEPT), withDefault('sg_b', CHANGED)].join(',')
    const synced = okOf(await send(makeWorld(), around(skills)))
    expect(synced.kind === 'many' ? synced.results : []).toMatchObject([
      { status: 201 },
      {
        status: 422,
        problem: { errors: [{ pointer: '/meta/parameters/properties/n/default' }] },
      },
    ])
  })

  test('keeps the whole array out when there are more than are counted', async () => {
    const world = makeWorld()
    const skills = Array.from({ length: CHANGED_NUMBERS_MAX }, (_, index) =>
      withDefault(`sg_n${index}`, CHANGED),
    )
    const refusal = refusalOf(await send(world, `[${withDefault('sg_a', KEPT)},${skills}]`))
    expect(refusal.faults).toHaveLength(CHANGED_NUMBERS_MAX)
    expect(await world.ports.skills.get({ source: 'official', skillId: 'sg_a' })).toBeUndefined()
  })

  test('is refused in the JSON block of Markdown', async () => {
    const world = makeWorld()
    okOf(await send(world, markdown(YAML.join('\n'), KEPT)))
    const refusal = refusalOf(await send(world, markdown(YAML.join('\n'), CHANGED)))
    expect(refusal.faults).toMatchObject([{ pointer: '/meta/parameters/properties/n/default' }])
    expect(refusal.detail).toContain('line 12')
  })

  test.each(['9007199254740993', '0.1234567890123456789', '1e-400', '0x20000000000001'])(
    'is refused in the YAML block of Markdown: %s',
    async (number) => {
      const yaml = [...YAML, `pick: ${number}`].join('\n')
      const refusal = refusalOf(await send(makeWorld(), markdown(yaml, '1')))
      expect(refusal.code).toBe('invalid_skill')
      expect(refusal.detail).toContain('line 10: the YAML block has a number that would be changed')
    },
  )
})
