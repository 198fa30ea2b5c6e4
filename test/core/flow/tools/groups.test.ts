/** Who sees which skill: in the list, in the search, and by a call. */

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { authenticate } from '../../../../core/flow/access/authenticate.ts'
import { openCallScope } from '../../../../core/flow/access/call-scope.ts'
import { startStoreWait } from '../../../../core/flow/access/store-wait.ts'
import { deleteSkill } from '../../../../core/flow/registry/manage-skills.ts'
import { changeUser } from '../../../../core/flow/registry/rename-tools.ts'
import { syncToolList } from '../../../../core/flow/registry/sync-tool-list.ts'
import { answerToolsList } from '../../../../core/flow/tools/answer-tools-list.ts'
import { callTool } from '../../../../core/flow/tools/call-tool.ts'
import {
  makeToolListCache,
  type ToolListCache,
} from '../../../../core/flow/tools/tool-list-cache.ts'
import { isJsonObject, type Json } from '../../../../core/json/json.ts'
import { BUILT_IN } from '../built-in.ts'
import { problemIn, run } from '../caller.ts'
import { makeWorld, okOf, refusalOf, SETTINGS, type World } from '../world.ts'

const PATIENT = { ...SETTINGS, tiers: { free: { callsPerMinute: 1_000_000, holdsMax: 32 } } }

type ListOptions = { readonly authorization?: string | undefined; readonly lists?: ToolListCache }

