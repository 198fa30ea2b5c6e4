import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { makeSharedLayer, VIEWS_MAX } from '../../../../core/flow/tools/shared-layer.ts'
import { FIRST_PAGES_MAX, makeToolListCache } from '../../../../core/flow/tools/tool-list-cache.ts'
import { indexTools } from '../../../../core/search/index-tools.ts'
import { searchTools } from '../../../../core/search/search-tools.ts'
import type { Tool } from '../../../../core/skills/skill.ts'

function tool(name: string, groups?: readonly string[], description = 'Does it.'): Tool {
  const more = groups === undefined ? {} : { groups }
  const rest = { title: undefined, inputSchema: {}, skillId: name, priceMicroCredits: 0 }
  return { name, description, ...rest, ...more }
}

describe('a view of the shared list', () => {
  test('a view is the list itself where no tool has groups, and where the caller sees all of them', () => {
    const plain = [tool('sg_a'), tool('sg_b')]
    expect(makeSharedLayer(plain).viewOf(['ops']).tools).toBe(plain)
    const grouped = [tool('sg_a', ['ops']), tool('sg_b', ['hr', 'ops'])]
    expect(makeSharedLayer(grouped).viewOf(['ops']).tools).toBe(grouped)
    expect(makeSharedLayer(grouped).viewOf([]).tools).toEqual([])
  })

  test('a view is made once for callers whose groups differ in nothing that this list names', () => {
    const layer = makeSharedLayer([tool('sg_a', ['ops']), tool('sg_b', ['hr'])])
    const view = layer.viewOf(['x', 'ops'])
    expect(layer.viewOf(['ops', 'y', 'z'])).toBe(view)
    expect(layer.viewOf(['hr'])).not.toBe(view)
  })

  test('a view is made again past 64 of them, and is the same', () => {
    expect(VIEWS_MAX).toBe(64)
    const many = Array.from({ length: 66 }, (_, n) => `g${n}`)
    const layer = makeSharedLayer(many.map((group) => tool(`sg_${group}`, [group])))
    const first = layer.viewOf(['g0'])
    for (const group of many.slice(1, 64)) layer.viewOf([group])
    expect(layer.viewOf(['g0'])).toBe(first)
    layer.viewOf(['g64'])
    expect(layer.viewOf(['g0'])).not.toBe(first)
    expect(layer.viewOf(['g0']).tools).toEqual(first.tools)
  })

  test('a view of 10,000 tools costs a caller whose view is known no pass over them', () => {
    let looks = 0
    const tools = Array.from({ length: 10_000 }, (_, n) => {
      const groups = n % 2 ? ['ops'] : []
      return Object.defineProperty(tool(`sg_${n}`), 'groups', {
        enumerable: true,
        get: () => {
          looks += 1
          return groups
        },
      })
    })
    const layer = makeSharedLayer(tools)
    layer.viewOf([])
    expect(looks).toBeGreaterThanOrEqual(10_000)
    looks = 0
    for (let n = 0; n < 100; n += 1) layer.viewOf([])
    expect(looks).toBe(0)
  })
})

test('a search of a view ranks like a search of a list of its tools alone', () => {
  const word = fc.constantFrom('mail', 'mails', 'rain', 'invoice', 'invioce', 'fx', 'weather')
  const some = fc.record({
    words: fc.array(word, { minLength: 1, maxLength: 4 }),
    isOps: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(some, { minLength: 1, maxLength: 12 }), word, word, (drawn, a, b) => {
      const tools = drawn.map(({ isOps, words }, n) =>
        tool(`sg_${n}`, isOps ? ['ops'] : undefined, words.join(' ')),
      )
      const { search, tools: visible } = makeSharedLayer(tools).viewOf([])
      const alone = searchTools([{ index: indexTools(visible) }], `${a} ${b}`, 50)
      expect(searchTools([search()], `${a} ${b}`, 50)).toEqual(alone)
    }),
    { numRuns: 300 },
  )
})

test('first pages are kept by view and revision, 16 of them, and no page of a merged list', () => {
  expect(FIRST_PAGES_MAX).toBe(16)
  const cache = makeToolListCache()
  const layer = cache.keepShared(1, [tool('sg_a', ['ops']), tool('sg_b')])
  const [whole, open] = [layer.viewOf(['ops']).tools, layer.viewOf([]).tools]
  cache.keepFirstPage(whole, 'a', 'whole')
  cache.keepFirstPage(open, 'a', 'open')
  cache.keepFirstPage([...whole], 'a', 'merged')
  expect([cache.firstPage(whole, 'a'), cache.firstPage(open, 'a')]).toEqual(['whole', 'open'])
  expect([cache.firstPage([...whole], 'a'), cache.firstPage(whole, 'b')]).toEqual([
    undefined,
    undefined,
  ])
  for (let n = 0; n < 15; n += 1) cache.keepFirstPage(open, `shape ${n}`, 'x')
  expect([cache.firstPage(whole, 'a'), cache.firstPage(open, 'a')]).toEqual([undefined, 'open'])
  cache.keepShared(2, [tool('sg_b')])
  expect(cache.firstPage(open, 'a')).toBeUndefined()
})
