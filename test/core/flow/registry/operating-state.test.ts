/** What an administrator set of a skill outlasts every way of writing its definition, unless the text names it. */
import { describe, expect, test } from 'vitest'
import { changeSkill, type SkillChange } from '../../../../core/flow/registry/change-skill.ts'
import { deleteSkill, showSkill } from '../../../../core/flow/registry/manage-skills.ts'
import { rebuildToolList } from '../../../../core/flow/registry/rebuild-tool-list.ts'
import { rollbackSkill } from '../../../../core/flow/registry/skill-versions.ts'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import { syncSkills } from '../../../../core/flow/registry/sync-skills.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { DEFINITION_BYTES_MAX } from '../../../../core/skills/limits.ts'
import { execute } from '../caller.ts'
import { appliedSet, setOf } from '../imports/skill-set.ts'
import { makeWorld, okOf, skillJson, type World } from '../world.ts'

const PLACE = { source: 'official', skillId: 'sg_a' }
const STOP = { state: 'disabled', reason: 'It deletes orders.' } as const
const KEPT = 'state: disabled was kept (It deletes orders.); enable the skill to start it'

function change(world: World, wanted: SkillChange) {
  return changeSkill(world.ports, world.settings, PLACE, wanted)
}

async function stored(world: World): Promise<JsonObject> {
  return okOf(await showSkill(world.ports, PLACE)).skill
}

/** The text of the author, whose description tells one push from another. */
function text(description: string, more: JsonObject = {}): JsonObject {
  const skill = skillJson('sg_a', { price: 1 })
  return { ...skill, meta: { ...Object(skill['meta']), description }, ...more }
}

async function push(world: World, sent: JsonObject) {
  const request = {
    text: JSON.stringify(sent),
    source: undefined,
    uid: undefined,
    list: 'now',
  } as const
  return okOf(await syncSkill(world.ports, world.settings, request))
}

async function stopped(): Promise<World> {
  const world = makeWorld()
  await push(world, text('First.'))
  okOf(await change(world, { credits: 9, groups: ['finance'], by: 'ops' }))
  okOf(await change(world, { ...STOP, by: 'ops' }))
  return world
}

const MARKDOWN = `# A

Pushed.

\`\`\`yaml
id: sg_a
source: official
credits_per_call: 1
endpoint: https://api.example.com/a
\`\`\`

\`\`\`json
{"type":"object","properties":{}}
\`\`\`
`

async function pushText(world: World, sent: string) {
  const request = { text: sent, source: undefined, uid: undefined, list: 'now' } as const
  return JSON.stringify(okOf(await syncSkills(world.ports, world.settings, request)))
}

/** Each answers what it says. */
const WAYS: readonly (readonly [string, (world: World) => Promise<string>])[] = [
  ['a sync', async (world) => (await push(world, text('Pushed.'))).warnings.join('\n')],
  [
    'a sync with null for a state',
    async (world) => (await push(world, text('Pushed.', { state: null }))).warnings.join('\n'),
  ],
  ['a sync of several', (world) => pushText(world, JSON.stringify([text('Pushed.')]))],
  ['a sync of Markdown', (world) => pushText(world, MARKDOWN)],
  ['an apply', async (world) => JSON.stringify(await appliedSet(world, setOf([text('Pushed.')])))],
  [
    'an apply that overwrites',
    async (world) =>
      JSON.stringify(await appliedSet(world, setOf([text('Pushed.')], { edits: 'overwrite' }))),
  ],
]

