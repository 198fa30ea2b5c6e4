/** The built-in search, as an agent calls it. */

import { describe, expect, test } from 'vitest'
import { credentialOf } from '../../../../bench/lib/credential.ts'
import { openCallScope } from '../../../../core/flow/access/call-scope.ts'
import { syncToolList } from '../../../../core/flow/registry/sync-tool-list.ts'
import { callTool } from '../../../../core/flow/tools/call-tool.ts'
import { makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import type { Json, JsonObject } from '../../../../core/json/json.ts'
import { isJsonObject } from '../../../../core/json/json.ts'
import { makeWorld, okOf, type World } from '../world.ts'

function asking(world: World, lists = makeToolListCache()) {
  return async (authorization: string | undefined, args: JsonObject) => {
    const called = await callTool(world.ports, world.settings, {
      scope: openCallScope(world.ports),
      name: 'sg_search_skills',
      arguments: args,
      credential: credentialOf(authorization),
      ownerOf: async () => undefined,
      callId: 'c-1',
      door: 'mcp',
      deadlineMs: world.clock.nowMs() + 15_000,
      lists,
    })
    if (called.kind !== 'result') throw new Error(`no result: ${called.kind}`)
    const { content, isError, structuredContent } = called.result
    const [block] = content
    return { isError, structuredContent, text: block?.type === 'text' ? block.text : '' }
  }
}

type SearchAnswer = { readonly structuredContent?: Json | undefined }

function toolsIn({ structuredContent }: SearchAnswer): readonly JsonObject[] {
  const tools = isJsonObject(structuredContent) ? structuredContent['tools'] : []
  return Array.isArray(tools) ? tools.filter(isJsonObject) : []
}

function namesIn(answer: SearchAnswer): readonly unknown[] {
  return toolsIn(answer).map(({ name }) => name)
}

async function threeSkills(): Promise<World> {
  const world = makeWorld()
  await world.skill('sg_weather', { description: 'Tells the weather.', price: 0.5 })
  await world.skill('sg_fx', { description: 'Converts currencies.', source: 'market' })
  await world.skill('sg_rain', { description: 'Tells of rain, which is weather too.' })
  return world
}

describe('the search tool', () => {
  test('a search answers names, titles, descriptions and prices, as structure and as text', async () => {
    const ask = asking(await threeSkills())
    const answer = await ask(undefined, { query: 'weather' })
    expect(answer.isError).toBe(false)
    expect(answer.structuredContent).toEqual({
      tools: [
        {
          name: 'sg_weather',
          title: 'sg_weather',
          description: 'Tells the weather.',
          credits: 0.5,
        },
        {
          name: 'sg_rain',
          title: 'sg_rain',
          description: 'Tells of rain, which is weather too.',
          credits: 1,
        },
      ],
      count: 2,
    })
    expect(JSON.parse(answer.text)).toEqual(answer.structuredContent)
  })

  test('a search is free and counts against the minute of the key', async () => {
    const world = await threeSkills()
    const key = await world.user('ada', { tier: 'small' })
    const ask = asking(world)
    for (let time = 1; time <= 3; time += 1) {
      expect((await ask(key, { query: 'rain' })).isError).toBe(false)
    }
    const refused = await ask(key, { query: 'rain' })
    expect(refused.isError).toBe(true)
    expect(refused.text).toContain('3 calls a minute')
    expect(await world.credits('ada')).toEqual({ free: 100, held: 0 })
    expect(world.upstream.requests).toEqual([])
  })

  test('a search without a key counts as a list without one: 600 a minute for all of them', async () => {
    const world = await threeSkills()
    const ask = asking(world)
    for (let time = 1; time <= 600; time += 1) await ask(undefined, { query: 'rain' })
    expect((await ask(undefined, { query: 'rain' })).text).toContain('600 times a minute')
  })

  test('a search finds private skills for their owner alone', async () => {
    const world = await threeSkills()
    const [ada, bob] = [await world.user('ada'), await world.user('bob')]
    await world.skill('sg_hail', { source: 'private', uid: 'ada', description: 'Hail.' })
    const ask = asking(world)
    expect(namesIn(await ask(ada, { query: 'hail' }))).toEqual(['ada_sg_hail'])
    const others = [await ask(bob, { query: 'hail' }), await ask(undefined, { query: 'hail' })]
    expect(others.map(namesIn)).toEqual([[], []])
    const nothing = [await ask(bob, { query: 'zzz' }), await ask(undefined, { query: 'zzz' })]
    expect(others).toEqual(nothing)
  })

  test('a search shows the private skill and not the one that it shadows', async () => {
    const world = await threeSkills()
    const [ada, bob] = [await world.user('ada'), await world.user('bob')]
    await world.skill('sg_weather', { source: 'private', uid: 'ada', description: 'My weather.' })
    const ask = asking(world)
    expect(namesIn(await ask(ada, { query: 'weather' }))).toEqual(['ada_sg_weather', 'sg_rain'])
    expect(namesIn(await ask(bob, { query: 'weather' }))).toEqual(['sg_weather', 'sg_rain'])
  })

  test('a search finds the built-in tools, which are free', async () => {
    const answer = await asking(makeWorld())(undefined, { query: 'balance credits account' })
    expect(toolsIn(answer)[0]).toMatchObject({ name: 'sg_account', credits: 0 })
  })

  test('a search sees skills that were synced since, shared ones and the caller’s own', async () => {
    const world = await threeSkills()
    const ada = await world.user('ada')
    const ask = asking(world)
    expect(namesIn(await ask(ada, { query: 'tide' }))).toEqual([])
    await world.skill('sg_tide')
    await world.skill('sg_tidewater', { source: 'private', uid: 'ada' })
    expect(namesIn(await ask(ada, { query: 'tide' }))).toEqual(['sg_tide', 'ada_sg_tidewater'])
  })

  test('a search tells the price that a pushed list gives', async () => {
    const world = makeWorld()
    const tool = { name: 'sg_pushed', description: 'Pushed.', inputSchema: { type: 'object' } }
    const tools = [{ ...tool, creditsPerCall: 2.5, annotations: { readOnlyHint: true } }]
    okOf(await syncToolList(world.ports, world.settings, { mode: 'replace', tools }))
    const answer = await asking(world)(undefined, { query: 'pushed' })
    expect(toolsIn(answer)).toMatchObject([{ name: 'sg_pushed', credits: 2.5 }])
  })

  test('a search that finds nothing names what the tools of this caller are about, and no tool', async () => {
    const world = await threeSkills()
    await world.user('bob')
    await world.skill('sg_secretplan', { source: 'private', uid: 'bob' })
    const answer = await asking(world)(await world.user('ada'), { query: 'zzz' })
    expect(answer).toMatchObject({ isError: false, structuredContent: { tools: [], count: 0 } })
    expect(answer.text).toMatch(/^No tool here does that\. The tools here are about: /)
    expect(answer.text).toContain('weather')
    expect(answer.text).not.toMatch(/sg_|secretplan|tools\/list/)
  })

  test('a search cuts descriptions at 300 characters, not in the middle of a character', async () => {
    const world = makeWorld()
    await world.skill('sg_fits', { description: '😀'.repeat(300) })
    await world.skill('sg_long', { description: '😀'.repeat(301) })
    const answer = await asking(world)(undefined, { query: 'sg' })
    const shown = new Map(toolsIn(answer).map((one) => [one['name'], one['description']]))
    expect(shown.get('sg_fits')).toBe('😀'.repeat(300))
    expect(shown.get('sg_long')).toBe(`${'😀'.repeat(299)}…`)
  })

  test('a search answers 10 tools by default and 50 at most', async () => {
    const world = makeWorld()
    for (let n = 0; n < 60; n += 1) await world.skill(`sg_tool${n}`)
    const ask = asking(world)
    expect(toolsIn(await ask(undefined, { query: 'tool' }))).toHaveLength(10)
    expect(toolsIn(await ask(undefined, { query: 'tool', limit: 50 }))).toHaveLength(50)
    expect(toolsIn(await ask(undefined, { query: 'tool', limit: 1 }))).toHaveLength(1)
    expect((await ask(undefined, { query: 'tool', limit: 51 })).text).toContain('from 1 to 50')
  })

  test.each([
    ['no query', {}, 'query'],
    ['an empty query', { query: ' ' }, 'query'],
    ['a query that is no text', { query: 7 }, 'query'],
    ['a query of 401 characters', { query: '😀'.repeat(401) }, '400'],
    ['a limit of 0', { query: 'x', limit: 0 }, 'limit'],
    ['a limit that is no number', { query: 'x', limit: 'many' }, 'limit'],
    ['an unknown argument', { query: 'x', page: 2 }, 'page'],
  ])('a search with %s is refused with what it takes', async (_what, args, names) => {
    const answer = await asking(makeWorld())(undefined, args)
    expect(answer.isError).toBe(true)
    expect(answer.text).toContain(names)
    expect(answer.text).toContain('This tool takes')
  })

  test('a search takes a query of 400 characters', async () => {
    const answer = await asking(makeWorld())(undefined, { query: 'x'.repeat(400) })
    expect(answer.isError).toBe(false)
  })
})
