/**
 * Many schedules of single requests, in shards: each takes the next seeds of every scenario, prints a
 * line, and can be run alone or again. A violation is printed at once, with the command that shows it.
 *
 *   npm run test:interleavings                                   all 200,000 schedules
 *   npm run test:interleavings -- --shard 7/50                   the seventh part
 *   npm run test:interleavings -- --from-shard 8 --seconds 600   goes on there, for ten minutes at most
 *   npm run test:interleavings -- --runs 20000 --shards 10
 */
import { parseArgs } from 'node:util'
import { NO_PLANT } from './plant.ts'
import { type Runner, replayCommand, SCENARIOS } from './scenarios.ts'

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '200000' },
    shards: { type: 'string', default: '50' },
    shard: { type: 'string' },
    'from-shard': { type: 'string', default: '1' },
    seconds: { type: 'string' },
  },
})

const [only, parts] = (values.shard ?? '').split('/').map(Number)
const shards = parts ?? Number(values.shards)
const seedsEach = Math.ceil(Number(values.runs) / SCENARIOS.length / shards)
const endMs = values.seconds === undefined ? Infinity : Date.now() + Number(values.seconds) * 1_000

/**
 * The SDK reads its configuration once in a process, which takes turns of the event loop that no seed
 * decides.
 */
for (const { run } of SCENARIOS) await run(1, NO_PLANT)

const print = (line: string) => void process.stdout.write(`${line}\n`)

let failed = 0
const first = only || Number(values['from-shard'])
const last = only || shards
for (let shard = first; shard <= last; shard += 1) {
  if (Date.now() >= endMs) {
    print(`stopped before shard ${shard}: go on with --from-shard ${shard}`)
    break
  }
  failed += await runShard(shard)
}
process.exitCode = failed > 0 ? 1 : 0

async function runShard(shard: number): Promise<number> {
  const from = 1 + (shard - 1) * seedsEach
  const startMs = Date.now()
  let violations = 0
  for (const scenario of SCENARIOS) violations += await runSeeds(scenario, from)
  const seconds = ((Date.now() - startMs) / 1_000).toFixed(0)
  const seeds = `seeds ${from} to ${from + seedsEach - 1} of ${SCENARIOS.length} scenarios`
  print(`shard ${shard}/${shards}: ${seeds}, ${violations} violations, ${seconds} s`)
  return violations
}

async function runSeeds({ name, run }: Runner, from: number): Promise<number> {
  let count = 0
  for (let seed = from; seed < from + seedsEach; seed += 1) {
    const { violations } = await run(seed, NO_PLANT)
    if (violations.length === 0) continue
    count += 1
    print(`${name}, seed ${seed}: ${violations[0]}\n  ${replayCommand(name, seed)}`)
  }
  return count
}
