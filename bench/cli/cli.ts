/**
 * `npm run bench:cli`: how long `skillgate --version` of the package takes beyond `node -e 0`, measured in
 * turns in one run. An argument names the Node to measure with; `-- --short` only tries whether it works.
 */
import '../../scripts/help.ts'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { packCli } from '../../scripts/pack-cli.ts'
import { median, ms, printMachine, printTable } from '../lib/figures.ts'
import { inShort, judge, WORDS } from '../lib/short.ts'

const RUNS = inShort(31, 1)
const BEYOND_MAX_MS = 60

const folder = join(import.meta.dirname, '../../.cache/skillgate')
await packCli(folder)
const [node = process.execPath] = WORDS

function timed(...args: readonly string[]): number {
  const startedMs = performance.now()
  const { status } = spawnSync(node, args)
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}`)
  return performance.now() - startedMs
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
printMachine('npm run bench:cli')
printTable(
  ['process', `median of ${RUNS}, ms`, 'beyond node -e 0', 'goal'],
  [
    ['node -e 0', ms(median(empty)), '', ''],
    ['skillgate --version', ms(median(version)), ms(beyondMs), `≤ ${BEYOND_MAX_MS}`],
    ['skillgate --help', ms(median(help)), ms(median(help) - median(empty)), ''],
  ],
)
judge(beyondMs <= BEYOND_MAX_MS)
