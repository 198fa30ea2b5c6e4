/**
 * `npm run bench:cold`: measures the cost of a cold start per function: bytes, and the time to
 * import its bundle in a fresh process as a ratio to importing `@aws-sdk/client-dynamodb` alone
 * (import-time.ts). Exits with 1 if an import takes longer than bench/budget.json allows. If AWS's
 * runtime client is built, also measures init and first byte under it. Needs `npm run bundle`.
 * `-- --short` only checks that the bench works.
 */
import '../lib/help.ts'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { builtRicEntry, ricCacheDir } from '../../test/lambda/paths.ts'
import {
  computeMedian,
  computePercentile,
  formatMs,
  printMachine,
  printTable,
} from '../lib/figures.ts'
import { chooseByLength, failIfMissed } from '../lib/short.ts'
import { readBudgets, readBundledDoors } from './budget.ts'
import {
  BASELINE,
  bundleBaseline,
  computeRatio,
  findImportExcess,
  importRound,
} from './import-time.ts'
import { measureInit } from './init.ts'

const REPO = join(import.meta.dirname, '../..')
const RUNS = chooseByLength(21, 1)

const folder = mkdtempSync(join(tmpdir(), 'skillgate-cold-'))
try {
  const doors = readBundledDoors()
  if (doors.length === 0) throw new Error('nothing is bundled; run npm run bundle')
  const files = new Map([[BASELINE, await bundleBaseline(folder)]])
  for (const { door } of doors) files.set(door, join(REPO, 'dist', door, 'index.mjs'))
  // The first round warms the machine's file cache and is not counted.
  const rounds = Array.from({ length: RUNS + 1 }, () => importRound(files)).slice(1)
  const budgets = readBudgets()
  const faults = findImportExcess(budgets, rounds)
  failIfMissed(faults.length === 0)
  printMachine('npm run bench:cold')
  const rows = [...files.keys()].map((name) => {
    const times = rounds.map((round) => round.get(name) ?? Number.NaN)
    const size = doors.find(({ door }) => door === name)
    const goal = budgets[name]?.importRatioMax
    const missed = faults.some((fault) => fault.startsWith(`${name}:`)) ? ' MISSED' : ''
    return [
      name,
      size?.bytes ?? '',
      size?.indexBytes ?? '',
      size?.zipBytes ?? '',
      formatMs(computeMedian(times)),
      formatMs(computePercentile(times, 90)),
      computeRatio(name, rounds).toFixed(2),
      goal === undefined ? '' : `≤ ${goal}${missed}`,
    ]
  })
  printTable(
    ['bundle', 'bytes', 'at the start', 'zipped', 'import p50 ms', 'p90', 'ratio', 'goal'],
    rows,
  )
} finally {
  rmSync(folder, { recursive: true })
}

if (builtRicEntry(ricCacheDir) === undefined || !existsSync(ricCacheDir)) {
  console.log(
    'Init under AWS’s runtime client: not measured, it is not built (npm run test:lambda builds it).',
  )
} else {
  await measureInit()
}
