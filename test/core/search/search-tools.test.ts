import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { indexTools } from '../../../core/search/index-tools.ts'
import { listTopics, TOPICS_MAX } from '../../../core/search/list-topics.ts'
import { QUERY_WORDS_MAX, searchTools } from '../../../core/search/search-tools.ts'
import { splitWords } from '../../../core/search/search-words.ts'
import type { Tool } from '../../../core/skills/skill.ts'

function tool(name: string, description = 'Does it.', more: Partial<Tool> = {}): Tool {
  return {
    name,
    title: undefined,
    description,
    inputSchema: { type: 'object' },
    skillId: name,
    priceMicroCredits: 0,
    ...more,
  }
}

function found(tools: readonly Tool[], query: string, limit = 10, hides?: ReadonlySet<string>) {
  return searchTools([{ index: indexTools(tools), hides }], query, limit).map(({ name }) => name)
}

const TOOLS = [
  tool('sg_weather', 'Tells the weather of a city.', { tags: ['forecast'] }),
  tool('sg_fx', 'Converts an amount of money between currencies.', { title: 'Currency converter' }),
  tool('sg_news', 'Lists headlines of a city. Never mind the weather: it is about politics.'),
  tool('sg_getStockPrice', 'The price of a share.'),
  tool('sg_café', 'Finds a coffee house.'),
  tool('sg_tianqi', '查询天气预报'),
]

describe('words', () => {
  test.each([
    ['getWeather2', ['get', 'weather', '2']],
    ['get_weather-2', ['get', 'weather', '2']],
    ['  Café, CAFÉ! ', ['cafe', 'cafe']],
    ['ﬁnd', ['find']],
    ['查询天气', ['查询天气']],
    ['…—!', []],
    ['', []],
  ])('of %j are found', (text, words) => {
    expect(splitWords(text)).toEqual(words)
  })

  test('are cut at 40 units', () => {
    expect(splitWords('x'.repeat(50))).toEqual(['x'.repeat(40)])
  })
})

describe('a search', () => {
  test('puts a word of the name before the same word in a description', () => {
    expect(found(TOOLS, 'weather')).toEqual(['sg_weather', 'sg_news'])
  })

  test('finds by title, tag and description', () => {
    expect(found(TOOLS, 'converter')).toEqual(['sg_fx'])
    expect(found(TOOLS, 'forecast')).toEqual(['sg_weather', 'sg_news'])
    expect(found(TOOLS, 'politics')).toEqual(['sg_news'])
  })

  test('puts tools with more of the words first', () => {
    expect(found(TOOLS, 'city headlines')).toEqual(['sg_news', 'sg_weather'])
  })

  test('finds words with the same beginning, after exact ones', () => {
    expect(found(TOOLS, 'curr')).toEqual(['sg_fx'])
    const both = [tool('sg_b', 'carpet'), tool('sg_a', 'car')]
    expect(found(both, 'car')).toEqual(['sg_a', 'sg_b'])
  })

  test('finds parts of words if no word begins with the text', () => {
    expect(found(TOOLS, 'line')).toEqual(['sg_news'])
    expect(found(TOOLS, 'ine')).toEqual(['sg_news'])
    expect(found(TOOLS, 'in')).toEqual([])
  })

  test('finds signs of a script without spaces', () => {
    expect(found(TOOLS, '天气')).toEqual(['sg_tianqi'])
    expect(found(TOOLS, '气')).toEqual(['sg_tianqi'])
  })

  test('ignores case, accents and word separators', () => {
    expect(found(TOOLS, 'CAFE')).toEqual(['sg_café'])
    expect(found(TOOLS, 'stock-price')).toEqual(['sg_getStockPrice'])
  })

  test('puts the exact name first', () => {
    const tools = [tool('sg_a', 'sg_b '.repeat(20)), tool('sg_b', 'x')]
    expect(found(tools, ' SG_B ')[0]).toBe('sg_b')
  })

  test('prefers a rare word to one that all tools have', () => {
    const tools = [
      tool('sg_1', 'tool that converts'),
      tool('sg_2', 'tool tool tool'),
      tool('sg_3', 'tool tool'),
    ]
    expect(found(tools, 'tool converts')[0]).toBe('sg_1')
  })

  test('orders equal matches by name', () => {
    expect(found([tool('sg_c', 'x'), tool('sg_a', 'x'), tool('sg_b', 'x')], 'x')).toEqual([
      'sg_a',
      'sg_b',
      'sg_c',
    ])
  })

  test('returns the best matches, up to the limit', () => {
    expect(found(TOOLS, 'weather city', 1)).toEqual(['sg_weather'])
  })

  test('finds nothing in an empty list or for an empty query', () => {
    expect(found([], 'weather')).toEqual([])
    expect(found(TOOLS, '!!!')).toEqual([])
    expect(found(TOOLS, 'zzz')).toEqual([])
  })

  test('uses 16 words of a query', () => {
    expect(QUERY_WORDS_MAX).toBe(16)
    const noise = Array.from({ length: 15 }, (_, index) => `q${'x'.repeat(index + 1)}`).join(' ')
    expect(found(TOOLS, `${noise} weather`)).toContain('sg_weather')
    expect(found(TOOLS, `${noise} qy weather`)).not.toContain('sg_weather')
  })

  test('leaves out hidden tools', () => {
    expect(found(TOOLS, 'weather', 10, new Set(['sg_weather']))).toEqual(['sg_news'])
  })

  test('ranks two lists as if they were one', () => {
    const one = searchTools([{ index: indexTools(TOOLS) }], 'city weather price', 10)
    const parts = [TOOLS.slice(0, 2), TOOLS.slice(2)].map((part) => ({ index: indexTools(part) }))
    expect(searchTools(parts, 'city weather price', 10)).toEqual(one)
  })

  test('gives each tool once, and only tools with a word that the question can mean', () => {
    // Few letters, so that words are often nearly the same.
    const near = fc.stringMatching(/^[Aaelps]{1,7}( [aelps]{4,7})?$/)
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), near)
    fc.assert(
      fc.property(fc.array(text, { maxLength: 12 }), text, fc.nat(12), (texts, query, limit) => {
        const tools = texts.map((one, index) => tool(`sg_${index}`, one))
        const names = found(tools, query, limit + 1)
        expect(names.length).toBeLessThanOrEqual(limit + 1)
        expect(new Set(names).size).toBe(names.length)
        for (const name of names) {
          const own = splitWords(`${name} ${texts[Number(name.slice(3))] ?? ''}`)
          expect(splitWords(query).some((asked) => own.some((word) => canMean(asked, word)))).toBe(
            true,
          )
        }
      }),
      // A letter too many: a typing mistake that the rule allows in a word of five letters.
      { examples: [[['Aply'], 'AAply', 0]] },
    )
  })

  test('allows one slip in a word of five letters, and none in one of four', () => {
    const tools = [tool('sg_a', 'aply')]
    expect(found(tools, 'aaply')).toEqual(['sg_a'])
    expect(found(tools, 'aplz')).toEqual([])
    expect(found(tools, 'aaplz')).toEqual([])
  })
})

