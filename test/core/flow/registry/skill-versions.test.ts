/** Versions of a skill: listed, compared and brought back, after changes and after a deletion. */
import { describe, expect, test } from 'vitest'
import {
  deleteSkill,
  type SkillPlace,
  showSkill,
} from '../../../../core/flow/registry/manage-skills.ts'
import {
  DIFFERENCES_MAX,
  diffVersions,
  listVersions,
  rollbackSkill,
  showVersion,
} from '../../../../core/flow/registry/skill-versions.ts'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import type { Json } from '../../../../core/json/json.ts'
import { SKILL_VERSIONS_PAGE_MAX } from '../../../../core/skills/limits.ts'
import { makeWorld, okOf, refusalOf, skillJson, type World } from '../world.ts'

const PLACE = { source: 'official', skillId: 'sg_a' }
const ALL = { limit: undefined, cursor: undefined }

async function sync(world: World, price: number, more: object = {}) {
  const text = JSON.stringify({ ...skillJson('sg_a', { price }), ...more })
  const request = { text, source: undefined, uid: undefined, list: 'now' } as const
  return okOf(await syncSkill(world.ports, world.settings, request))
}

function rollback(world: World, place: SkillPlace, body: Json) {
  return rollbackSkill(world.ports, world.settings, place, { body, by: 'grace' })
}

function meta(description: string) {
  return { ...Object(skillJson('sg_a')['meta']), description }
}

async function priceNow(world: World) {
  return okOf(await showSkill(world.ports, PLACE)).skill['credits_per_call']
}

async function numbersOf(world: World) {
  return okOf(await listVersions(world.ports, PLACE, ALL)).versions.map(({ version }) => version)
}

describe('the versions of a skill', () => {
  test('are listed newest first, with who made each and from what', async () => {
    const world = makeWorld()
    await sync(world, 1)
    world.clock.jump(1_000)
    await sync(world, 2)
    const { versions } = okOf(await listVersions(world.ports, PLACE, ALL))
    const nowMs = world.clock.nowMs()
    expect(versions).toEqual([
      { version: 2, madeAtMs: nowMs, by: 'admin', origin: 'sync', toolName: 'sg_a' },
      { version: 1, madeAtMs: nowMs - 1_000, by: 'admin', origin: 'sync', toolName: 'sg_a' },
    ])
    const old = okOf(await showVersion(world.ports, PLACE, 1))
    expect(old).toMatchObject({ version: 1, skill: { credits_per_call: 1 } })
  })

  test('do not grow when the same text is synced again', async () => {
    const world = makeWorld()
    await sync(world, 1)
    await sync(world, 1)
    expect(await numbersOf(world)).toEqual([1])
  })

  test('are paged by a cursor, and a cursor of another list is refused', async () => {
    const world = makeWorld()
    for (const price of [1, 2, 3]) await sync(world, price)
    const first = okOf(await listVersions(world.ports, PLACE, { ...ALL, limit: '2' }))
    expect(first.versions.map(({ version }) => version)).toEqual([3, 2])
    const cursor = first.nextCursor ?? ''
    const second = okOf(await listVersions(world.ports, PLACE, { limit: '2', cursor }))
    expect(second.versions.map(({ version }) => version)).toEqual([1])
    expect(second.nextCursor).toBeUndefined()
    const refused = refusalOf(await listVersions(world.ports, PLACE, { ...ALL, cursor: 'bm8' }))
    expect(refused.faults).toMatchObject([{ pointer: '/query/cursor' }])
    const most = { ...ALL, limit: String(SKILL_VERSIONS_PAGE_MAX) }
    expect((await listVersions(world.ports, PLACE, most)).ok).toBe(true)
    const past = { ...ALL, limit: String(SKILL_VERSIONS_PAGE_MAX + 1) }
    expect((await listVersions(world.ports, PLACE, past)).ok).toBe(false)
  })

  test('of a skill that never was are not found', async () => {
    const world = makeWorld()
    expect(refusalOf(await listVersions(world.ports, PLACE, ALL)).code).toBe('not_found')
    expect(refusalOf(await showVersion(world.ports, PLACE, 1)).code).toBe('not_found')
    const elsewhere = { source: 'elsewhere', skillId: 'sg_a' }
    expect(refusalOf(await listVersions(world.ports, elsewhere, ALL)).code).toBe('malformed')
  })
})

