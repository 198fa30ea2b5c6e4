import { describe, expect, test } from 'vitest'
import { Fault } from '../../../../core/errors.ts'
import {
  deleteSkill,
  listSkills,
  type SkillPlace,
  type SkillQuery,
  showSkill,
} from '../../../../core/flow/registry/manage-skills.ts'
import { readMergedTools } from '../../../../core/flow/tools/merge-tool-layers.ts'
import { makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import { readCursor, writeCursor } from '../../../../core/json/cursor.ts'
import type { Ports } from '../../../../core/ports/ports.ts'
import type { Tool } from '../../../../core/skills/skill.ts'
import { execute } from '../caller.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

function list(world: World, query: SkillQuery = {}) {
  return listSkills(world.ports, world.settings, query)
}

async function idsOf(world: World, query: SkillQuery = {}): Promise<readonly string[]> {
  const shown: string[] = []
  let cursor: string | undefined
  for (let page = 1; page <= 20; page += 1) {
    const { nextCursor, skills } = okOf(await list(world, { ...query, cursor }))
    shown.push(...skills.map(({ skillId, source }) => `${source} ${skillId}`))
    cursor = nextCursor
    if (cursor === undefined) return shown
  }
  throw new Error('the list has no end')
}

function remove(world: World, place: SkillPlace) {
  return deleteSkill(world.ports, world.settings, place)
}

async function shared(world: World): Promise<readonly string[]> {
  return ((await world.ports.toolsCache.read())?.tools ?? []).map(({ name }) => name)
}

async function threeTiers(): Promise<World> {
  const world = makeWorld()
  await world.user('ada')
  await world.user('bob')
  await world.skill('sg_b', { source: 'market' })
  await world.skill('sg_c')
  await world.skill('sg_a')
  await world.skill('sg_b', { source: 'private', uid: 'ada' })
  await world.skill('sg_é', { source: 'private', uid: 'ada' })
  await world.skill('sg_x', { source: 'private', uid: 'bob' })
  return world
}

const SHARED = ['official sg_a', 'official sg_c', 'market sg_b']
const ALL = ['private sg_b', 'private sg_é', ...SHARED]

describe('the list of skills', () => {
  test('has every tier in the order of priority, with the private skills of the uid in the query', async () => {
    const world = await threeTiers()
    expect(await idsOf(world)).toEqual(SHARED)
    expect(await idsOf(world, { uid: 'ada' })).toEqual(ALL)
    expect(await idsOf(world, { source: 'private', uid: 'bob' })).toEqual(['private sg_x'])
    expect(await idsOf(world, { source: 'market', uid: 'ada' })).toEqual(['market sg_b'])
  })

  test.each(['1', '2', '3', '5', '6'])('the list is complete in pages of %s', async (limit) => {
    const world = await threeTiers()
    expect(await idsOf(world, { uid: 'ada', limit })).toEqual(ALL)
  })

  test('has no empty page at its end', async () => {
    const world = await threeTiers()
    const page = okOf(await list(world, { uid: 'ada', limit: '5' }))
    expect(page.skills).toHaveLength(5)
    expect(page).not.toHaveProperty('nextCursor')
  })

  test('shows a skill as it was stored, with its owner where it has one', async () => {
    const world = await threeTiers()
    const [skill] = okOf(await list(world, { source: 'private', uid: 'bob' })).skills
    expect(skill).toMatchObject({
      source: 'private',
      skillId: 'sg_x',
      uid: 'bob',
      toolName: 'bob_sg_x',
      version: 1,
      createdAtMs: world.clock.nowMs(),
      updatedAtMs: world.clock.nowMs(),
      skill: { id: 'sg_x', source: 'private', credits_per_call: 1 },
    })
    expect(okOf(await list(world, { source: 'market' })).skills[0]).not.toHaveProperty('uid')
  })

  test('continues after the last skill shown, even if that is deleted in between', async () => {
    const world = await threeTiers()
    const first = okOf(await list(world, { limit: '1' }))
    okOf(await remove(world, { source: 'official', skillId: 'sg_a' }))
    const second = okOf(await list(world, { cursor: first.nextCursor }))
    expect(second.skills.map(({ skillId }) => skillId)).toEqual(['sg_c', 'sg_b'])
  })

  test('ends a page before 2 MB of definitions', async () => {
    const world = makeWorld()
    await world.skill('sg_a')
    const record = await world.ports.skills.get({ source: 'official', skillId: 'sg_a' })
    if (record === undefined) throw new Error('not stored')
    const put = (skillId: string, units: number) => {
      const definition = { ...record.definition, note: 'x'.repeat(units) }
      return world.ports.skills.put({ ...record, skillId, definition }, 0)
    }
    for (const name of ['b', 'c', 'd', 'e', 'f', 'g', 'h']) await put(`sg_${name}`, 380_000)
    const pages: number[] = []
    let cursor: string | undefined
    do {
      const page = okOf(await list(world, { cursor }))
      pages.push(page.skills.length)
      cursor = page.nextCursor
    } while (cursor !== undefined && pages.length < 9)
    expect(pages).toEqual([6, 2])
  })

  test.each([
    ['a tier that is none', { source: 'mine' }, 'malformed', 'source'],
    ['the private tier without an owner', { source: 'private' }, 'malformed', 'uid'],
    ['an unknown owner', { uid: 'nobody' }, 'not_found', 'nobody'],
    ['no owner at all', { uid: '' }, 'not_found', 'uid'],
    ['an owner too long for a key', { uid: 'u'.repeat(3_000) }, 'not_found', 'uid'],
    ['a limit of 0', { limit: '0' }, 'malformed', 'limit'],
    ['a limit of 101', { limit: '101' }, 'malformed', 'limit'],
    ['a cursor that is none', { cursor: '!' }, 'malformed', 'cursor'],
    ['an empty cursor', { cursor: '' }, 'malformed', 'cursor'],
    ['the cursor of another tier', { cursor: writeCursor('private:sg_a') }, 'malformed', 'cursor'],
    ['a cursor without an id', { cursor: writeCursor('official:') }, 'malformed', 'cursor'],
    ['a broken cursor', { cursor: writeCursor('official:%E0') }, 'malformed', 'cursor'],
    [
      'a cursor of a long id',
      { cursor: writeCursor(`market:${'a'.repeat(201)}`) },
      'malformed',
      'cursor',
    ],
  ])('refuses %s', async (_what, query, code, names) => {
    const refusal = refusalOf(await list(await threeTiers(), query))
    expect(refusal.code).toBe(code)
    expect(refusal.detail).toContain(names)
  })

  test('takes a limit of 100', async () => {
    expect(okOf(await list(await threeTiers(), { limit: '100' })).skills).toHaveLength(3)
  })

  test('has an opaque ASCII cursor, whatever the id', async () => {
    const world = await threeTiers()
    const { nextCursor = '' } = okOf(await list(world, { uid: 'ada', limit: '2' }))
    expect(nextCursor).toMatch(/^[A-Za-z0-9_-]+$/)
    expect(readCursor(nextCursor)).toBe('private:sg_%C3%A9')
  })
})

describe('one skill', () => {
  test('is shown from its tier', async () => {
    const world = await threeTiers()
    const show = (place: SkillPlace) => showSkill(world.ports, place)
    expect(okOf(await show({ source: 'market', skillId: 'sg_b' })).source).toBe('market')
    const own = okOf(await show({ source: 'private', skillId: 'sg_b', uid: 'ada' }))
    expect(own).toMatchObject({ uid: 'ada', toolName: 'ada_sg_b' })
    expect(okOf(await show({ source: 'official', skillId: 'sg_a', uid: 'bob' })).skillId).toBe(
      'sg_a',
    )
  })

  test.each([
    ['of another tier', { source: 'market', skillId: 'sg_a' }, 'not_found'],
    ['of another user', { source: 'private', skillId: 'sg_b', uid: 'bob' }, 'not_found'],
    ['without an id', { source: 'official', skillId: '' }, 'not_found'],
    [
      'with an id too long for a key',
      { source: 'official', skillId: 'é'.repeat(600) },
      'not_found',
    ],
    ['of no tier', { source: 'own', skillId: 'sg_a' }, 'malformed'],
    ['of nobody', { source: 'private', skillId: 'sg_b' }, 'malformed'],
    ['of an empty uid', { source: 'private', skillId: 'sg_b', uid: '' }, 'not_found'],
  ] satisfies readonly (readonly [string, SkillPlace, string])[])(
    'a skill %s is refused, shown or deleted',
    async (_what, place, code) => {
      const world = await threeTiers()
      expect(refusalOf(await showSkill(world.ports, place)).code).toBe(code)
      expect(refusalOf(await remove(world, place)).code).toBe(code)
      expect(await idsOf(world, { uid: 'ada' })).toEqual(ALL)
    },
  )
})

describe('a deleted skill', () => {
  test('is gone from the store and the list, every session is told, and a second delete is 404', async () => {
    const world = await threeTiers()
    const toldAtMs = await world.ports.toolListVersion.read()
    const deleted = okOf(await remove(world, { source: 'official', skillId: 'sg_a' }))
    expect(deleted).toEqual({ deleted: true, listed: false })
    expect(await shared(world)).toEqual(['sg_b', 'sg_c'])
    expect(await world.ports.toolListVersion.read()).toBeGreaterThan(toldAtMs)
    const again = refusalOf(await remove(world, { source: 'official', skillId: 'sg_a' }))
    expect(again.code).toBe('not_found')
  })

  test('of the official tier reveals the market skill that it hid', async () => {
    const world = makeWorld()
    await world.skill('sg_w', { description: 'The official one.' })
    await world.skill('sg_w', { source: 'market', description: 'The other one.' })
    okOf(await remove(world, { source: 'official', skillId: 'sg_w' }))
    const list = await world.ports.toolsCache.read()
    expect(list?.tools.map(({ description }) => description)).toEqual(['The other one.'])
    okOf(await remove(world, { source: 'market', skillId: 'sg_w' }))
    expect(await shared(world)).toEqual([])
  })

  test('of the market leaves the official entry alone', async () => {
    const world = makeWorld()
    await world.skill('sg_w', { description: 'The official one.' })
    await world.skill('sg_w', { source: 'market' })
    okOf(await remove(world, { source: 'market', skillId: 'sg_w' }))
    expect(await shared(world)).toEqual(['sg_w'])
  })

  test('of a user cannot be called any more, and the streams of that user are told', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    await world.skill('sg_x', { source: 'private', uid: 'ada' })
    const before = (await world.profile('ada')).skillsChangedAtMs
    okOf(await remove(world, { source: 'private', skillId: 'sg_x', uid: 'ada' }))
    expect((await world.profile('ada')).skillsChangedAtMs).toBeGreaterThan(before)
    const { answer } = await execute(world, ada, 'ada_sg_x')
    expect(answer.body).toMatchObject({ code: 'unknown_skill' })
    expect(await world.ports.toolListVersion.read()).toBe(0)
  })

  test('leaves an entry that was pushed under its name without it', async () => {
    const world = makeWorld()
    await world.skill('sg_a')
    const pushed: Tool = {
      name: 'sg_a',
      title: undefined,
      description: 'Pushed.',
      inputSchema: { type: 'object' },
      skillId: undefined,
      priceMicroCredits: 0,
    }
    const version = (await world.ports.toolsCache.read())?.version
    await world.ports.toolsCache.write([pushed], version)
    okOf(await remove(world, { source: 'official', skillId: 'sg_a' }))
    expect(await shared(world)).toEqual(['sg_a'])
  })

  test.each([
    ['that an official one hid in the list', 'market', false],
    ['where there is no list', 'official', true],
  ] as const)('the deletion of a skill %s is announced', async (_what, source, dropList) => {
    const world = makeWorld()
    await world.skill('sg_w')
    await world.skill('sg_w', { source: 'market' })
    if (dropList) await world.ports.toolsCache.drop()
    const toldAtMs = await world.ports.toolListVersion.read()
    okOf(await remove(world, { source, skillId: 'sg_w' }))
    expect(await world.ports.toolListVersion.read()).toBeGreaterThan(toldAtMs)
  })

  test('makes no list where there is none', async () => {
    const world = makeWorld()
    await world.skill('sg_a')
    await world.ports.toolsCache.drop()
    okOf(await remove(world, { source: 'official', skillId: 'sg_a' }))
    expect(await world.ports.toolsCache.read()).toBeUndefined()
  })
})

