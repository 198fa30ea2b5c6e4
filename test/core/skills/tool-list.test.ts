import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readSkill } from '../../../core/skills/definition/read-skill.ts'
import type { SkillRecord, Tool } from '../../../core/skills/skill.ts'
import { toTool } from '../../../core/skills/skill-tool.ts'
import { mergeTools, pickPage } from '../../../core/skills/tool-list.ts'
import { resolve } from '../../../core/skills/visible.ts'

const tool = (name: string, description = 'd', skillId: string | undefined = name): Tool => ({
  name,
  title: undefined,
  description,
  inputSchema: { type: 'object' },
  skillId,
  priceMicroCredits: 0,
})
const names = (tools: readonly Tool[]) => tools.map((entry) => entry.name)
const builtIn = [tool('sg_account', 'built-in', undefined)]

describe('mergeTools', () => {
  test('lists built-in tools when there is nothing else', () => {
    expect(names(mergeTools({ builtIn, cached: [], private: [], prefix: 'sg' }))).toEqual([
      'sg_account',
    ])
  })

  // Holds: LIST-12
  test('lists in code-unit order of names, whatever order they came in', () => {
    const cached = ['sg_b', 'sg_a', 'sg_B', 'sg_a-b', 'sg_a_b'].map((name) => tool(name))
    expect(names(mergeTools({ builtIn, cached, private: [], prefix: 'sg' }))).toEqual([
      'sg_B',
      'sg_a',
      'sg_a-b',
      'sg_a_b',
      'sg_account',
      'sg_b',
    ])
  })

  test('puts the prefix on cached names and merges those that differ only by it', () => {
    const cached = [tool('weather', 'first'), tool('sg_weather', 'second'), tool('a.b', 'x')]
    const tools = mergeTools({ builtIn, cached, private: [], prefix: 'sg' })
    expect(names(tools)).toEqual(['sg_a_b', 'sg_account', 'sg_weather'])
    expect(tools[2]?.description).toBe('second')
  })

  test('lets a cached tool override a built-in one', () => {
    const tools = mergeTools({
      builtIn,
      cached: [tool('account', 'cached')],
      private: [],
      prefix: 'sg',
    })
    expect(tools.map((entry) => entry.description)).toEqual(['cached'])
  })

  test('leaves out the official tool that a private one shadows', () => {
    const mine = tool('demo_sg_weather', 'mine', 'sg_weather')
    const cached = [tool('sg_weather'), tool('sg_other')]
    const tools = mergeTools({ builtIn, cached, private: [mine], prefix: 'sg' })
    expect(names(tools)).toEqual(['demo_sg_weather', 'sg_account', 'sg_other'])
  })

  test('keeps a tool whose name equals a private id only in safe characters', () => {
    const mine = tool('demo_sg_a_b', 'mine', 'sg_a.b')
    const tools = mergeTools({ builtIn, cached: [tool('sg_a_b')], private: [mine], prefix: 'sg' })
    expect(names(tools)).toEqual(['demo_sg_a_b', 'sg_a_b', 'sg_account'])
  })

  test('leaves out a private tool that has the name of a built-in one', () => {
    const mine = tool('sg_account', 'mine', 'sg_x')
    const tools = mergeTools({ builtIn, cached: [], private: [mine], prefix: 'sg' })
    expect(tools.map((entry) => entry.description)).toEqual(['built-in'])
  })

  test('puts the private ones in their places, whatever order they came in', () => {
    const own = ['z_3', 'a_1', 'sg_b0'].map((name) => tool(name, 'mine', `sg_${name}`))
    const cached = ['sg_b', 'sg_c'].map((name) => tool(name))
    expect(names(mergeTools({ builtIn, cached, private: own, prefix: 'sg' }))).toEqual([
      'a_1',
      'sg_account',
      'sg_b',
      'sg_b0',
      'sg_c',
      'z_3',
    ])
  })

  test('never hides a built-in tool behind a private one', () => {
    const mine = tool('demo_sg_account', 'mine', 'sg_account')
    expect(names(mergeTools({ builtIn, cached: [], private: [mine], prefix: 'sg' }))).toEqual([
      'demo_sg_account',
      'sg_account',
    ])
  })

  // Holds: LIST-7
  test('lists a name once even when an official id looks like a private name', () => {
    const mine = tool('sg_sg_x', 'mine', 'sg_x')
    const tools = mergeTools({ builtIn, cached: [tool('sg_sg_x')], private: [mine], prefix: 'sg' })
    expect(names(tools)).toEqual(['sg_account', 'sg_sg_x'])
    expect(tools[1]?.description).toBe('mine')
  })

  test('merges 200,000 tools: a quadratic step would take minutes', () => {
    const cached = Array.from({ length: 200_000 }, (_, i) => tool(`sg_t${(i * 7919) % 200_000}`))
    const tools = mergeTools({ builtIn, cached, private: [], prefix: 'sg' })
    expect(tools).toHaveLength(200_001)
  })
})

