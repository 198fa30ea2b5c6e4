/**
 * Rebuilds in several requests. A slow store ends each step after one id, so that few skills make
 * many.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deleteSkill } from '../../../../core/flow/registry/manage-skills.ts'
import {
  type RebuildOutcome,
  STEP_IDS_MAX,
} from '../../../../core/flow/registry/rebuild-tool-list.ts'
import { syncSkill } from '../../../../core/flow/registry/sync-skill.ts'
import { syncToolList } from '../../../../core/flow/registry/sync-tool-list.ts'
import { readMergedTools } from '../../../../core/flow/tools/merge-tool-layers.ts'
import { makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import { readCursor, writeCursor } from '../../../../core/json/cursor.ts'
import { makeWorld, okOf, refusalOf, skillJson, type World } from '../world.ts'

function ask(world: World, cursor?: string) {
  const more = cursor === undefined ? {} : { cursor }
  return syncToolList(world.ports, world.settings, { mode: 'rebuild', ...more })
}

async function step(world: World, cursor?: string): Promise<RebuildOutcome> {
  return okOf(await ask(world, cursor))
}

function cursorIn(rebuilt: RebuildOutcome): string {
  if ('nextCursor' in rebuilt) return rebuilt.nextCursor
  throw new Error(`is done: ${JSON.stringify(rebuilt)}`)
}

/** Runs the rebuild to its end; returns the outcome of each step. */
async function rebuild(world: World, cursor?: string): Promise<readonly RebuildOutcome[]> {
  const answers: RebuildOutcome[] = []
  let from = cursor
  for (let steps = 1; steps <= 50; steps += 1) {
    const answer = await step(world, from)
    answers.push(answer)
    if (!('nextCursor' in answer)) return answers
    from = answer.nextCursor
  }
  throw new Error('the rebuild has no end')
}

async function listed(world: World): Promise<readonly string[] | undefined> {
  return (await world.ports.toolsCache.read())?.tools.map(({ name }) => name)
}

/** Syncs skills without listing them. */
async function put(world: World, id: string, source: 'official' | 'market' = 'official') {
  const text = JSON.stringify(skillJson(id, { source }))
  const request = { text, source: undefined, uid: undefined, list: 'later' } as const
  okOf(await syncSkill(world.ports, world.settings, request))
}

/** Makes each page take 15 s to read. */
function slowDown(world: World): void {
  const { list } = world.ports.skills
  world.ports.skills = {
    ...world.ports.skills,
    list: async (of) => {
      const page = await list(of)
      world.clock.jump(15_000)
      return page
    },
  }
}

async function slowWorld(...ids: readonly string[]): Promise<World> {
  const world = makeWorld()
  for (const id of ids) await put(world, id)
  slowDown(world)
  return world
}

describe('a rebuild of many steps', () => {
  test('reports its progress, and the number of tools at its end', async () => {
    const world = await slowWorld('sg_a', 'sg_b', 'sg_c')
    await world.ports.toolsCache.write([], undefined)
    const answers = await rebuild(world)
    expect(answers.map((answer) => ('read' in answer ? answer.read : answer.tools))).toEqual([
      1, 2, 3,
    ])
    expect(await listed(world)).toEqual(['sg_a', 'sg_b', 'sg_c'])
    const last = answers.at(-1)
    expect(last).toEqual({ tools: 3, changedAtMs: await world.ports.toolListVersion.read() })
  })

  test('shows nothing and tells no session before its last step', async () => {
    const world = await slowWorld('sg_a', 'sg_b', 'sg_c')
    await world.ports.toolsCache.write([], undefined)
    const first = cursorIn(await step(world))
    const second = cursorIn(await step(world, first))
    expect(await listed(world)).toEqual([])
    expect(await world.ports.toolListVersion.read()).toBe(0)
    await step(world, second)
    expect(await listed(world)).toHaveLength(3)
  })

  test('puts official over market across its steps, and counts both as read', async () => {
    const world = makeWorld()
    for (const id of ['sg_a', 'sg_c']) await put(world, id, 'official')
    for (const id of ['sg_b', 'sg_c', 'sg_d']) await put(world, id, 'market')
    slowDown(world)
    await world.ports.toolsCache.write([], undefined)
    const answers = await rebuild(world)
    expect(answers.map((answer) => ('read' in answer ? answer.read : answer.tools))).toEqual([
      1, 2, 4, 4,
    ])
    const tools = (await world.ports.toolsCache.read())?.tools
    expect(tools?.map(({ name }) => name)).toEqual(['sg_a', 'sg_b', 'sg_c', 'sg_d'])
  })

  test('has the same end when any step is sent twice', async () => {
    const world = await slowWorld('sg_a', 'sg_b', 'sg_c')
    const first = cursorIn(await step(world))
    await step(world, first)
    const again = cursorIn(await step(world, first))
    await rebuild(world, again)
    expect(await listed(world)).toEqual(['sg_a', 'sg_b', 'sg_c'])
  })

  test('given up on the way changes nothing, and cannot continue an hour later', async () => {
    const world = await slowWorld('sg_a', 'sg_b')
    const cursor = cursorIn(await step(world))
    expect(await listed(world)).toBeUndefined()
    world.clock.jump(3_601_000)
    expect(refusalOf(await ask(world, cursor))).toMatchObject({
      code: 'conflict',
      detail: expect.stringContaining('older than an hour'),
    })
    expect(await listed(world)).toBeUndefined()
  })

  test('ends a step after 10,000 ids, however fast they were read', async () => {
    const world = makeWorld()
    await put(world, 'sg_00000')
    const record = await world.ports.skills.get({ source: 'official', skillId: 'sg_00000' })
    if (record === undefined) throw new Error('not stored')
    for (let n = 1; n < 10_001; n += 1) {
      const skillId = `sg_${String(n).padStart(5, '0')}`
      const definition = { ...record.definition, id: skillId }
      await world.ports.skills.put({ ...record, skillId, toolName: skillId, definition }, 0)
    }
    await world.ports.toolsCache.write([], undefined)
    expect(STEP_IDS_MAX).toBe(10_000)
    expect(await rebuild(world)).toMatchObject([{ read: 10_000 }, { tools: 10_001 }])
    await deleteSkill(world.ports, world.settings, { source: 'official', skillId: 'sg_00000' })
    expect(await rebuild(world)).toMatchObject([{ tools: 10_000 }])
  })
})