/** The rule of docs/design/skills.md#search, "Words that are alike", without its order. */
function canMean(asked: string, word: string): boolean {
  const beginning = beginningOf(asked, word)
  const endings = asked.length + word.length - 2 * beginning
  return (
    word.includes(asked) ||
    (beginning >= 4 && endings <= 4) ||
    asked.replace(/ies$/, 'y') === word.replace(/ies$/, 'y') ||
    (asked.length >= 5 && slipsBetween(asked, word) === 1)
  )
}

function beginningOf(a: string, b: string): number {
  let same = 0
  while (same < a.length && a[same] === b[same]) same += 1
  return same
}

/** Letters more, less, changed, or swapped with the next one: the optimal string alignment distance. */
function slipsBetween(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, row) => [row])
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let column = 1; column <= b.length; column += 1) rows[0]?.push(column)
  for (let row = 1; row <= a.length; row += 1) {
    for (let column = 1; column <= b.length; column += 1) {
      const change = a[row - 1] === b[column - 1] ? 0 : 1
      const isSwap = a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]
      rows[row]?.push(
        Math.min(
          at(row - 1, column) + 1,
          at(row, column - 1) + 1,
          at(row - 1, column - 1) + change,
          isSwap ? at(row - 2, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      )
    }
  }
  return at(a.length, b.length)
}

describe('the topics of lists', () => {
  test('are the words of names, titles and tags, those of most tools first, without verbs and the prefix', () => {
    const tools = [
      tool('sg_weather_forecast', 'Tells it.', { tags: ['climate'] }),
      tool('sg_weather_history', 'Shows rain.', { tags: ['climate'] }),
      tool('sg_create_invoice'),
      tool('sg_list_users'),
      tool('sg_delete_user'),
    ]
    expect(listTopics([{ index: indexTools(tools) }])).toEqual({
      tools: 5,
      topics: ['climate', 'weather', 'forecast', 'history', 'invoice', 'user', 'users'],
    })
  })

  test('leave out tools that the caller does not see, and number 12 at most', () => {
    const tools = Array.from({ length: 13 }, (_, n) =>
      tool(`sg_topic${String.fromCharCode(97 + n)}`),
    )
    const index = indexTools(tools)
    expect(listTopics([{ index }]).topics).toHaveLength(TOPICS_MAX)
    expect(TOPICS_MAX).toBe(12)
    const unseen = Uint8Array.from(tools, (_, place) => (place < 12 ? 1 : 0))
    expect(listTopics([{ index, unseen }])).toEqual({ tools: 1, topics: ['topicm'] })
    expect(listTopics([{ index, hides: new Set(tools.map(({ name }) => name)) }])).toEqual({
      tools: 0,
      topics: [],
    })
  })
})
