/**
 * `npm run bench:cli`: how long `skillgate --version` of the package takes beyond `node -e 0`, measured in
 * turns in one run. Arguments name the Node to measure with.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { packCli } from '../../scripts/pack-cli.ts'

const RUNS = 31
const BEYOND_MAX_MS = 60

const folder = join(import.meta.dirname, '../../.cache/skillgate')
await packCli(folder)
const [node = process.execPath] = process.argv.slice(2)

function timed(...args: readonly string[]): number {
  const startedMs = performance.now()
  const { status } = spawnSync(node, args)
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
  return performance.now() - startedMs
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

const empty: number[] = []
const version: number[] = []
const help: number[] = []
for (let run = 0; run < RUNS; run += 1) {
  empty.push(timed('-e', '0'))
  version.push(timed(join(folder, 'skillgate.mjs'), '--version'))
  help.push(timed(join(folder, 'skillgate.mjs'), '--help'))
}
const beyondMs = median(version) - median(empty)
console.log(`node -e 0                ${median(empty).toFixed(1)} ms, median of ${RUNS}`)
console.log(
  `skillgate --version      ${median(version).toFixed(1)} ms: ${beyondMs.toFixed(1)} ms beyond it, at most ${BEYOND_MAX_MS}`,
)
console.log(`skillgate --help         ${median(help).toFixed(1)} ms`)
if (beyondMs > BEYOND_MAX_MS) process.exitCode = 1
