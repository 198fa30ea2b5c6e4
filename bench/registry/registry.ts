/**
 * `npm run bench:registry`: what a registry of 10,000 skills costs beside one of 100, in the same
 * run: a page of tools/list, its memory, a search, a rebuild, a sync, the resolution of a call. On
 * the default store and on the embedded DynamoDB. Prints Markdown for docs/performance.md; exits 1
 * when the default store misses a goal: the other store adds its requests.
 * Half a minute. `-- --short` only tries whether it works.
 */
import '../../scripts/help.ts'
import { loadavg } from 'node:os'
import { printMachine, printTable } from '../lib/figures.ts'
import { inShort, judge } from '../lib/short.ts'
import { measureRegistry, type RegistryFigures } from './case.ts'
import { embeddedWorld, fileWorld, type RegistryWorld } from './world.ts'

const SIZES = [100, inShort(10_000, 600)] as const
const PAGE_P50_MS_MAX = 1.5
const SEARCH_P50_MS_MAX = 1
const REBUILD_SEC_MAX = 0.4

printMachine('npm run bench:registry')
let hasMet = true
for (const [name, make] of [
  ['npm start', async () => fileWorld()],
  ['DynamoDB, its emulator', embeddedWorld],
] as const) {
  const figures: RegistryFigures[] = []
  for (const size of SIZES) figures.push(await measured(make, size))
  const isMet = print(name, figures)
  if (name === 'npm start') hasMet = isMet
}
console.log(
  `Load of the machine (1, 5, 15 min): ${loadavg()
    .map((one) => one.toFixed(1))
    .join(', ')}`,
)
judge(hasMet)

async function measured(make: () => Promise<RegistryWorld>, size: number) {
  const world = await make()
  try {
    return await measureRegistry(world, size)
  } finally {
    await world.stop()
  }
}

/** True when the goals are met. */
function print(store: string, figures: readonly RegistryFigures[]): boolean {
  const [small, large] = figures
  if (small === undefined || large === undefined) throw new Error('two sizes are compared')
  const rows = Object.keys(large.rows).map((row) => {
    const [of, beside] = [large.rows[row], small.rows[row]]
    const ratio = of === undefined || !beside ? '' : (of / beside).toFixed(1)
    return [row, shown(beside), shown(of), ratio]
  })
  printTable([store, ...SIZES.map((size) => `${size} skills`), 'ratio'], rows)
  return (
    large.pageP50Ms <= PAGE_P50_MS_MAX &&
    large.searchP50Ms <= SEARCH_P50_MS_MAX &&
    large.rebuildSec <= REBUILD_SEC_MAX
  )
}

function shown(value: number | undefined): string {
  if (value === undefined) return ''
  return value >= 100 ? String(Math.round(value)) : value.toFixed(2)
}
