/**
 * The cache of private skills: by user, list version and the time in the profile, for a minute, within a
 * limit of its size.
 */

import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { authenticate } from '../../../../core/flow/access/authenticate.ts'
import { startStoreWait } from '../../../../core/flow/access/store-wait.ts'
import { announceChange } from '../../../../core/flow/registry/change-tool-list.ts'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import { answerToolsList } from '../../../../core/flow/tools/answer-tools-list.ts'
import {
  makeToolListCache,
  OWN_TOOLS_KEPT_MAX,
  OWN_TOOLS_KEPT_MS,
} from '../../../../core/flow/tools/tool-list-cache.ts'
import type { Tool } from '../../../../core/skills/skill.ts'
import { BUILT_IN } from '../built-in.ts'
import { makeWorld, okOf, skillJson, type World } from '../world.ts'

/** Lists as a door does, and counts how often private skills are read. */
async function listing(world: World, authorization: string) {
  const cache = makeToolListCache()
  const reads: string[] = []
  const { list } = world.ports.skills
  world.ports.skills = {
    ...world.ports.skills,
    list: (of) => {
      reads.push(of.uid ?? '')
      return list(of)
    },
  }
  const names = async (cursor?: string) => {
    const page = okListed(
      await answerToolsList(world.ports, world.settings, cache, {
        who: await authenticate(world.ports, credentialOf(authorization)),
        wait: startStoreWait(world.ports.clock),
        cursor,
        resultOf: ({ tools }) => ({ names: tools.map(({ name }) => name) }),
        resultBytesMax: 1_000_000,
      }),
    )
    return JSON.parse(page)['names']
  }
  return { names, reads }
}

function okListed<T>(result: { ok: true; value: T } | { ok: false; error: unknown }): T {
  if (result.ok) return result.value
  throw new Error(JSON.stringify(result.error))
}

describe('the private skills of a user', () => {
  test('private skills are read once for all pages while nothing changes', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    await world.skill('sg_x', { source: 'private', uid: 'ada' })
    const { names, reads } = await listing(world, ada)
    for (let time = 1; time <= 3; time += 1)
      expect(await names()).toEqual(['ada_sg_x', ...BUILT_IN])
    expect(reads).toEqual(['ada'])
  })

  test('private skills are read again after one was synced', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const { names, reads } = await listing(world, ada)
    expect(await names()).toEqual(BUILT_IN)
    await world.skill('sg_x', { source: 'private', uid: 'ada' })
    expect(await names()).toEqual(['ada_sg_x', ...BUILT_IN])
    expect(reads).toEqual(['ada', 'ada'])
  })

  test('private skills are read again after a broadcast, even if the sync died before its announcement', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const { names, reads } = await listing(world, ada)
    await names()
    await names()
    const { noteSkillsChanged } = world.ports.profiles
    const down = () => Promise.reject(new Error('down'))
    world.ports.profiles = { ...world.ports.profiles, noteSkillsChanged: down }
    const text = JSON.stringify(skillJson('sg_x', { source: 'private' }))
    const request = { text, source: undefined, uid: 'ada', list: 'now' } as const
    await expect(syncSkill(world.ports, world.settings, request)).rejects.toThrow('down')
    world.ports.profiles = { ...world.ports.profiles, noteSkillsChanged }
    expect(await names()).toEqual(BUILT_IN)
    await announceChange(world.ports)
    expect(await names()).toEqual(['ada_sg_x', ...BUILT_IN])
    await names()
    expect(reads).toEqual(['ada', 'ada'])
  })

  test('private skills that were read while a broadcast was written are read again', async () => {
    const world = makeWorld()
    const [ada, bob] = [await world.user('ada'), await world.user('bob')]
    const { names, reads } = await listing(world, ada)
    const cache = makeToolListCache()
    const who = await authenticate(world.ports, credentialOf(bob))
    await names()
    reads.length = 0
    const { list } = world.ports.skills
    world.ports.skills = {
      ...world.ports.skills,
      list: async (of) => {
        const page = await list(of)
        if (reads.length === 1) await announceChange(world.ports)
        return page
      },
    }
    const lists = async () => {
      const resultOf = () => ({})
      const wait = startStoreWait(world.ports.clock)
      const query = { who, wait, cursor: undefined, resultOf, resultBytesMax: 1_000_000 }
      okListed(await answerToolsList(world.ports, world.settings, cache, query))
    }
    for (let time = 1; time <= 3; time += 1) await lists()
    expect(reads).toEqual(['bob', 'bob'])
  })

  test('private skills are read again after a minute, because a sync may have died before its broadcast', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    const { names } = await listing(world, ada)
    await names()
    const { noteSkillsChanged } = world.ports.profiles
    const down = () => Promise.reject(new Error('down'))
    world.ports.profiles = { ...world.ports.profiles, noteSkillsChanged: down }
    const text = JSON.stringify(skillJson('sg_x', { source: 'private' }))
    const request = { text, source: undefined, uid: 'ada', list: 'now' } as const
    const sync = () => syncSkill(world.ports, world.settings, request)
    await expect(sync()).rejects.toThrow('down')
    expect(OWN_TOOLS_KEPT_MS).toBe(60_000)
    world.clock.jump(59_999)
    expect(await names()).toEqual(BUILT_IN)
    world.clock.jump(1)
    expect(await names()).toEqual(['ada_sg_x', ...BUILT_IN])
    // A sync that is sent again announces its change again.
    world.ports.profiles = { ...world.ports.profiles, noteSkillsChanged }
    okOf(await sync())
    expect((await world.profile('ada')).skillsChangedAtMs).toBe(world.clock.nowMs())
  })

  test('a private skill hides the shared one even when it cannot be listed, because a call runs it', async () => {
    const world = makeWorld()
    const ada = await world.user('ada')
    await world.skill('sg_weather')
    const config = { plugin_hook: 'not_there' }
    await world.skill('sg_weather', { source: 'private', uid: 'ada', config })
    const { names } = await listing(world, ada)
    expect(await names()).toEqual(BUILT_IN)
  })
})