describe('pageOf', () => {
  const list = (count: number) =>
    Array.from({ length: count }, (_, i) => tool(`sg_${String(i).padStart(5, '0')}`))

  test('gives the whole list and no cursor when it fits', () => {
    expect(pickPage(list(3), undefined, 3)).toEqual({ tools: list(3), nextCursor: undefined })
    expect(pickPage([], undefined, 3)).toEqual({ tools: [], nextCursor: undefined })
  })

  test('has pages of 500 by default', () => {
    expect(pickPage(list(500), undefined)?.nextCursor).toBeUndefined()
    const page = pickPage(list(501), undefined)
    expect(page?.tools).toHaveLength(500)
    expect(names(pickPage(list(501), page?.nextCursor)?.tools ?? [])).toEqual(['sg_00500'])
  })

  // Holds: LIST-9
  test('gives every tool exactly once over all pages', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (count, size) => {
          const tools = list(count)
          const listed: Tool[] = []
          let cursor: string | undefined
          let pages = 0
          do {
            const page = pickPage(tools, cursor, size)
            listed.push(...(page?.tools ?? []))
            cursor = page?.nextCursor
            pages += 1
          } while (cursor !== undefined && pages <= count)
          expect(names(listed)).toEqual(names(tools))
        },
      ),
    )
  })

  test('continues after the last name when the list changed in between', () => {
    const before = list(6)
    const cursor = pickPage(before, undefined, 3)?.nextCursor
    const after = [tool('sg_00000x'), ...before.filter((entry) => entry.name !== 'sg_00002')]
    expect(names(pickPage(after, cursor, 3)?.tools ?? [])).toEqual([
      'sg_00003',
      'sg_00004',
      'sg_00005',
    ])
  })

  test('has a cursor that is safe in a URL and does not show', () => {
    expect(pickPage(list(2), undefined, 1)?.nextCursor).toBe('MTpzZ18wMDAwMA')
  })

  test.each([
    [''],
    ['x'],
    ['!!!!'],
    ['MTpzZ18wMDAwM'],
    ['Mjp4'],
    ['MTo'],
    ['a'.repeat(257)],
    ['MTpz\u0000'],
  ])('refuses the cursor %j, which it never issued', (cursor) => {
    expect(pickPage(list(3), cursor, 1)).toBeUndefined()
  })
})

test('a skill becomes a tool under the name it is given', () => {
  const read = readSkill(
    {
      id: 'sg_x',
      source: 'private',
      meta: { name: 'X', description: 'does x', parameters: { type: 'object' } },
      config: { endpoint: 'https://a.example/' },
      credits_per_call: 2.5,
    },
    { prefix: 'sg' },
  )
  expect(read.ok && toTool(read.value.skill, 'demo_sg_x')).toEqual({
    name: 'demo_sg_x',
    title: 'X',
    description: 'does x',
    inputSchema: { type: 'object' },
    skillId: 'sg_x',
    priceMicroCredits: 2500000,
    annotations: {
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: true,
    },
    timeoutMs: 14250,
  })
})

test('a name means the private skill, else the official one, else that of the market', () => {
  const record = (source: SkillRecord['source']): SkillRecord => ({
    skillId: 'sg_x',
    source,
    uid: undefined,
    toolName: 'sg_x',
    definition: {},
    createdAtMs: 0,
    updatedAtMs: 0,
    version: 1,
    by: 'admin',
    origin: 'sync',
  })
  const [own, official, market] = [record('private'), record('official'), record('market')]
  expect(resolve({ private: own, official, market })).toBe(own)
  expect(resolve({ private: undefined, official, market })).toBe(official)
  expect(resolve({ private: undefined, official: undefined, market })).toBe(market)
  expect(resolve({ private: undefined, official: undefined, market: undefined })).toBeUndefined()
})
