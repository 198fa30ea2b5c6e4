import { describe, expect, test } from 'vitest'
import { announceChange } from '../../../../core/flow/registry/change-tool-list.ts'
import { deleteSkill } from '../../../../core/flow/registry/manage-skills.ts'
import { PUSHED_TOOLS_MAX } from '../../../../core/flow/registry/read-pushed-tools.ts'
import { syncToolList } from '../../../../core/flow/registry/sync-tool-list.ts'
import { cutToolPage, readMergedTools } from '../../../../core/flow/tools/merge-tool-layers.ts'
import { makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import type { Json } from '../../../../core/json/json.ts'
import { BUILT_IN, listWith } from '../built-in.ts'
import { makeWorld, okOf, refusalOf, type World } from '../world.ts'

async function names(world: World, uid?: string, cache = makeToolListCache()) {
  const principal = uid === undefined ? undefined : { uid, keyHash: 'k', username: uid }
  const tools = await readMergedTools(world.ports, world.settings, cache, principal)
  return tools.map((tool) => tool.name)
}

function syncList(world: World, body: Json) {
  return syncToolList(world.ports, world.settings, body)
}

/** The result of a change that took one step; throws when steps are left. */
function doneOf(result: Awaited<ReturnType<typeof syncList>>) {
  const done = okOf(result)
  if ('nextCursor' in done) throw new Error('is not done yet')
  return done
}

function pushed(name: string, more: { [field: string]: Json } = {}) {
  return { name, description: 'Does it.', inputSchema: { type: 'object' }, ...more }
}

describe('the list that a caller sees', () => {
  test('a list has the built-in tools when there is nothing else', async () => {
    expect(await names(makeWorld())).toEqual(BUILT_IN)
  })

  // Holds: SAFE-2
  test('a list has shared skills for everybody and private ones for their owner', async () => {
    const world = makeWorld()
    await world.user('ada')
    await world.skill('sg_weather')
    await world.skill('sg_mine', { source: 'private', uid: 'ada' })
    expect(await names(world)).toEqual(listWith('sg_weather'))
    expect(await names(world, 'ada')).toEqual(listWith('ada_sg_mine', 'sg_weather'))
    expect(await names(world, 'bob')).toEqual(listWith('sg_weather'))
  })

  test('a list leaves out the official entry that a private skill of the caller shadows', async () => {
    const world = makeWorld()
    await world.user('ada')
    await world.skill('sg_weather')
    await world.skill('sg_weather', { source: 'private', uid: 'ada' })
    expect(await names(world, 'ada')).toEqual(listWith('ada_sg_weather'))
    expect(await names(world)).toEqual(listWith('sg_weather'))
  })

  // Holds: LIST-4
  test('a list leaves out and logs a stored entry that would break a client', async () => {
    const world = makeWorld()
    const bad = { ...pushed('sg_bad'), description: '', title: undefined }
    const stored = { ...bad, skillId: undefined, priceMicroCredits: 0 }
    await world.ports.toolsCache.write([stored], undefined)
    expect(await names(world)).toEqual(BUILT_IN)
    expect(world.log.events()).toContain('tool-not-listed')
  })

  test('a list leaves out a stored skill that this build cannot read', async () => {
    const world = makeWorld()
    await world.user('ada')
    await world.skill('sg_x', { source: 'private', uid: 'ada' })
    const record = await world.ports.skills.get({ source: 'private', skillId: 'sg_x', uid: 'ada' })
    if (record === undefined) throw new Error('not stored')
    await world.ports.skills.put({ ...record, definition: { id: 'sg_x' }, version: 2 }, 1)
    expect(await names(world, 'ada')).toEqual(BUILT_IN)
    expect(world.log.events()).toContain('skill-not-listed')
  })

  test('a list has 1000 private skills at most, and says when there are more', async () => {
    const world = makeWorld()
    await world.user('ada')
    await world.skill('sg_x', { source: 'private', uid: 'ada' })
    const record = await world.ports.skills.get({ source: 'private', skillId: 'sg_x', uid: 'ada' })
    if (record === undefined) throw new Error('not stored')
    const put = (n: number) => {
      const skillId = `sg_n${n}`
      const definition = { ...record.definition, id: skillId }
      return world.ports.skills.put(
        { ...record, skillId, toolName: `ada_${skillId}`, definition },
        0,
      )
    }
    for (let n = 1; n < 1_000; n += 1) await put(n)
    expect(await names(world, 'ada')).toHaveLength(1_000 + BUILT_IN.length)
    expect(world.log.events()).not.toContain('private-skills-left-out')
    await put(1_000)
    expect(await names(world, 'ada')).toHaveLength(1_000 + BUILT_IN.length)
    expect(world.log.events()).toContain('private-skills-left-out')
  })

  // Holds: LIST-10
  test('a cursor that is not ours is refused', async () => {
    const world = makeWorld()
    const { ports, settings } = world
    const tools = await readMergedTools(ports, settings, makeToolListCache(), undefined)
    const refused = cutToolPage(tools, '!', 500)
    expect(refused).toEqual({
      ok: false,
      error: {
        code: -32602,
        message:
          'params.cursor: must be the nextCursor of an earlier answer to the same request, unchanged; leave it out to start at the beginning',
      },
    })
  })
})

describe('a cursor', () => {
  // Holds: LIST-9
  test('goes on behind its page whatever was synced or deleted in between', async () => {
    const world = makeWorld()
    // Before all built-in tools, so that these do not move the pages.
    for (const id of ['sg_a1', 'sg_a3', 'sg_a5', 'sg_a7', 'sg_a9']) await world.skill(id)
    const cache = makeToolListCache()
    const page = async (cursor?: string, size = 3) => {
      const tools = await readMergedTools(world.ports, world.settings, cache, undefined)
      return okPage(cutToolPage(tools, cursor, size))
    }
    const first = await page()
    expect(first.names).toEqual(['sg_a1', 'sg_a3', 'sg_a5'])
    await world.skill('sg_a2')
    for (const id of ['sg_a6', 'sg_a8']) await world.skill(id)
    for (const skillId of ['sg_a5', 'sg_a7']) {
      const place = { source: 'official', skillId }
      okOf(await deleteSkill(world.ports, world.settings, place))
    }
    const second = await page(first.nextCursor)
    expect(second.names).toEqual(['sg_a6', 'sg_a8', 'sg_a9'])
    await syncList(world, { mode: 'drop' })
    expect(await page(second.nextCursor, 500)).toEqual({ names: BUILT_IN, nextCursor: undefined })
  })
})

function okPage(page: ReturnType<typeof cutToolPage>) {
  if (!page.ok) throw new Error(page.error.message)
  const { nextCursor, tools } = page.value
  return { names: tools.map(({ name }) => name), nextCursor }
}

describe('the cache of the list', () => {
  test('a cached list is used until the list version changes', async () => {
    const world = makeWorld()
    await world.skill('sg_a')
    const cache = makeToolListCache()
    let reads = 0
    const { read } = world.ports.toolsCache
    world.ports.toolsCache = {
      ...world.ports.toolsCache,
      read: () => {
        reads += 1
        return read()
      },
    }
    await names(world, undefined, cache)
    await names(world, undefined, cache)
    expect(reads).toBe(1)
    await announceChange(world.ports)
    await names(world, undefined, cache)
    expect(reads).toBe(2)
  })

  test('another environment sees a new skill with its next list', async () => {
    const world = makeWorld()
    const cache = makeToolListCache()
    expect(await names(world, undefined, cache)).toEqual(BUILT_IN)
    await world.skill('sg_a')
    expect(await names(world, undefined, cache)).toEqual(listWith('sg_a'))
    await world.skill('sg_b')
    expect(await names(world, undefined, cache)).toEqual(listWith('sg_a', 'sg_b'))
  })

  test('two changes in one millisecond give two list versions', async () => {
    const world = makeWorld()
    const cache = makeToolListCache()
    await world.skill('sg_a')
    await names(world, undefined, cache)
    await world.skill('sg_b')
    expect(await names(world, undefined, cache)).toContain('sg_b')
  })
})

describe('a market skill behind an official one', () => {
  test('a market skill of the same id is stored and not listed, and the answer says so', async () => {
    const world = makeWorld()
    await world.skill('sg_weather', { description: 'The official one.' })
    await world.skill('sg_weather', { source: 'market', description: 'The other one.' })
    const list = await world.ports.toolsCache.read()
    expect(list?.tools.map((tool) => tool.description)).toEqual(['The official one.'])
  })

  test('an official skill takes the place of the market one', async () => {
    const world = makeWorld()
    await world.skill('sg_weather', { source: 'market', description: 'The other one.' })
    await world.skill('sg_weather', { description: 'The official one.' })
    const list = await world.ports.toolsCache.read()
    expect(list?.tools.map((tool) => tool.description)).toEqual(['The official one.'])
  })

  test('a rebuild says the same, also of an official one that cannot run', async () => {
    const world = makeWorld()
    await world.skill('sg_weather', { source: 'market' })
    await world.skill('sg_news', { source: 'market' })
    await world.skill('sg_weather', { config: { plugin_hook: 'not_there' } })
    expect(doneOf(await syncList(world, { mode: 'rebuild' })).tools).toBe(1)
    expect(await names(world)).toEqual(listWith('sg_news'))
  })
})

describe('sync_cache', () => {
  test('a rebuild makes the list anew from the stored skills', async () => {
    const world = makeWorld()
    await world.skill('sg_a')
    await world.skill('sg_b', { source: 'market' })
    await syncList(world, { mode: 'replace', tools: [pushed('sg_other')] })
    expect(await names(world)).toEqual(listWith('sg_other'))
    expect(okOf(await syncList(world, {}))).toMatchObject({ tools: 2 })
    expect(await names(world)).toEqual(listWith('sg_a', 'sg_b'))
  })

  test('a replacement takes a pushed list, each tool under its key', async () => {
    const world = makeWorld()
    const tools = [pushed('weather'), pushed('sg_news', { title: 'News', skillId: 'sg_n' })]
    expect(doneOf(await syncList(world, { mode: 'replace', tools })).tools).toBe(2)
    const list = await world.ports.toolsCache.read()
    expect(list?.tools).toMatchObject([
      { name: 'sg_weather', skillId: undefined },
      { name: 'sg_news', title: 'News', skillId: 'sg_n' },
    ])
  })

  test('a drop leaves the built-in tools', async () => {
    const world = makeWorld()
    await world.skill('sg_a')
    expect(doneOf(await syncList(world, { mode: 'drop' })).tools).toBe(0)
    expect(await names(world)).toEqual(BUILT_IN)
  })

  test.each([{ mode: 'rebuild' }, { mode: 'replace', tools: [] }, { mode: 'drop' }])(
    '%o writes the broadcast',
    async (body) => {
      const world = makeWorld()
      const { changedAtMs } = doneOf(await syncList(world, body))
      expect(changedAtMs).toBe(world.clock.nowMs())
      expect(await world.ports.toolListVersion.read()).toBe(changedAtMs)
    },
  )

  test.each([
    ['an unknown mode', { mode: 'shrink' }, '/mode'],
    ['an unknown field', { mode: 'drop', force: true }, '/force'],
    ['tools without replace', { mode: 'rebuild', tools: [] }, '/tools'],
    ['a cursor without rebuild', { mode: 'drop', cursor: 'x' }, '/cursor'],
    ['replace without tools', { mode: 'replace' }, '/tools'],
  ])('%s is refused', async (_what, body, pointer) => {
    const refusal = refusalOf(await syncList(makeWorld(), body))
    expect(refusal).toMatchObject({ code: 'invalid_arguments', faults: [{ pointer }] })
  })

  test('a refused replacement names every entry that would break a client, and writes nothing', async () => {
    const world = makeWorld()
    const tools = [
      pushed('sg_ok'),
      pushed('sg_ok'),
      { name: 'sg_x' },
      pushed('sg_y', { description: ' ' }),
      pushed('sg_z', { inputSchema: { type: 'string' } }),
    ]
    const refusal = refusalOf(await syncList(world, { mode: 'replace', tools }))
    expect(refusal.code).toBe('invalid_arguments')
    const places = refusal.faults?.map((fault) => fault.pointer) ?? []
    expect(places.map((place) => place.split('/').slice(0, 3).join('/'))).toEqual([
      '/tools/1',
      '/tools/2',
      '/tools/3',
      '/tools/4',
    ])
    expect(await world.ports.toolsCache.read()).toBeUndefined()
  })

  test('a replacement keeps the members of a pushed tool beside its schema', async () => {
    const world = makeWorld()
    const more = {
      title: 'Weather',
      outputSchema: { type: 'object' },
      annotations: { title: 'ours now', readOnlyHint: true },
    }
    const tools = [pushed('sg_weather', more)]
    expect(doneOf(await syncList(world, { mode: 'replace', tools })).tools).toBe(1)
    expect((await world.ports.toolsCache.read())?.tools).toEqual([
      {
        name: 'sg_weather',
        title: 'Weather',
        description: 'Does it.',
        inputSchema: { type: 'object' },
        skillId: undefined,
        priceMicroCredits: 0,
        outputSchema: { type: 'object' },
        annotations: {
          readOnlyHint: true,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
      },
    ])
  })

  test.each([
    ['title', null],
    ['skillId', 7],
    ['outputSchema', []],
    ['annotations', { readOnlyHint: 'yes' }],
    ['annotations', []],
    ['creditsPerCall', -1],
    ['creditsPerCall', 10_001],
    ['creditsPerCall', '1'],
  ])(
    'a replacement is refused by the name of a pushed tool whose %s is %j',
    async (field, value) => {
      const world = makeWorld()
      const tools = [pushed('sg_ok'), pushed('sg_bad', { [field]: value })]
      const refusal = refusalOf(await syncList(world, { mode: 'replace', tools }))
      expect(refusal.faults?.map(({ pointer }) => pointer)).toEqual([`/tools/1/${field}`])
      expect(await world.ports.toolsCache.read()).toBeUndefined()
    },
  )

  test('10000 tools are taken, 10001 are not', async () => {
    const world = makeWorld()
    expect(PUSHED_TOOLS_MAX).toBe(10_000)
    const tools = Array.from({ length: 10_001 }, (_, i) => pushed(`sg_${i}`))
    expect(refusalOf(await syncList(world, { mode: 'replace', tools })).code).toBe('too_large')
    const fits = await syncList(world, { mode: 'replace', tools: tools.slice(1) })
    expect(doneOf(fits).tools).toBe(10_000)
  })

  test('a caller whose writes always meet other writers is told to send the request again', async () => {
    const world = makeWorld()
    world.ports.toolsCache = { ...world.ports.toolsCache, write: async () => undefined }
    expect(refusalOf(await syncList(world, {}))).toMatchObject({
      code: 'conflict',
      retryAfterSec: 1,
    })
  })
})