describe('the memory of private tools', () => {
  const tool = (name: string): Tool => ({
    name,
    title: undefined,
    description: 'd',
    inputSchema: { type: 'object' },
    skillId: name,
    priceMicroCredits: 0,
  })
  const ownOf = (count: number) => ({
    tools: Array.from({ length: count }, (_, n) => tool(`t${n}`)),
    hides: new Set<string>(),
  })
  const version = { changedAtMs: 1, skillsChangedAtMs: 2, nowMs: 0 }

  test('the cache holds 5,000 entries and then drops the user whose last request is oldest', () => {
    expect(OWN_TOOLS_KEPT_MAX).toBe(5_000)
    const cache = makeToolListCache()
    for (const uid of ['a', 'b', 'c', 'd', 'e']) cache.keepOwn(uid, version, ownOf(999))
    expect(cache.own('a', version)).toBeDefined()
    cache.keepOwn('f', version, ownOf(0))
    expect(cache.own('a', version)).toBeDefined()
    expect(cache.own('b', version)).toBeUndefined()
    expect(['c', 'd', 'e', 'f'].every((uid) => cache.own(uid, version) !== undefined)).toBe(true)
  })

  test('the cache counts a user once, however often the skills are read again', () => {
    const cache = makeToolListCache()
    cache.keepOwn('a', version, ownOf(10))
    for (let time = 0; time < 10; time += 1) cache.keepOwn('b', version, ownOf(999))
    expect(cache.own('a', version)).toBeDefined()
  })

  test('the cache keeps nothing without a version, and drops what it had', () => {
    const cache = makeToolListCache()
    cache.keepOwn('a', version, ownOf(1))
    cache.keepOwn('a', undefined, ownOf(1))
    expect(cache.own('a', version)).toBeUndefined()
  })

  test('the cache answers under the versions at which its skills were read, and under no other', () => {
    const cache = makeToolListCache()
    cache.keepOwn('a', version, ownOf(1))
    expect(cache.own('a', version)).toBeDefined()
    expect(cache.own('a', { ...version, changedAtMs: 3 })).toBeUndefined()
    expect(cache.own('a', { ...version, skillsChangedAtMs: 3 })).toBeUndefined()
    expect(cache.own('b', version)).toBeUndefined()
  })

  test('the cache makes an index once, at the first request for it', () => {
    const cache = makeToolListCache()
    const known = cache.keepShared(1, [tool('sg_a')])
    expect(cache.shared(1)?.viewOf([]).search().index).toBe(known.viewOf([]).search().index)
    expect(cache.shared(2)).toBeUndefined()
  })
})

describe('the first page of the shared list as text', () => {
  const asked = async (world: World) => {
    const cache = makeToolListCache()
    const made: string[] = []
    const page = async (authorization: string, shape = 'one') =>
      JSON.parse(
        okListed(
          await answerToolsList(world.ports, world.settings, cache, {
            who: await authenticate(world.ports, credentialOf(authorization)),
            wait: startStoreWait(world.ports.clock),
            cursor: undefined,
            resultOf: ({ tools }) => {
              made.push(shape)
              return { shape, names: tools.map(({ name }) => name) }
            },
            shape,
            resultBytesMax: 1_000_000,
          }),
        ),
      )
    return { made, page }
  }

  test('the first page is made once a shape for all users without private skills', async () => {
    const world = makeWorld()
    const [ada, bob] = [await world.user('ada'), await world.user('bob')]
    const { made, page } = await asked(world)
    const one = { shape: 'one', names: BUILT_IN }
    expect([await page(ada), await page(bob)]).toEqual([one, one])
    expect(await page(bob, 'two')).toEqual({ shape: 'two', names: BUILT_IN })
    expect(made).toEqual(['one', 'two'])
  })

  test('the first page that others get never contains the private skills of a user', async () => {
    const world = makeWorld()
    const [ada, bob] = [await world.user('ada'), await world.user('bob')]
    await world.skill('sg_x', { source: 'private', uid: 'ada' })
    const { page } = await asked(world)
    const names = [await page(ada), await page(bob), await page(ada)].map((one) => one.names)
    const own = ['ada_sg_x', ...BUILT_IN]
    expect(names).toEqual([own, BUILT_IN, own])
  })

  test('the first page is dropped with the list that it was made of', () => {
    const cache = makeToolListCache()
    const { tools } = cache.keepShared(1, []).viewOf([])
    cache.keepFirstPage(tools, 'one', 'text')
    expect(cache.firstPage(tools, 'one')).toBe('text')
    expect(cache.firstPage([], 'one')).toBeUndefined()
    const next = cache.keepShared(2, []).viewOf([])
    expect(cache.firstPage(next.tools, 'one')).toBeUndefined()
    cache.keepFirstPage(tools, 'one', 'late')
    expect(cache.firstPage(next.tools, 'one')).toBeUndefined()
  })
})
