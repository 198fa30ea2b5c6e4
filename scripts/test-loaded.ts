/**
 * `npm run test:loaded [-- --runs 10]`: runs `npm test` so many times beside busy loops, two for each core,
 * and prints the closing line of each run. Exits with 1 when any run failed, with its whole output above
 * the line; with 2 when called wrongly. What follows a second `--` goes to `npm test`.
 */
import './help.ts'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { startLoad } from './loaded/load.ts'
import { runTests } from './loaded/run-tests.ts'

const RUNS = 10
const LOOPS_PER_CORE = 2

async function testLoaded(runs: number, args: readonly string[]): Promise<number> {
  const load = startLoad(availableParallelism() * LOOPS_PER_CORE)
  let failed = 0
  try {
    for (let run = 1; run <= runs; run += 1) {
      const { isGreen, closingLine, output, tookSec } = await runTests('npm', ['test', ...args])
      if (!isGreen) {
        failed += 1
        console.log(output)
      }
      console.log(`run ${run} of ${runs}, ${tookSec} s: ${closingLine}`)
    }
  } finally {
    load.stop()
  }
  console.log(`${runs - failed} of ${runs} runs passed beside ${load.loops} busy loops`)
  return failed === 0 ? 0 : 1
}

/** Undefined where it was called wrongly. */
function readArguments(args: readonly string[]) {
  const at = args.indexOf('--')
  const own = at < 0 ? args : args.slice(0, at)
  const { values } = parseArgs({ args: [...own], options: { runs: { type: 'string' } } })
  const runs = values.runs === undefined ? RUNS : Number(values.runs)
  if (!Number.isInteger(runs) || runs < 1) throw new Error('--runs takes a whole number from 1')
  return { runs, rest: at < 0 ? [] : args.slice(at) }
}

if (import.meta.main) {
  try {
    const { runs, rest } = readArguments(process.argv.slice(2))
    process.exitCode = await testLoaded(runs, rest)
  } catch (cause) {
    console.error(`test:loaded: ${cause instanceof Error ? cause.message : String(cause)}`)
    process.exitCode = 2
  }
}