describe('a delete of a skill', () => {
  test('a delete that dies before the list is 404 when sent again, and repairs the list', async () => {
    const world = await threeTiers()
    const { toolsCache } = world.ports
    const down = () => Promise.reject(new Fault('store_unavailable', 'down'))
    world.ports.toolsCache = { ...toolsCache, write: down }
    const place = { source: 'official', skillId: 'sg_a' }
    await expect(remove(world, place)).rejects.toThrow('down')
    world.ports.toolsCache = toolsCache
    expect(await shared(world)).toContain('sg_a')
    expect(refusalOf(await remove(world, place)).code).toBe('not_found')
    expect(await shared(world)).not.toContain('sg_a')
  })

  test('a delete that meets a sync removes the record that the sync put', async () => {
    const world = await threeTiers()
    justBefore(world, 'remove', async () => {
      await world.skill('sg_a', { price: 7 })
    })
    okOf(await remove(world, { source: 'official', skillId: 'sg_a' }))
    expect(await idsOf(world)).not.toContain('official sg_a')
    expect(await shared(world)).not.toContain('sg_a')
  })

  test('a delete that meets a sync after its removal lists the record that the sync put', async () => {
    const world = await threeTiers()
    const { toolsCache } = world.ports
    let once = false
    world.ports.toolsCache = {
      ...toolsCache,
      write: async (tools, version) => {
        // Runs after the records were read and before the list is written.
        if (!once) {
          once = true
          world.ports.toolsCache = toolsCache
          await world.skill('sg_a')
        }
        return toolsCache.write(tools, version)
      },
    }
    okOf(await remove(world, { source: 'official', skillId: 'sg_a' }))
    expect(await idsOf(world)).toContain('official sg_a')
    expect(await shared(world)).toContain('sg_a')
  })

  test('a delete that meets another delete of the same skill succeeds, and so does the other', async () => {
    const world = await threeTiers()
    const { skills } = world.ports
    justBefore(world, 'remove', async () => {
      await skills.remove({ source: 'official', skillId: 'sg_a' }, 1)
    })
    expect(okOf(await remove(world, { source: 'official', skillId: 'sg_a' })).deleted).toBe(true)
  })

  test('a delete that meets syncs at every attempt is told to send it again', async () => {
    const world = await threeTiers()
    world.ports.skills = { ...world.ports.skills, remove: async () => false }
    const refusal = refusalOf(await remove(world, { source: 'official', skillId: 'sg_a' }))
    expect(refusal).toMatchObject({ code: 'conflict', retryAfterSec: 1 })
  })

  test('a delete beside a tools/list leaves it the list with the skill or without it, never an empty one', async () => {
    const world = await threeTiers()
    const listedNames = async () =>
      (await readMergedTools(world.ports, world.settings, makeToolListCache(), undefined)).map(
        ({ name }) => name,
      )
    const whole = await listedNames()
    const without = whole.filter((name) => name !== 'sg_a')
    expect(without).toHaveLength(whole.length - 1)
    const [before, , during] = await Promise.all([
      listedNames(),
      remove(world, { source: 'official', skillId: 'sg_a' }),
      listedNames(),
    ])
    for (const listed of [before, during]) expect([whole, without]).toContainEqual(listed)
  })
})

/** Runs something once, right before the port's method. */
function justBefore(world: World, method: 'remove', happens: () => Promise<void>): void {
  const { skills } = world.ports
  const wrapped: Ports['skills'] = {
    ...skills,
    [method]: async (...args: Parameters<Ports['skills']['remove']>) => {
      world.ports.skills = skills
      await happens()
      return skills[method](...args)
    },
  }
  world.ports.skills = wrapped
}
