/** The price table that stands in a guide. */
import { expect, test } from 'vitest'
import { PRICE_ROWS_MAX, writePrices } from '../../../../core/flow/resources/price-table.ts'
import type { Tool } from '../../../../core/skills/skill.ts'

function toolOf(
  name: string,
  { priceMicroCredits = 500_000, title }: { priceMicroCredits?: number; title?: string } = {},
): Tool {
  const tool = { name, description: 'Says.', inputSchema: { type: 'object' }, priceMicroCredits }
  return { ...tool, title, skillId: undefined }
}

const LINE = '<!-- skillgate:prices -->'

test('a table has the tools that its globs match, in the order of the list', () => {
  const tools = [
    toolOf('sg_a'),
    toolOf('sg_b', { title: 'B' }),
    toolOf('x', { priceMicroCredits: 0 }),
  ]
  expect(writePrices('1\n<!-- skillgate:prices sg_b x* -->\r\n2', tools)).toBe(
    '1\n| Tool | Title | Credits per call |\n|---|---|---|\n| `sg_b` | B | 0.5 |\n| `x` |  | free |\r\n2',
  )
})

test('a title does not end its cell or its row', () => {
  const title = 'a|b\nc`d\\<!-- x'
  expect(writePrices(LINE, [toolOf('sg_a', { title })])).toContain(
    '| `sg_a` | a b c d !-- x | 0.5 |',
  )
})

test('a table without tools says so', () => {
  expect(writePrices(LINE, [])).toBe('None of these tools is listed for you.')
})

test(`a table has ${PRICE_ROWS_MAX} rows at most, and says how many tools are left out`, () => {
  const tools = Array.from({ length: 201 }, (_, n) => toolOf(`sg_${n}`))
  expect(writePrices(LINE, tools.slice(0, 200))).not.toContain('more tools')
  expect(writePrices(LINE, tools)).toMatch(/\| `sg_199` \|.*\n\n1 more tools are in the list/)
})

test('only a line of its own is replaced', () => {
  for (const text of [
    ` ${LINE}`,
    `${LINE} x`,
    '<!-- skillgate:price -->',
    '<!-- skillgate:prices $ -->',
  ]) {
    expect(writePrices(text, [toolOf('sg_a')])).toBe(text)
  }
})
