/**
 * `npm run budget`: compares each bundled door with bench/budget.json: its bytes, the bytes of its
 * zip, and for the doors that agents wait for the bytes that a start loads. Fails if a door exceeds
 * its budget, and for a door or a budget without the other. Raise a number there only with a reason
 * in the commit. Import times differ by a tenth between machines, so cold.ts judges those. Run
 * scripts/bundle.ts first.
 */
import '../lib/help.ts'
import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import type { Metafile } from 'esbuild'
import { listStartFiles } from '../../lib/bundle/join-start.ts'
import { countZipBytes } from './zip-bytes.ts'

const REPO = join(import.meta.dirname, '../..')

export type DoorBytes = {
  readonly door: string
  readonly bytes: number
  readonly zipBytes: number
  /** Bytes of index.mjs and the files that it imports at once, which every start loads. */
  readonly indexBytes: number
}

export type DoorBudget = {
  readonly bytes: number
  readonly zipBytes: number
  /** Doors that agents wait for have this limit. */
  readonly indexBytes?: number
  /**
   * As a multiple of the import of the DynamoDB client alone, held by `npm run bench:cold`; doors
   * that agents wait for have this limit.
   */
  readonly importRatioMax?: number
}

export type Budgets = Readonly<Record<string, DoorBudget>>

/** Reads the deployed files of each function in dist/: its .mjs files, without source maps. */
export function readBundledDoors(): readonly DoorBytes[] {
  const files = globSync('dist/*/*.mjs', { cwd: REPO }).sort()
  const doors = [...new Set(files.map((file) => basename(dirname(file))))]
  return doors.map((door) => {
    const own = files
      .filter((file) => basename(dirname(file)) === door)
      .map((file) => ({ name: basename(file), content: readFileSync(join(REPO, file)) }))
    const bytes = own.reduce((sum, { content }) => sum + content.length, 0)
    const meta = readFileSync(join(REPO, 'dist', `${door}.meta.json`), 'utf8')
    const indexBytes = countStartBytes(JSON.parse(meta) as Metafile)
    return { door, bytes, zipBytes: countZipBytes(own), indexBytes }
  })
}

/**
 * Returns the bytes of index.mjs and of all files that it needs before its first line runs, from
 * esbuild's metafile.
 */
export function countStartBytes({ outputs }: Pick<Metafile, 'outputs'>): number {
  return listStartFiles(outputs).reduce((sum, path) => sum + (outputs[path]?.bytes ?? 0), 0)
}

export function readBudgets(): Budgets {
  return JSON.parse(readFileSync(join(REPO, 'bench/budget.json'), 'utf8')) as Budgets
}

/** Returns the sizes that exceed their budgets, in words; none if every function fits. */
export function findSizeExcess(doors: readonly DoorBytes[], budgets: Budgets): readonly string[] {
  const faults = doors.flatMap(({ door, bytes, indexBytes, zipBytes }) => {
    const budget = budgets[door]
    if (budget === undefined) return [`${door}: has no budget; add one to bench/budget.json`]
    return [
      ...findExcess(`${door}: ${bytes} bytes`, bytes, budget.bytes),
      ...findExcess(`${door}: ${zipBytes} bytes zipped`, zipBytes, budget.zipBytes),
      ...findExcess(`${door}: ${indexBytes} bytes at the start`, indexBytes, budget.indexBytes),
    ]
  })
  const missing = Object.keys(budgets).filter((name) => !doors.some(({ door }) => door === name))
  return [...faults, ...missing.map((name) => `${name}: has a budget and no bundle`)]
}

function findExcess(subject: string, is: number, budget = Infinity): readonly string[] {
  return is > budget ? [`${subject}, ${is - budget} over its budget of ${budget}`] : []
}

function main(): readonly string[] {
  const budgets = readBudgets()
  const doors = readBundledDoors()
  if (doors.length === 0) return ['nothing is bundled; run npm run bundle']
  for (const { door, bytes, indexBytes, zipBytes } of doors) {
    const budget = budgets[door]
    const zip = `${zipBytes} of ${budget?.zipBytes ?? 0} zipped`
    const start =
      budget?.indexBytes === undefined ? '' : `, ${indexBytes} of ${budget.indexBytes} at the start`
    console.log(`${door.padEnd(10)} ${bytes} of ${budget?.bytes ?? 0} bytes, ${zip}${start}`)
  }
  return findSizeExcess(doors, budgets)
}

if (import.meta.main) {
  const faults = main()
  for (const fault of faults) console.error(`budget: ${fault}`)
  if (faults.length > 0) process.exitCode = 1
}
