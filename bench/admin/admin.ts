/**
 * `npm run bench:admin`: pages and searches among a million users, and a batch of 10,000 grants, on the
 * store of `npm start`; then what the same batch costs at DynamoDB, counted by its emulator for a few
 * grants: each costs the same. Prints Markdown for docs/performance.md; exits 1 when a goal is missed.
 * Three minutes; BENCH_USERS=10000 for a quick look. `-- --short` only tries whether it works.
 */
import '../../scripts/help.ts'
import { loadavg } from 'node:os'
import { grantMany } from '../../core/flow/people/grant-many.ts'
import { ms, percentile, printMachine, printTable } from '../lib/figures.ts'
import { inShort, judge } from '../lib/short.ts'
import { embeddedWorld, fileWorld } from '../registry/world.ts'
import { linesOfGrants, makeUsers, searches } from './users.ts'

const USERS = Number(process.env['BENCH_USERS'] ?? inShort(1_000_000, 2_000))
const RUNS = inShort(200, 4)
const P50_MS_MAX = 10
const GRANTS = inShort(10_000, 200)
/** Grants whose units are counted. */
const COUNTED = 100

printMachine('npm run bench:admin')
const isFast = await measureEmbedded()
await countUnits()
const loads = loadavg().map((one) => one.toFixed(1))
console.log(`Load of the machine (1, 5, 15 min): ${loads.join(', ')}`)
judge(isFast)

/** True when every kind of search meets the goal. */
async function measureEmbedded(): Promise<boolean> {
  const world = fileWorld()
  try {
    await makeUsers(world.ports, USERS)
    const rows: (readonly string[])[] = []
    let isMet = true
    for (const { name, run } of searches(world.ports, USERS)) {
      const times = await timesOf(run)
      const p50 = percentile(times, 50)
      isMet &&= p50 <= P50_MS_MAX
      rows.push([name, p50.toFixed(2), percentile(times, 99).toFixed(2)])
    }
    printTable([`npm start, ${USERS} users`, 'p50 ms', 'p99 ms'], rows)
    const fromMs = performance.now()
    const granted = await grantMany(world.ports, undefined, linesOfGrants(GRANTS))
    if (!granted.ok || granted.value.results.length !== GRANTS) throw new Error('a line is missing')
    const seconds = (performance.now() - fromMs) / 1_000
    printTable(['credits:batch', 'seconds'], [[`${GRANTS} grants`, ms(seconds)]])
    return isMet
  } finally {
    await world.stop()
  }
}

async function timesOf(run: (nth: number) => Promise<void>): Promise<readonly number[]> {
  const times: number[] = []
  for (let nth = 0; nth < RUNS; nth += 1) {
    const fromMs = performance.now()
    await run(nth)
    times.push(performance.now() - fromMs)
  }
  return times
}

async function countUnits(): Promise<void> {
  const world = await embeddedWorld()
  try {
    await makeUsers(world.ports, COUNTED)
    const spent = await world.requestsOf(() =>
      grantMany(world.ports, undefined, linesOfGrants(COUNTED)),
    )
    if (spent === undefined) throw new Error('this store counts nothing')
    const page = await world.requestsOf(() =>
      world.ports.userDirectory.page({ prefix: '', limit: COUNTED }),
    )
    printTable(
      ['DynamoDB, its emulator', 'WRU', 'RRU'],
      [
        [`${COUNTED} grants, counted`, spent.wru, spent.rru],
        [`${GRANTS} grants`, (spent.wru * GRANTS) / COUNTED, (spent.rru * GRANTS) / COUNTED],
        [`a page of ${COUNTED} users`, page?.wru ?? 0, page?.rru ?? 0],
      ],
    )
  } finally {
    await world.stop()
  }
}
