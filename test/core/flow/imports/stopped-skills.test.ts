/** Imports and sets beside a skill whose state an administrator has set. */
import { describe, expect, test } from 'vitest'
import { changeSkill, type SkillChange } from '../../../../core/flow/registry/change-skill.ts'
import type { JsonObject } from '../../../../core/json/json.ts'
import { makeWorld, okOf, type World } from '../world.ts'
import { applied, asked, LIST, listedNames, petstore, planned } from './petstore.ts'
import { appliedSet, setOf, skillsAt } from './skill-set.ts'

const WHOLE = petstore()
const GONE = petstore({ '/pets': { get: LIST } })
const SHOW_ID = 'sg_pets_showPet'

function change(world: World, skillId: string, wanted: SkillChange) {
  return changeSkill(world.ports, world.settings, { source: 'official', skillId }, wanted)
}

async function definitionOf(world: World, skillId: string): Promise<JsonObject | undefined> {
  return (await world.ports.skills.get({ source: 'official', skillId }))?.definition
}

async function imported(): Promise<World> {
  const world = makeWorld()
  await applied(world, asked(WHOLE))
  return world
}

describe('an operation that goes and comes back', () => {
  test.each([
    ['disabled', 'Broken.'],
    ['unlisted', undefined],
  ] as const)('leaves the state %s that was set before it went', async (state, reason) => {
    const world = await imported()
    okOf(await change(world, SHOW_ID, { state, reason }))
    await applied(world, asked(GONE, { allowBreaking: true }))
    expect(await definitionOf(world, SHOW_ID)).toMatchObject({ state: 'disabled' })
    await applied(world, asked(WHOLE))
    expect((await definitionOf(world, SHOW_ID))?.['state']).toBe(state)
    expect((await definitionOf(world, SHOW_ID))?.['state_reason']).toBe(reason)
    expect((await planned(world, asked(WHOLE))).drift).toBe(false)
  })

  test('leaves a stop that was set while it was gone', async () => {
    const world = await imported()
    await applied(world, asked(GONE, { allowBreaking: true }))
    okOf(await change(world, SHOW_ID, { state: 'disabled', reason: 'Broken.' }))
    await applied(world, asked(WHOLE))
    expect(await definitionOf(world, SHOW_ID)).toMatchObject({
      state: 'disabled',
      state_reason: 'Broken.',
    })
  })

  test('leaves a stop of the same words as the import’s own', async () => {
    const world = await imported()
    await applied(world, asked(GONE, { allowBreaking: true }))
    const { state_reason: reason } = (await definitionOf(world, SHOW_ID)) ?? {}
    okOf(await change(world, SHOW_ID, { state: 'disabled', reason: String(reason) }))
    await applied(world, asked(WHOLE))
    expect((await definitionOf(world, SHOW_ID))?.['state']).toBe('disabled')
  })

  test('an operation that returns is served again where nobody set its state, as before', async () => {
    const world = await imported()
    await applied(world, asked(GONE, { allowBreaking: true }))
    await applied(world, asked(WHOLE))
    expect(await listedNames(world)).toEqual(['sg_pets_listPets', SHOW_ID])
  })

  test.each(['disabled', 'unlisted'] as const)(
    'an operation that returns is deleted by no import while an administrator’s state %s stands',
    async (state) => {
      const world = await imported()
      okOf(await change(world, SHOW_ID, { state }))
      const request = asked(GONE, { allowBreaking: true, deleteDisabled: true })
      for (let times = 0; times < 3; times += 1) await applied(world, request)
      await applied(world, asked(WHOLE))
      expect((await definitionOf(world, SHOW_ID))?.['state']).toBe(state)
      okOf(await change(world, SHOW_ID, { state: 'listed' }))
      for (let times = 0; times < 2; times += 1) await applied(world, request)
      expect(await definitionOf(world, SHOW_ID)).toBeUndefined()
    },
  )
})

describe('a skill that a set prunes', () => {
  const prune = { prune: true } as const

  test('stays where an administrator stopped it, is named as left, and comes back stopped', async () => {
    const world = makeWorld()
    await appliedSet(world, setOf(skillsAt(1, 'sg_a', 'sg_b')))
    okOf(await change(world, 'sg_a', { state: 'disabled', reason: 'Broken.' }))
    const done = await appliedSet(world, setOf(skillsAt(1, 'sg_b'), prune))
    expect(done).toMatchObject({ removed: [], left: ['sg_a'] })
    await appliedSet(world, setOf(skillsAt(1, 'sg_a', 'sg_b'), { edits: 'overwrite' }))
    expect(await definitionOf(world, 'sg_a')).toMatchObject({
      state: 'disabled',
      state_reason: 'Broken.',
    })
  })

  test('a pruned skill is disabled where an administrator took it out of the list, and comes back unlisted', async () => {
    const world = makeWorld()
    await appliedSet(world, setOf(skillsAt(1, 'sg_a', 'sg_b')))
    okOf(await change(world, 'sg_a', { state: 'unlisted' }))
    await appliedSet(world, setOf(skillsAt(1, 'sg_b'), prune))
    expect(await definitionOf(world, 'sg_a')).toMatchObject({ state: 'disabled' })
    await appliedSet(world, setOf(skillsAt(1, 'sg_a', 'sg_b')))
    expect((await definitionOf(world, 'sg_a'))?.['state']).toBe('unlisted')
  })

  test('a pruned skill may set a state and drop it again where no administrator touched it', async () => {
    const world = makeWorld()
    const [one = {}] = skillsAt(1, 'sg_a')
    await appliedSet(world, setOf([{ ...one, state: 'unlisted' }]))
    await appliedSet(world, setOf([one]))
    expect(await listedNames(world)).toEqual(['sg_a'])
  })
})
