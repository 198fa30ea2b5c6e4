/** PATCH of a skill: its state, price and groups, against syncs of the same skill and calls that run. */

import { describe, expect, test } from 'vitest'
import { runSteps } from '../../../../bench/lib/run-steps.ts'
import { changeSkill, type SkillChange } from '../../../../core/flow/registry/change-skill.ts'
import { showSkill } from '../../../../core/flow/registry/manage-skills.ts'
import { listVersions } from '../../../../core/flow/registry/skill-versions.ts'
import { execute } from '../caller.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

const PLACE = { source: 'official', skillId: 'sg_a' }

function change(world: World, wanted: SkillChange, place: object = {}) {
  return changeSkill(world.ports, world.settings, { ...PLACE, ...place }, wanted)
}

async function stored(world: World) {
  return okOf(await showSkill(world.ports, PLACE)).skill
}

async function withSkill(): Promise<World> {
  const world = makeWorld()
  await world.skill('sg_a', { price: 1 })
  return world
}

describe('a change of a skill', () => {
  test('sets price and groups, keeps everything else, and is a version with its author', async () => {
    const world = await withSkill()
    const before = await stored(world)
    const groups = ['ops', 'finance', 'ops']
    const { skill, version } = okOf(await change(world, { credits: 2.5, groups, by: 'grace' }))
    expect(skill).toEqual({ ...before, credits_per_call: 2.5, groups: ['finance', 'ops'] })
    const page = { limit: undefined, cursor: undefined }
    const { versions } = okOf(await listVersions(world.ports, PLACE, page))
    expect([version, versions[0]]).toMatchObject([2, { by: 'grace', origin: 'edit', version: 2 }])
  })

  test('shows in the tool list, with one broadcast', async () => {
    const world = await withSkill()
    world.clock.jump(1_000)
    okOf(await change(world, { credits: 2, groups: ['ops'] }))
    const [entry] = (await world.ports.toolsCache.read())?.tools ?? []
    expect(entry).toMatchObject({ name: 'sg_a', groups: ['ops'] })
    expect(await world.ports.toolListVersion.read()).toBe(world.clock.nowMs())
  })

  test('an empty list of groups shows the skill to everyone again', async () => {
    const world = await withSkill()
    const before = await stored(world)
    okOf(await change(world, { groups: ['ops'] }))
    okOf(await change(world, { groups: [] }))
    expect(await stored(world)).toEqual(before)
  })

  test('a change to what the skill already has makes no version', async () => {
    const world = await withSkill()
    expect(okOf(await change(world, { credits: 1 })).version).toBe(1)
  })

  test('a change is refused for a skill that a sync makes only after the change has looked for it', async () => {
    const world = makeWorld()
    const { skills } = world.ports
    const get: typeof skills.get = async (key) => {
      world.ports.skills = skills
      const found = await skills.get(key)
      await world.skill('sg_a', { price: 1 })
      return found
    }
    world.ports.skills = { ...skills, get }
    expect(refusalOf(await change(world, { credits: 2 })).code).toBe('not_found')
    expect(await stored(world)).toMatchObject({ credits_per_call: 1 })
  })

  test.each([0, 0.000001, 10_000])('takes the price %s', async (credits) => {
    const world = await withSkill()
    expect(okOf(await change(world, { credits })).skill['credits_per_call']).toBe(credits)
  })

  test.each([-1, 0.0000001, 10_000.000001])('refuses the price %s', async (credits) => {
    const world = await withSkill()
    const { code, faults } = refusalOf(await change(world, { credits }))
    expect([code, faults?.[0]?.pointer]).toEqual(['invalid_arguments', '/credits'])
    expect((await stored(world))['credits_per_call']).toBe(1)
  })

  test('refuses groups of a private skill, which its owner alone sees', async () => {
    const world = makeWorld()
    await world.user('ada')
    await world.skill('sg_a', { source: 'private', uid: 'ada' })
    const place = { source: 'private', uid: 'ada' }
    const { faults } = refusalOf(await change(world, { groups: ['ops'] }, place))
    expect(faults).toEqual([
      {
        pointer: '/groups',
        message: 'have no effect on a private skill, which its owner alone sees; leave them out',
      },
    ])
  })
})

describe('a change beside a sync', () => {
  /** The sync comes between the read and the put of the change. */
  async function raced(wanted: SkillChange) {
    const world = await withSkill()
    const { skills } = world.ports
    let isFirst = true
    world.ports.skills = {
      ...skills,
      put: async (record, version) => {
        if (isFirst) {
          isFirst = false
          await world.skill('sg_a', { price: 1, description: 'Synced meanwhile.' })
        }
        return skills.put(record, version)
      },
    }
    return { world, changed: await change(world, wanted) }
  }

  test('the change is made in what the sync stored', async () => {
    const { changed } = await raced({ credits: 2 })
    expect(okOf(changed)).toMatchObject({
      version: 3,
      skill: { credits_per_call: 2, meta: { description: 'Synced meanwhile.' } },
    })
  })

  test('a change that names the version which the sync replaced is refused', async () => {
    const { changed, world } = await raced({ credits: 2, expectedVersion: 1 })
    expect(refusalOf(changed)).toMatchObject({
      code: 'conflict',
      detail:
        'expectedVersion: sg_a has version 2 by now. Look at it, and send the change with that version.',
    })
    expect((await stored(world))['credits_per_call']).toBe(1)
  })

  test('succeeds when it is sent again after its answer was lost', async () => {
    const world = await withSkill()
    const wanted = { credits: 2, expectedVersion: 1 }
    okOf(await change(world, wanted))
    expect(okOf(await change(world, wanted)).version).toBe(2)
  })
})

describe('a change of price', () => {
  test.each([
    ['raised', 5],
    ['cut', 0],
  ])(
    'a price that is %s while a call runs does not change what the call costs',
    async (_, credits) => {
      const world = makeWorld()
      const ada = await world.user('ada', { credits: 10 })
      await world.skill('sg_a', { price: 1 })
      world.upstream.next({ kind: 'answer', afterMs: 2_000 })
      const running = execute(world, ada, 'sg_a')
      await world.clock.settle()
      okOf(await change(world, { credits }))
      await world.clock.advance(2_000)
      await runSteps((await running).after)
      expect(await world.credits('ada')).toEqual({ free: 9, held: 0 })
      await runSteps((await execute(world, ada, 'sg_a')).after)
      expect((await world.credits('ada')).free).toBe(9 - credits)
    },
  )
})
