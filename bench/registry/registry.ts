/**
 * `npm run bench:registry`: measures the cost of a registry of 10,000 skills on `npm start` beside
 * one of 100, in the same run: a page of tools/list, a search, a rebuild, and their memory; and of
 * 2,000 tools of MCP servers beside as many other skills. Prints
 * Markdown for docs/performance.md; exits with 1 if a goal is missed. Takes half a minute. `--
 * --short` only checks that the bench works.
 */
import '../lib/help.ts'
import { printLoad, printMachine, printTable } from '../lib/figures.ts'
import { chooseByLength, failIfMissed } from '../lib/short.ts'
import { measureRegistry, type RegistryFigures } from './case.ts'

const SIZES = [100, chooseByLength(10_000, 600)] as const

type Row = { readonly name: string; readonly max?: number }
const TOOLS = chooseByLength(2_000, 600)
/** A page of tools of MCP servers beside one of other skills. */
const TOOL_PAGE_RATIO_MAX = 1.2

const ROWS: { readonly [figure in keyof RegistryFigures]: Row } = {
  pageMs: { name: 'tools/list: ms a page of 500, p50', max: 1.5 },
  coldListMs: { name: 'the first list of an environment: ms' },
  listMb: { name: 'memory of the list: MB' },
  searchMs: { name: 'search: ms, p50', max: 1 },
  coldSearchMs: { name: 'the first search, which makes the index: ms' },
  indexMb: { name: 'memory of the index: MB' },
  rebuildMs: { name: 'rebuild: ms', max: 400 },
}

printMachine('npm run bench:registry')
const small = await measureRegistry(SIZES[0])
const large = await measureRegistry(SIZES[1])
const others = await measureRegistry(TOOLS)
const tools = await measureRegistry(TOOLS, 'mcp')
printTable(
  [
    'npm start',
    ...SIZES.map((size) => `${size} skills`),
    'goal',
    `${TOOLS} skills`,
    `${TOOLS} tools of MCP servers`,
  ],
  Object.entries(ROWS).map(([key, { max, name }]) => {
    const figure = key as keyof RegistryFigures
    const goal = max === undefined ? '' : `≤ ${max}${large[figure] > max ? ' MISSED' : ''}`
    const [first, ...rest] = [small, large, others, tools].map((one) => one[figure].toFixed(2))
    return [name, first ?? '', ...rest.slice(0, 1), goal, ...rest.slice(1)]
  }),
)
const pageRatio = tools.pageMs / others.pageMs
const isListed = pageRatio <= TOOL_PAGE_RATIO_MAX
console.log(
  `A page of tools of MCP servers ≤ ${TOOL_PAGE_RATIO_MAX} × one of other skills: ${isListed ? 'met' : 'MISSED'} (${pageRatio.toFixed(2)})\n`,
)
printLoad()
failIfMissed(
  isListed &&
    Object.entries(ROWS).every(
      ([key, { max = Infinity }]) => large[key as keyof RegistryFigures] <= max,
    ),
)