describe('a rebuild of many steps where there was no list', () => {
  test('a rebuild of many steps reads the skills twice when it makes the first list', async () => {
    const world = await slowWorld('sg_a', 'sg_b')
    const answers = await rebuild(world)
    expect(answers.map((answer) => ('read' in answer ? answer.read : answer.tools))).toEqual([
      1, 0, 1, 2,
    ])
    expect(await listed(world)).toEqual(['sg_a', 'sg_b'])
  })

  test('a rebuild of many steps does not bring back a skill that was deleted while there was no list', async () => {
    const world = await slowWorld('sg_a', 'sg_b')
    const cursor = cursorIn(await step(world))
    const place = { source: 'official', skillId: 'sg_a' }
    okOf(await deleteSkill(world.ports, world.settings, place))
    await rebuild(world, cursor)
    expect(await listed(world)).toEqual(['sg_b'])
  })
})

describe('a rebuild that is overtaken', () => {
  test('by a sync starts over and loses nothing', async () => {
    const world = await slowWorld('sg_b', 'sg_c')
    await world.ports.toolsCache.write([], undefined)
    const cursor = cursorIn(await step(world))
    await world.skill('sg_a')
    expect(await listed(world)).toEqual(['sg_a'])
    const overtaken = await step(world, cursor)
    expect(overtaken).toMatchObject({ read: 0 })
    await rebuild(world, cursorIn(overtaken))
    expect(await listed(world)).toEqual(['sg_a', 'sg_b', 'sg_c'])
  })

  test('by the delete of a skill that it has read does not bring the skill back', async () => {
    const world = await slowWorld('sg_a', 'sg_b')
    await world.ports.toolsCache.write([], undefined)
    const cursor = cursorIn(await step(world))
    const place = { source: 'official', skillId: 'sg_a' }
    okOf(await deleteSkill(world.ports, world.settings, place))
    await rebuild(world, cursor)
    expect(await listed(world)).toEqual(['sg_b'])
  })

  test('by another rebuild ends, as the other does, with the right list', async () => {
    const world = await slowWorld('sg_a', 'sg_b', 'sg_c')
    const [one, other] = [cursorIn(await step(world)), cursorIn(await step(world))]
    await rebuild(world, one)
    expect(await listed(world)).toEqual(['sg_a', 'sg_b', 'sg_c'])
    await rebuild(world, other)
    expect(await listed(world)).toEqual(['sg_a', 'sg_b', 'sg_c'])
  })

  test('eight times is refused, since others are changing the list', async () => {
    const world = await slowWorld('sg_a', 'sg_b')
    let answer = await ask(world)
    let rounds = 0
    while (answer.ok && rounds < 30) {
      if (!('nextCursor' in answer.value)) throw new Error('was not overtaken')
      await world.ports.toolsCache.drop()
      await world.ports.toolsCache.write([], undefined)
      answer = await ask(world, answer.value.nextCursor)
      rounds += 1
    }
    expect(refusalOf(answer)).toMatchObject({ code: 'conflict', retryAfterSec: 1 })
    expect(rounds).toBe(15)
  })

  test('in any order of steps, syncs and deletes ends with the list of the tiers', async () => {
    const ids = ['sg_a', 'sg_b', 'sg_c', 'sg_d']
    const act = fc.record({
      what: fc.constantFrom('step', 'other step', 'sync', 'sync market', 'delete', 'delete market'),
      id: fc.constantFrom(...ids),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
        const world = await slowWorld('sg_b', 'sg_d')
        await world.ports.toolsCache.write([], undefined)
        const cursors = new Map<string, string | undefined>()
        for (const one of acts) await perform(world, one, cursors)
        for (const cursor of cursors.values()) await rebuild(world, cursor)
        expect(await listed(world)).toEqual(await expectedList(world, cursors.size === 0))
      }),
      { numRuns: 60 },
    )
  })
})