describe('a stop', () => {
  test.each(WAYS)('outlasts %s, with groups, and the answer says so', async (_, write) => {
    const world = await stopped()
    const said = await write(world)
    expect(said).toContain('state: disabled was kept (It deletes orders.)')
    expect(said).toContain('groups: finance was kept')
    expect(await stored(world)).toMatchObject({
      state: 'disabled',
      state_reason: 'It deletes orders.',
      groups: ['finance'],
    })
    okOf(await rebuildToolList(world.ports, world.settings))
    expect((await world.ports.toolsCache.read())?.tools).toEqual([])
  })

  test('outlasts a rollback, and so do groups and the price', async () => {
    const world = await stopped()
    await push(world, text('Second.'))
    okOf(await change(world, { credits: 9 }))
    const back = okOf(
      await rollbackSkill(world.ports, world.settings, PLACE, { body: { version: 1 }, by: 'ops' }),
    )
    expect(back.listed).toBe(false)
    expect(back.warnings).toEqual([
      KEPT,
      'groups: finance was kept; change the groups of the skill to replace them',
      'credits_per_call: 9 was kept; change the price of the skill to replace it',
    ])
    expect(await stored(world)).toMatchObject({
      meta: { description: 'First.' },
      state: 'disabled',
      groups: ['finance'],
      credits_per_call: 9,
    })
  })

  test('outlasts a deletion that a rollback takes back, and not one that a push follows', async () => {
    const world = await stopped()
    okOf(await deleteSkill(world.ports, world.settings, PLACE))
    okOf(
      await rollbackSkill(world.ports, world.settings, PLACE, { body: { version: 1 }, by: 'ops' }),
    )
    expect(await stored(world)).toMatchObject({ state: 'disabled', credits_per_call: 9 })
    okOf(await deleteSkill(world.ports, world.settings, PLACE))
    const made = await push(world, text('Third.'))
    expect(made).toMatchObject({ created: true, listed: true, warnings: [] })
    expect(await stored(world)).not.toHaveProperty('state')
  })

  test('is lifted by a text that names the state, which the answer says', async () => {
    const world = await stopped()
    const { listed, warnings } = await push(world, text('Works.', { state: 'listed', groups: [] }))
    expect(listed).toBe(true)
    expect(warnings).toEqual([
      'state: was disabled and is listed now, as the text says',
      'groups: was finance and is everyone now, as the text says',
      'credits_per_call: was 9 and is 1 now, as the text says',
    ])
    expect(await stored(world)).not.toHaveProperty('state_reason')
  })

  test('is kept by the same push sent again, which makes no version', async () => {
    const world = await stopped()
    await push(world, text('Pushed.'))
    const { version } = okOf(await showSkill(world.ports, PLACE))
    expect((await push(world, text('Pushed.'))).warnings).toContain(KEPT)
    expect(okOf(await showSkill(world.ports, PLACE)).version).toBe(version)
  })

  test('fits beside a definition of the most bytes', async () => {
    const world = makeWorld()
    const bytes = JSON.stringify((await push(world, text('x'))).skill).length
    const long = 'x'.repeat(DEFINITION_BYTES_MAX - bytes - ',"note":""'.length)
    await push(world, text('x', { note: long }))
    okOf(await change(world, { state: 'disabled', reason: 'ü'.repeat(300) }))
    const ada = await world.user('ada')
    expect(await execute(world, ada, 'sg_a')).toMatchObject({
      answer: { body: { code: 'forbidden', detail: expect.stringContaining('üüü') } },
    })
  })
})

/** Runs `first` ahead of the put that `second` is about to make. */
function ahead(world: World, first: () => Promise<unknown>) {
  const { skills } = world.ports
  let isDue = true
  world.ports.skills = {
    ...skills,
    put: async (record, ifVersion) => {
      if (isDue) {
        isDue = false
        await first()
      }
      return skills.put(record, ifVersion)
    },
  }
}

describe('a stop beside a push', () => {
  const PUSHES: readonly (readonly [string, (world: World) => Promise<unknown>])[] = [
    ['a push', (world) => push(world, text('Pushed.'))],
    ['a push that names a state', (world) => push(world, text('Pushed.', { state: 'listed' }))],
    [
      'an apply that overwrites and names a state',
      (world) =>
        appliedSet(world, setOf([text('Pushed.', { state: 'listed' })], { edits: 'overwrite' })),
    ],
  ]

  test.each(PUSHES)('wins over %s that had read the skill before it', async (_, write) => {
    const world = makeWorld()
    await push(world, text('First.'))
    ahead(world, async () => okOf(await change(world, STOP)))
    await write(world)
    expect(await stored(world)).toMatchObject({
      state: 'disabled',
      meta: { description: 'Pushed.' },
    })
  })

  test.each(PUSHES)('wins over %s that is written ahead of it', async (_, write) => {
    const world = makeWorld()
    await push(world, text('First.'))
    ahead(world, () => write(world))
    okOf(await change(world, STOP))
    expect(await stored(world)).toMatchObject({
      state: 'disabled',
      meta: { description: 'Pushed.' },
    })
  })

  test('wins over a push that made the skill which is stopped', async () => {
    const world = makeWorld()
    ahead(world, async () => {
      await push(world, text('First.'))
      okOf(await change(world, STOP))
    })
    await push(world, text('Pushed.', { state: 'listed' }))
    expect(await stored(world)).toMatchObject({
      state: 'disabled',
      meta: { description: 'Pushed.' },
    })
  })
})
