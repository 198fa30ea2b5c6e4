/**
 * `npm run budget`: holds the bytes of each bundled door to bench/budget.json; fails past a budget,
 * and for a door or a budget without the other. Raise a number there only with a reason in the commit.
 * Run scripts/bundle.ts first. The gzipped bytes are shown for the eye: Lambda's package is a zip.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'

const REPO = join(import.meta.dirname, '..')

export type DoorBytes = { readonly door: string; readonly bytes: number; readonly gzBytes: number }

export function bundledDoors(): readonly DoorBytes[] {
  return globSync('dist/*/index.mjs', { cwd: REPO })
    .sort()
    .map((file) => {
      const content = readFileSync(join(REPO, file))
      return {
        door: basename(dirname(file)),
        bytes: content.length,
        gzBytes: gzipSync(content).length,
      }
    })
}

/** What is wrong, in words; empty when every door fits. */
export function budgetFaults(
  doors: readonly DoorBytes[],
  budgets: Readonly<Record<string, number>>,
): readonly string[] {
  const faults = doors.flatMap(({ door, bytes }) => {
    const budget = budgets[door]
    if (budget === undefined) return [`${door}: has no budget; add one to bench/budget.json`]
    return bytes > budget
      ? [`${door}: ${bytes} bytes, ${bytes - budget} over its budget of ${budget}`]
      : []
  })
  const missing = Object.keys(budgets).filter((name) => !doors.some(({ door }) => door === name))
  return [...faults, ...missing.map((name) => `${name}: has a budget and no bundle`)]
}

function readBudgets(): Readonly<Record<string, number>> {
  const file = join(REPO, 'bench/budget.json')
  if (!existsSync(file)) throw new Error('budget: there is no bench/budget.json')
  return JSON.parse(readFileSync(file, 'utf8')) as Record<string, number>
}

if (import.meta.main) {
  const budgets = readBudgets()
  const doors = bundledDoors()
  for (const { door, bytes, gzBytes } of doors) {
    const budget = budgets[door] ?? 0
    console.log(`${door.padEnd(10)} ${bytes} of ${budget} bytes, ${gzBytes} gzipped`)
  }
  const faults = budgetFaults(doors, budgets)
  for (const fault of faults) console.error(`budget: ${fault}`)
  if (doors.length === 0) console.error('budget: nothing is bundled; run npm run bundle')
  if (faults.length > 0 || doors.length === 0) process.exitCode = 1
}