/** `cursors`: the positions of the two rebuilds. */
async function perform(
  world: World,
  { id, what: action }: { readonly id: string; readonly what: string },
  cursors: Map<string, string | undefined>,
): Promise<void> {
  const [verb, tier] = action.split(' ')
  const source = tier === 'market' ? 'market' : 'official'
  switch (verb) {
    case 'sync':
      return world.skill(id, { source })
    case 'delete':
      await deleteSkill(world.ports, world.settings, { source, skillId: id })
      return
    default: {
      const answer = await step(world, cursors.get(action))
      cursors.set(action, 'nextCursor' in answer ? answer.nextCursor : undefined)
    }
  }
}

/** Without a rebuild only the synced skills are listed. */
async function expectedList(world: World, syncedOnly: boolean) {
  const now = (await listed(world)) ?? []
  const ids = new Set<string>()
  for (const source of ['official', 'market'] as const) {
    for (const { skillId } of (await world.ports.skills.list({ source, limit: 100 })).records) {
      if (!syncedOnly || now.includes(skillId)) ids.add(skillId)
    }
  }
  return [...ids].sort()
}

describe('the cursor of a rebuild', () => {
  test.each([
    ['none of ours', '!'],
    ['of another list', writeCursor('official:sg_a')],
    ['of too few parts', writeCursor('[null,1,0,null]')],
    ['of another head', writeCursor('[7,1,0,null,[]]')],
    ['of a wrong count', writeCursor('[null,1,-1,null,[]]')],
    ['of a wrong piece', writeCursor('[null,1,0,"sg_a",[""]]')],
    ['of a long piece', writeCursor(`[null,1,0,"sg_a",["${'x'.repeat(257)}"]]`)],
    ['of 101 pieces', writeCursor(JSON.stringify([null, 1, 0, 'sg_a', Array(101).fill('x')]))],
  ])('a cursor (%s) is refused', async (_what, cursor) => {
    const world = await slowWorld('sg_a', 'sg_b')
    expect(refusalOf(await ask(world, cursor))).toMatchObject({
      code: 'invalid_arguments',
      faults: [{ pointer: '/cursor' }],
    })
  })

  test('that names pieces which were never staged makes no list', async () => {
    const world = await slowWorld('sg_a', 'sg_b')
    const cursor = writeCursor(JSON.stringify([null, 1, 1, 'sg_a', Array(100).fill('x')]))
    expect(refusalOf(await ask(world, cursor)).code).toBe('conflict')
    expect(await listed(world)).toBeUndefined()
  })

  test('holds the position and the staged pieces', async () => {
    const world = await slowWorld('sg_a', 'sg_b')
    const text = readCursor(cursorIn(await step(world)))
    expect(text).toMatch(/^\[null,1,1,"sg_a",\["\d{13}-[0-9a-f]{12}"\]\]$/)
  })

  test.each(['replace', 'drop'])('the cursor is refused with the mode %s', async (mode) => {
    const world = makeWorld()
    const refusal = refusalOf(
      await syncToolList(world.ports, world.settings, { mode, cursor: 'x' }),
    )
    expect(refusal.detail).toContain('cursor')
  })

  test('must be a text', async () => {
    const world = makeWorld()
    const refusal = refusalOf(await syncToolList(world.ports, world.settings, { cursor: 7 }))
    expect(refusal.code).toBe('invalid_arguments')
  })
})

describe('a sync where there is no list', () => {
  test('makes one from the tiers, if one step is enough', async () => {
    const world = makeWorld()
    await put(world, 'sg_b')
    await world.skill('sg_a')
    expect(await listed(world)).toEqual(['sg_a', 'sg_b'])
  })

  test('warns that it made none, if one step is not enough', async () => {
    const world = await slowWorld('sg_b', 'sg_c')
    const text = JSON.stringify(skillJson('sg_a'))
    const request = { text, source: undefined, uid: undefined, list: 'now' } as const
    const synced = okOf(await syncSkill(world.ports, world.settings, request))
    expect(synced).toMatchObject({ listed: false, created: true })
    expect(synced.warnings.join()).toContain('sync_cache')
    const tools = await readMergedTools(world.ports, world.settings, makeToolListCache(), undefined)
    expect(tools.map(({ name }) => name)).not.toContain('sg_a')
  })
})
