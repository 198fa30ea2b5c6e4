/**
 * `npm run bench:tokens`: counts the tokens of a model that the list of all tools and the short
 * list take, with 20, 200 and 2,000 skills on `npm start`. A host is taken to show its model the
 * name, the description and the input schema of each tool, as JSON. The tokenizer is o200k_base,
 * that of GPT-4o and GPT-5; others count some percent more or less. Prints Markdown for
 * docs/clients.md. Measures no time. Takes two minutes. `-- --short` counts with 20 skills only.
 */
import '../lib/help.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { printTable } from '../lib/figures.ts'
import { chooseByLength } from '../lib/short.ts'
import { sendToAdmin, startBenchTwin } from '../lib/start-twin.ts'
import { toListedDefinition } from './skills.ts'

const SIZES: readonly number[] = chooseByLength([20, 200, 2_000], [20])
const REVISION = '2025-11-25'

type Tool = { readonly name: string; readonly description: string; readonly inputSchema: object }
type ToolsPage = { readonly tools: readonly Tool[]; readonly nextCursor?: string }
type Answer = { readonly content: readonly { readonly text: string }[] }

const data = mkdtempSync(join(tmpdir(), 'skillgate-tokens-'))
const { keys, process: twin } = await startBenchTwin(['--data', data])
const rows: (readonly string[])[] = []
try {
  let stored = 0
  for (const size of SIZES) {
    for (; stored < size; stored += 1)
      await sendToAdmin(twin, 'POST', 'sync_skill', toListedDefinition(stored))
    rows.push([size, ...(await countLists())].map((figure) => figure.toLocaleString('en-US')))
  }
} finally {
  await twin.stop()
  rmSync(data, { recursive: true, force: true })
}
printTable(
  ['skills', 'all tools', 'the short list', 'a search for 10 tools', 'a search for 3'],
  rows,
)

async function countLists(): Promise<readonly number[]> {
  await chooseList('all')
  const all = countTools(await listTools())
  await chooseList('search')
  return [all, countTools(await listTools()), await countSearch(10), await countSearch(3)]
}

async function chooseList(list: 'all' | 'search'): Promise<void> {
  await sendToAdmin(twin, 'PATCH', 'users/bench0', { list })
}

async function askTwin<T>(method: string, params: object): Promise<T> {
  const response = await fetch(twin.ready['mcp'] ?? '', {
    method: 'POST',
    headers: {
      authorization: `Bearer ${keys[0]}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': REVISION,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result }: { result?: T } = JSON.parse(await response.text())
  if (result === undefined) throw new Error(`${method}: ${response.status}`)
  return result
}

async function listTools(): Promise<readonly Tool[]> {
  const tools: Tool[] = []
  let cursor: string | undefined
  do {
    const page: ToolsPage = await askTwin('tools/list', cursor === undefined ? {} : { cursor })
    tools.push(...page.tools)
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return tools
}

function countTools(tools: readonly Tool[]): number {
  const shown = tools.map(({ description, inputSchema, name }) => ({
    name,
    description,
    inputSchema,
  }))
  return countTokens(JSON.stringify(shown))
}

/** Counts the text that the model reads. Each skill matches one of these words. */
async function countSearch(limit: number): Promise<number> {
  const call = { name: 'sg_search_skills', arguments: { query: 'list weather', limit } }
  const { content }: Answer = await askTwin('tools/call', call)
  const text = content[0]?.text ?? ''
  const { count }: { count: number } = JSON.parse(text)
  if (count !== limit) throw new Error(`the search found ${count} tools, not ${limit}`)
  return countTokens(text)
}
