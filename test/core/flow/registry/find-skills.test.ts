import { describe, expect, test } from 'vitest'
import { changeSkill } from '../../../../core/flow/registry/change-skill.ts'
import { listSkills, type SkillQuery } from '../../../../core/flow/registry/manage-skills.ts'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import { SKILLS_READ_MAX } from '../../../../core/skills/limits.ts'
import { makeWorld, okOf, refusalOf, skillJson, type World } from '../world.ts'

async function push(world: World, id: string, about: string, more: object = {}): Promise<void> {
  const meta = { name: id, description: about, parameters: { type: 'object', properties: {} } }
  const text = JSON.stringify({ ...skillJson(id), meta, ...more })
  const uid = 'source' in more && more.source === 'private' ? 'ada' : undefined
  okOf(await syncSkill(world.ports, world.settings, { text, source: undefined, uid, list: 'now' }))
}

/** Returns the ids of all pages, and how many pages there were. */
async function find(world: World, query: SkillQuery) {
  const ids: string[] = []
  let cursor: string | undefined
  for (let pages = 1; pages <= 50; pages += 1) {
    const page = okOf(await listSkills(world.ports, world.settings, { ...query, cursor }))
    ids.push(...page.skills.map(({ skillId }) => skillId))
    cursor = page.nextCursor
    if (cursor === undefined) return { ids, pages }
  }
  throw new Error('the list has no end')
}

async function makeRegistry(): Promise<World> {
  const world = makeWorld()
  await world.user('ada')
  await push(world, 'sg_open_weather', 'Tells the rain of a city.')
  await push(world, 'sg_rates', 'Converts currencies.', { source: 'market', groups: ['finance'] })
  await push(world, 'sg_tides', 'Tells tides, not weather.')
  await push(world, 'sg_open_maps', 'Finds places.')
  await push(world, 'sg_mine', 'Private weather notes.', { source: 'private' })
  const change = { state: 'disabled', reason: 'Down.' } as const
  const place = { source: 'official', skillId: 'sg_open_maps' }
  okOf(await changeSkill(world.ports, world.settings, place, change))
  return world
}

describe('the list of skills, filtered', () => {
  test.each<[string, SkillQuery, readonly string[]]>([
    ['a word of the description', { search: 'weather' }, ['sg_open_weather', 'sg_tides']],
    ['words in any order and case', { search: 'CITY rain' }, ['sg_open_weather']],
    ['words of which one is missing', { search: 'weather currencies' }, []],
    ['a word of another tier', { search: 'currencies', source: 'market' }, ['sg_rates']],
    ['the beginning of an id', { search: 'sg_open' }, ['sg_open_maps', 'sg_open_weather']],
    ['a beginning without the prefix', { search: 'open m' }, ['sg_open_maps']],
    ['a disabled skill by a word inside', { search: 'maps' }, []],
    ['private skills by their words', { search: 'notes', uid: 'ada' }, ['sg_mine']],
    ['a state', { state: 'disabled' }, ['sg_open_maps']],
    ['the default state', { state: 'listed', source: 'market' }, ['sg_rates']],
    ['a group', { group: 'finance' }, ['sg_rates']],
    ['a group that nobody has', { group: 'Finance' }, []],
    ['a word and a state', { search: 'open', state: 'listed' }, ['sg_open_weather']],
  ])('finds by %s', async (_what, query, ids) => {
    const world = await makeRegistry()
    expect((await find(world, query)).ids).toEqual(ids)
    expect((await find(world, { ...query, limit: '1' })).ids).toEqual(ids)
  })

  test('reads no record that a search does not name', async () => {
    const world = await makeRegistry()
    const read: string[] = []
    const { skills } = world.ports
    world.ports.skills = {
      ...skills,
      get: (key) => {
        read.push(key.skillId)
        return skills.get(key)
      },
      list: async (of) => {
        const page = await skills.list(of)
        read.push(`list after ${of.after}`)
        return page
      },
    }
    await find(world, { search: 'currencies', source: 'market' })
    expect(read).toEqual(['list after sg_currencier\u007f', 'sg_rates'])
  })

  test('reads SKILLS_READ_MAX skills in a request, and goes on with the cursor', async () => {
    const world = makeWorld()
    await push(world, 'sg_0', 'Made by a test.')
    const record = await world.ports.skills.get({ source: 'official', skillId: 'sg_0' })
    if (record === undefined) throw new Error('not stored')
    const put = (skillId: string, state: string) =>
      world.ports.skills.put({ ...record, skillId, definition: { ...record.definition, state } }, 0)
    for (let n = 1; n < SKILLS_READ_MAX; n += 1) {
      await put(`sg_1_${String(n).padStart(4, '0')}`, 'unlisted')
    }
    expect(await find(world, { state: 'disabled', source: 'official' })).toEqual({
      ids: [],
      pages: 1,
    })
    await put('sg_2', 'disabled')
    expect(await find(world, { state: 'disabled', source: 'official' })).toEqual({
      ids: ['sg_2'],
      pages: 2,
    })
  })
})

describe('a sync that names the version it was made of', () => {
  const sync = (world: World, credits: number, ifVersion: number) =>
    syncSkill(world.ports, world.settings, {
      text: JSON.stringify({ ...skillJson('sg_a'), credits_per_call: credits }),
      source: undefined,
      uid: undefined,
      list: 'now',
      ifVersion,
    })

  test('is refused once the skill has another version', async () => {
    const world = makeWorld()
    okOf(await sync(world, 1, 0))
    okOf(await sync(world, 2, 1))
    const refusal = refusalOf(await sync(world, 3, 1))
    expect(refusal.code).toBe('conflict')
    expect(refusal.detail).toContain('if_version: sg_a has version 2 by now.')
    expect(refusalOf(await sync(world, 3, 0)).code).toBe('conflict')
    const stored = await world.ports.skills.get({ source: 'official', skillId: 'sg_a' })
    expect(stored).toMatchObject({ version: 2, definition: { credits_per_call: 2 } })
  })

  test('is refused where there is no such skill', async () => {
    const refusal = refusalOf(await sync(makeWorld(), 1, 4))
    expect(refusal.detail).toContain('sg_a does not exist')
  })

  test('changes nothing and is accepted where the skill is as sent', async () => {
    const world = makeWorld()
    okOf(await sync(world, 1, 0))
    expect(okOf(await sync(world, 1, 0))).toMatchObject({ created: false })
  })

  test('of two at once, one is refused', async () => {
    const world = makeWorld()
    okOf(await sync(world, 1, 0))
    const both = await Promise.all([sync(world, 2, 1), sync(world, 3, 1)])
    expect(both.map(({ ok }) => ok).sort()).toEqual([false, true])
  })
})
