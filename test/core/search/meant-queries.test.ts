/**
 * What people mean: their queries over more than 200 tools of public APIs and of imported documents,
 * each with the tool that must be among the first three.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { indexTools, type SearchIndex } from '../../../core/search/index-tools.ts'
import { searchTools } from '../../../core/search/search-tools.ts'
import type { Tool } from '../../../core/skills/skill.ts'
import { planDocument, toolsOf } from '../../openapi/plan-document.ts'
import { MEANT, MEANT_AFRESH, MEANT_LATER, PUBLIC_TOOLS } from './public-tools.ts'

const EXAMPLES = join(import.meta.dirname, '../../../node_modules/@readme/oas-examples')
const DOCUMENTS = [
  '3.0/json/star-trek',
  '3.1/json/readme',
  '3.0/json/petstore',
  '3.1/json/train-travel',
]

let index: SearchIndex

function toTool([name, description]: readonly [string, string]): Tool {
  return {
    name,
    title: undefined,
    description,
    inputSchema: { type: 'object' },
    skillId: name,
    priceMicroCredits: 0,
  }
}

beforeAll(async () => {
  const imported: Tool[] = []
  for (const document of DOCUMENTS) {
    const planned = await planDocument(readFileSync(join(EXAMPLES, `${document}.json`), 'utf8'))
    if (planned.kind === 'refused') throw new Error(planned.detail)
    const name = document.replaceAll(/\W/g, '')
    for (const tool of toolsOf(planned.plan)) {
      const { description = '', title } = tool
      imported.push({ ...toTool([`${tool.name}_${name}`, description]), title })
    }
  }
  const tools = [...imported, ...PUBLIC_TOOLS.map(toTool)]
  expect(tools.length).toBeGreaterThanOrEqual(200)
  index = indexTools(tools)
})

test.each(MEANT)(
  'the query %j finds %s among the first three of more than 200 tools',
  (query, name) => {
    expect(searchTools([{ index }], query, 3).map((tool) => tool.name)).toContain(name)
  },
)

/**
 * A table of words never knows everything, so these are shares: what was found when the queries were
 * first tried. A change of the search that finds less is a loss.
 */
test.each([
  ['another day', MEANT_LATER, 12],
  ['a third day', MEANT_AFRESH, 13],
] as const)(
  'the 20 queries of %s, for which no synonym was written, find as many tools as at first',
  (_, queries, found) => {
    const missed = queries.filter(
      ([query, name]) => !searchTools([{ index }], query, 3).some((tool) => tool.name === name),
    )
    expect(queries).toHaveLength(20)
    expect(
      20 - missed.length,
      `missed: ${missed.map(([query]) => query).join(', ')}`,
    ).toBeGreaterThanOrEqual(found)
  },
)