/** All pages, two tools each. */
async function listed(
  world: World,
  { authorization, lists = makeToolListCache() }: ListOptions = {},
) {
  const names: string[] = []
  let cursor: string | undefined
  do {
    const text: string = okOfText(
      await answerToolsList(world.ports, world.settings, lists, {
        who: await authenticate(world.ports, credentialOf(authorization)),
        wait: startStoreWait(world.ports.clock),
        cursor,
        resultOf: ({ nextCursor, tools }) => ({
          names: tools.map(({ name }) => name),
          next: nextCursor ?? null,
        }),
        shape: 'names',
        resultBytesMax: 64,
      }),
    )
    const page: { names: string[]; next: string | null } = JSON.parse(text)
    names.push(...page.names)
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return names.filter((name) => !BUILT_IN.includes(name))
}

function okOfText<E>(result: { ok: true; value: string } | { ok: false; error: E }): string {
  if (result.ok) return result.value
  throw new Error(JSON.stringify(result.error))
}

async function found(world: World, query: string, asking: ListOptions = {}) {
  const called = await callTool(world.ports, world.settings, {
    scope: openCallScope(world.ports),
    name: 'sg_search_skills',
    arguments: { query, limit: 50 },
    credential: credentialOf(asking.authorization),
    ownerOf: async () => undefined,
    callId: 'c-1',
    door: 'mcp',
    deadlineMs: world.clock.nowMs() + 15_000,
    lists: asking.lists ?? makeToolListCache(),
  })
  const content = called.kind === 'result' ? called.result.structuredContent : undefined
  const tools = isJsonObject(content) && Array.isArray(content['tools']) ? content['tools'] : []
  return tools
    .flatMap((tool) => (isJsonObject(tool) ? [String(tool['name'])] : []))
    .filter((name) => !BUILT_IN.includes(name))
}

async function isCallable(world: World, authorization: string, name: string): Promise<boolean> {
  const answer = await run(world, authorization, name)
  return answer.kind !== 'problem' || answer.body.code !== 'unknown_skill'
}

function entry(name: string, more: { [field: string]: Json } = {}) {
  return { name, description: 'A zebra.', inputSchema: { type: 'object' }, ...more }
}

function push(world: World, ...tools: Json[]) {
  return syncToolList(world.ports, world.settings, { mode: 'replace', tools })
}

const someGroups = fc.subarray(['hr', 'it', 'ops'])
const someSkill = fc.record({
  official: fc.option(someGroups, { nil: undefined }),
  market: fc.option(someGroups, { nil: undefined }),
  /** Whether the first user has a private skill of this id. */
  isPrivate: fc.boolean(),
  hasAlias: fc.boolean(),
})
const registry = fc.record({
  skills: fc.array(someSkill, { minLength: 1, maxLength: 5 }),
  users: fc.array(someGroups, { minLength: 1, maxLength: 3 }),
  isPushed: fc.boolean(),
})
type Registry = typeof registry extends fc.Arbitrary<infer T> ? T : never
type SomeSkill = Registry['skills'][number]

const ZEBRA = { description: 'A zebra.', price: 0 }

/** Stores the skill in its tiers; answers the names of its entries in a pushed list. */
async function store(world: World, id: string, skill: SomeSkill): Promise<readonly string[]> {
  const { hasAlias, isPrivate, market, official } = skill
  if (official !== undefined) await world.skill(id, { ...ZEBRA, groups: official })
  if (market !== undefined) await world.skill(id, { ...ZEBRA, source: 'market', groups: market })
  if (isPrivate) await world.skill(id, { ...ZEBRA, source: 'private', uid: 'u0' })
  if (official === undefined && market === undefined) return []
  return hasAlias ? [id, id.replace('sg_s', 'sg_alias')] : [id]
}

async function worldOf({ isPushed, skills, users }: Registry) {
  const world = makeWorld(PATIENT)
  const keys: string[] = []
  for (const [n, groups] of users.entries()) keys.push(await world.user(`u${n}`, { groups }))
  const entries: string[] = []
  for (const [n, skill] of skills.entries())
    entries.push(...(await store(world, `sg_s${n}`, skill)))
  const skillOf = (name: string) => name.replace('alias', 's')
  const pushed = entries.map((name) => entry(name, { skillId: skillOf(name) }))
  if (isPushed) okOf(await push(world, ...pushed))
  return { world, keys, names: [...entries, ...skills.map((_, n) => `sg_s${n}`)] }
}

test('list, search and calls agree for any skills, users and groups, in rebuilt and in pushed lists', async () => {
  await fc.assert(
    fc.asyncProperty(registry, async (drawn) => {
      const { keys, names, world } = await worldOf(drawn)
      const lists = makeToolListCache()
      const anonymous = await listed(world, { lists })
      expect((await found(world, 'zebra', { lists })).toSorted()).toEqual(anonymous)
      for (const [n, authorization] of keys.entries()) {
        const asking = { authorization, lists }
        const seen = await listed(world, asking)
        expect((await found(world, 'zebra', asking)).toSorted()).toEqual(seen)
        // A private skill answers to its id as well, which hides a shared tool of that name.
        const own =
          n === 0 ? drawn.skills.flatMap((one, m) => (one.isPrivate ? [`sg_s${m}`] : [])) : []
        const called = [...new Set([...names, ...seen])]
        const callable: string[] = []
        for (const name of called) {
          if (await isCallable(world, authorization, name)) callable.push(name)
        }
        expect(callable.toSorted()).toEqual([...new Set([...seen, ...own])].toSorted())
        expect(seen).toEqual(
          expect.arrayContaining(anonymous.filter((name) => !own.includes(name))),
        )
      }
    }),
    { numRuns: 60 },
  )
})

async function ready() {
  const world = makeWorld()
  const ada = await world.user('ada', { groups: ['finance'] })
  const bob = await world.user('bob')
  await world.skill('sg_open', { price: 1 })
  await world.skill('sg_ledger', { price: 1, groups: ['finance'], description: 'Reads invoices.' })
  return { world, ada, bob }
}

describe('a skill with groups', () => {
  test('is listed, found and called by users of its group alone', async () => {
    const { ada, bob, world } = await ready()
    expect(await listed(world, { authorization: ada })).toEqual(['sg_ledger', 'sg_open'])
    expect(await listed(world, { authorization: bob })).toEqual(['sg_open'])
    expect(await listed(world)).toEqual(['sg_open'])
    expect(await found(world, 'invoices', { authorization: ada })).toEqual(['sg_ledger'])
    expect(await found(world, 'invoices', { authorization: bob })).toEqual([])
    expect(await isCallable(world, ada, 'sg_ledger')).toBe(true)
    expect(await isCallable(world, bob, 'sg_ledger')).toBe(false)
  })

  test('a hidden skill is refused with the same answer and the same reads as an unknown one', async () => {
    const { bob, world } = await ready()
    const reads: string[] = []
    const { callLookup, toolsCache } = world.ports
    world.ports.callLookup = {
      read: (query) => {
        reads.push('callLookup')
        return callLookup.read(query)
      },
    }
    world.ports.toolsCache = {
      ...toolsCache,
      read: () => {
        reads.push('toolsCache')
        return toolsCache.read()
      },
    }
    const answers = []
    for (const name of ['sg_ledger', 'sg_nothing', 'ledger', 'nothing']) {
      const { callId: _callId, ...problem } = problemIn(await run(world, bob, name))
      const asked = JSON.stringify(problem).replaceAll(name, '…')
      answers.push({ problem: asked, reads: reads.splice(0) })
    }
    expect(answers[0]?.problem).toContain('unknown_skill')
    expect(answers[0]?.reads).toEqual(['callLookup', 'toolsCache'])
    for (const answer of answers) expect(answer).toEqual(answers[0])
    expect(await world.credits('bob')).toEqual({ free: 100, held: 0 })
    expect(world.upstream.requests).toHaveLength(0)
  })

  test('a hidden skill has no effect on a search, in which its words count for nothing', async () => {
    const { ada, bob, world } = await ready()
    await world.skill('sg_involve', { description: 'Involves people.' })
    await world.skill('sg_secret', { description: 'Invoives.', groups: ['finance'] })
    // A slip is looked for only where no tool has the word itself.
    expect(await found(world, 'invoives', { authorization: bob })).toEqual(['sg_involve'])
    expect(await found(world, 'invoives', { authorization: ada })).toEqual(['sg_secret'])
  })

  test('a hidden skill does not reveal a market skill of its id', async () => {
    const { bob, world } = await ready()
    await world.skill('sg_ledger', { source: 'market', price: 0 })
    expect(await listed(world, { authorization: bob })).toEqual(['sg_open'])
    expect(await isCallable(world, bob, 'sg_ledger')).toBe(false)
    okOf(
      await deleteSkill(world.ports, world.settings, { source: 'official', skillId: 'sg_ledger' }),
    )
    expect(await listed(world, { authorization: bob })).toEqual(['sg_ledger', 'sg_open'])
    expect(await isCallable(world, bob, 'sg_ledger')).toBe(true)
  })

  test('a skill follows a sync that changes its groups, in calls, lists and searches at once', async () => {
    const { ada, bob, world } = await ready()
    const lists = makeToolListCache()
    await listed(world, { authorization: bob, lists })
    await world.skill('sg_ledger', { price: 1, groups: ['ops'], description: 'Reads invoices.' })
    await world.skill('sg_open', { price: 1, groups: ['finance'] })
    expect(await listed(world, { authorization: ada, lists })).toEqual(['sg_open'])
    expect(await listed(world, { authorization: bob, lists })).toEqual([])
    expect(await isCallable(world, ada, 'sg_ledger')).toBe(false)
    expect(await isCallable(world, bob, 'sg_open')).toBe(false)
  })
})

describe('a user', () => {
  test('who joins a group sees and calls its skills at once, and open streams are told', async () => {
    const { bob, world } = await ready()
    const lists = makeToolListCache()
    const before = (await world.profile('bob')).skillsChangedAtMs
    expect(await listed(world, { authorization: bob, lists })).toEqual(['sg_open'])
    okOf(await changeUser(world.ports, world.settings, 'bob', { groups: ['finance', 'finance'] }))
    expect(await listed(world, { authorization: bob, lists })).toEqual(['sg_ledger', 'sg_open'])
    expect(await isCallable(world, bob, 'sg_ledger')).toBe(true)
    const profile = await world.profile('bob')
    expect(profile.groups).toEqual(['finance'])
    expect(profile.skillsChangedAtMs).toBeGreaterThan(before)
    okOf(await changeUser(world.ports, world.settings, 'bob', { groups: [] }))
    expect(await listed(world, { authorization: bob, lists })).toEqual(['sg_open'])
    expect(await isCallable(world, bob, 'sg_ledger')).toBe(false)
  })

  test('calls a private skill whatever its groups are', async () => {
    const { bob, world } = await ready()
    await world.skill('sg_mine', { source: 'private', uid: 'bob', groups: ['finance'], price: 0 })
    expect(await listed(world, { authorization: bob })).toEqual(['bob_sg_mine', 'sg_open'])
    expect(await isCallable(world, bob, 'bob_sg_mine')).toBe(true)
  })

  test('whose profile does not answer sees the skills for everyone', async () => {
    const { ada, world } = await ready()
    world.ports.profiles = { ...world.ports.profiles, read: () => Promise.reject(new Error('no')) }
    expect(await listed(world, { authorization: ada })).toEqual(['sg_open'])
  })
})

describe('a pushed entry', () => {
  test('has the groups of the skill that it runs, and follows them when they change', async () => {
    const { ada, bob, world } = await ready()
    okOf(await push(world, entry('sg_books', { skillId: 'ledger' }), entry('sg_ledger')))
    expect(await listed(world, { authorization: ada })).toEqual(['sg_books', 'sg_ledger'])
    expect(await listed(world, { authorization: bob })).toEqual([])
    expect(await isCallable(world, ada, 'sg_books')).toBe(true)
    expect(await isCallable(world, bob, 'sg_books')).toBe(false)
    await world.skill('sg_ledger', { price: 1, groups: [] })
    expect(await listed(world, { authorization: bob })).toEqual(['sg_books', 'sg_ledger'])
    expect(await isCallable(world, bob, 'sg_books')).toBe(true)
    await world.skill('sg_ledger', { price: 1, groups: ['ops'] })
    expect(await listed(world, { authorization: ada })).toEqual([])
  })

  test('stays hidden when its skill is deleted', async () => {
    const { bob, world } = await ready()
    okOf(await push(world, entry('sg_books', { skillId: 'sg_ledger' })))
    okOf(
      await deleteSkill(world.ports, world.settings, { source: 'official', skillId: 'sg_ledger' }),
    )
    expect(await listed(world, { authorization: bob })).toEqual([])
  })

  test('cannot name groups of its own', async () => {
    const { world } = await ready()
    const refusal = refusalOf(await push(world, entry('sg_books', { groups: ['ops'] })))
    expect(refusal.faults).toEqual([
      {
        pointer: '/tools/0/groups',
        message:
          'is a field of the skill that the entry runs; leave it out here, and sync it there',
      },
    ])
  })

  test('has the groups of a sync that comes between the reading of its skill and the write', async () => {
    const { bob, world } = await ready()
    const { skills } = world.ports
    let syncs = 1
    world.ports.skills = {
      ...skills,
      get: async (key) => {
        const record = await skills.get(key)
        if (key.skillId === 'sg_open' && key.source === 'official' && syncs > 0) {
          syncs -= 1
          world.ports.skills = skills
          await world.skill('sg_open', { price: 1, groups: ['finance'] })
        }
        return record
      },
    }
    okOf(await push(world, entry('sg_welcome', { skillId: 'sg_open' })))
    expect(await listed(world, { authorization: bob })).toEqual([])
  })
})