describe('a comparison of two versions', () => {
  test('two versions differ by the places that were added, changed and removed, each with its pointer', async () => {
    const world = makeWorld()
    await sync(world, 1, { note: 'old', tags: ['a', 'b'] })
    await sync(world, 2, { tags: ['a', 'c', 'd'] })
    const diff = okOf(await diffVersions(world.ports, PLACE, { from: 1, to: 2 }))
    expect(diff).toEqual({
      from: 1,
      to: 2,
      differences: [
        { pointer: '/credits_per_call', before: 1, after: 2 },
        { pointer: '/note', before: 'old' },
        { pointer: '/tags/1', before: 'b', after: 'c' },
        { pointer: '/tags/2', after: 'd' },
      ],
      more: false,
    })
  })

  test(`two versions name ${DIFFERENCES_MAX} differences, and say when there are more`, async () => {
    const world = makeWorld()
    const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
    await sync(world, 1, { list: [] })
    await sync(world, 1, { list: numbers(DIFFERENCES_MAX) })
    await sync(world, 1, { list: numbers(DIFFERENCES_MAX + 1) })
    const diffTo = async (to: number) =>
      okOf(await diffVersions(world.ports, PLACE, { from: 1, to }))
    expect(await diffTo(2)).toMatchObject({ differences: { length: DIFFERENCES_MAX }, more: false })
    expect(await diffTo(3)).toMatchObject({ differences: { length: DIFFERENCES_MAX }, more: true })
  })

  test('a comparison is refused when one of the versions is not kept', async () => {
    const world = makeWorld()
    await sync(world, 1)
    const refused = refusalOf(await diffVersions(world.ports, PLACE, { from: 1, to: 9 }))
    expect(refused.detail).toContain('no version 9')
  })
})

describe('a rollback', () => {
  test('makes a new version with the older definition, and agents get that one', async () => {
    const world = makeWorld()
    await sync(world, 1, { meta: { ...meta('The first text.') } })
    await sync(world, 2, { meta: { ...meta('The second text.') } })
    const back = okOf(await rollback(world, PLACE, { version: 1 }))
    expect(back).toMatchObject({ created: false, listed: true })
    expect(back.skill).toMatchObject({ meta: { description: 'The first text.' } })
    expect(await priceNow(world)).toBe(2)
    const { versions } = okOf(await listVersions(world.ports, PLACE, ALL))
    expect(versions[0]).toMatchObject({ version: 3, origin: 'rollback', by: 'grace' })
    const list = await world.ports.toolsCache.read()
    expect(list?.tools[0]).toMatchObject({
      description: 'The first text.',
      priceMicroCredits: 2_000_000,
    })
  })

  test('brings a deleted skill back, and its numbers go on', async () => {
    const world = makeWorld()
    await sync(world, 1)
    okOf(await deleteSkill(world.ports, world.settings, PLACE))
    expect(await numbersOf(world)).toEqual([1])
    const back = okOf(await rollback(world, PLACE, { version: 1 }))
    expect(back.created).toBe(true)
    expect(await numbersOf(world)).toEqual([2, 1])
  })

  test('to the version that is stored already changes nothing', async () => {
    const world = makeWorld()
    await sync(world, 1)
    await sync(world, 2)
    okOf(await rollback(world, PLACE, { version: 2 }))
    expect(await numbersOf(world)).toEqual([2, 1])
  })

  test.each([[{}], [{ version: '1' }], [{ version: 7 }]])(
    'without a version that is kept changes nothing: %j',
    async (body) => {
      const world = makeWorld()
      await sync(world, 1)
      expect((await rollback(world, PLACE, body)).ok).toBe(false)
      expect(await numbersOf(world)).toEqual([1])
    },
  )

  test('of a private skill asks for its owner, and touches no other user', async () => {
    const world = makeWorld()
    await world.user('ada')
    const text = (words: string) =>
      JSON.stringify({ ...skillJson('sg_p'), meta: meta(words), source: 'private' })
    for (const words of ['First.', 'Second.']) {
      const request = { text: text(words), source: undefined, uid: 'ada', list: 'now' } as const
      okOf(await syncSkill(world.ports, world.settings, request))
    }
    const place = { source: 'private', skillId: 'sg_p' }
    const without = await rollback(world, place, { version: 1 })
    expect(refusalOf(without).code).toBe('malformed')
    const bobs = { ...place, uid: 'bob' }
    const other = await rollback(world, bobs, { version: 1 })
    expect(refusalOf(other).code).toBe('not_found')
    const own = { ...place, uid: 'ada' }
    okOf(await rollback(world, own, { version: 1 }))
    expect(okOf(await showSkill(world.ports, own)).skill).toMatchObject({
      meta: { description: 'First.' },
    })
  })
})
