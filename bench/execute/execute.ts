/**
 * `npm run bench:execute`: throughput, latency and CPU of POST /v1/execute through the twin, as
 * `npm start` runs it, in memory and on the emulator of DynamoDB, beside two yardsticks in the same run.
 * Prints Markdown for docs/performance.md; exits 1 when a goal that it prints is missed. About two minutes.
 * `-- --profile` or `-- --profile=dynamodb` instead prints where the time of the twin goes; `-- --short`
 * only tries whether the bench works.
 */
import '../../scripts/help.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ms, printMachine, printTable } from '../lib/figures.ts'
import { installSdk } from '../lib/install-sdk-v2.ts'
import { startLoad } from '../lib/load-case.ts'
import {
  FIGURE_COLUMNS,
  figureCells,
  measureRounds,
  type RoundFigures,
  runLoad,
} from '../lib/load-rounds.ts'
import { startMeasured } from '../lib/measured-process.ts'
import { printProfile } from '../lib/print-profile.ts'
import { inShort, judge } from '../lib/short.ts'
import type { Target } from '../lib/target.ts'
import { startTwinTarget } from '../lib/twin-target.ts'
import { startBare, startSdk } from './yardsticks.ts'

const CONNECTIONS = [1, 16, 64]
/** Rounds of each case; the targets take turns, so that a busy moment affects all of them. */
const ROUNDS = inShort(3, 1)
const ROUND_MS = inShort(2_000, 100)
/** V8 keeps optimising the servers for this long, ours and the SDK most. */
const WARM_UP_MS = inShort(8_000, 100)
const PROFILE_MS = 8_000
const BARE_RATIO_MIN = 0.45

const BARE = '(a) bare node:http'
const SDK = '(b) SDK v2, stateless'
const DEFAULT = 'execute, npm start'
const MEMORY = 'execute, --memory'

const folder = mkdtempSync(join(tmpdir(), 'skillgate-bench-'))
const ON_DISK = ['--data', join(folder, 'twin')]
const upstream = await startMeasured('bench/lib/yardstick-upstream.ts')
const upstreamUrl = upstream.ready['url'] ?? ''
const load = startLoad()
try {
  if (process.argv.includes('--profile')) await profile(ON_DISK)
  else await measureAll()
} finally {
  load.stop()
  await upstream.stop()
  rmSync(folder, { recursive: true })
}

async function measureAll(): Promise<void> {
  printMachine('npm run bench:execute')
  const noSdk = installSdk()
  if (noSdk !== undefined) console.log(`Without yardstick (b): ${noSdk}\n`)
  const targets = await startTargets(noSdk === undefined)
  try {
    for (const target of targets)
      await runLoad(load, target, { connections: 16, forMs: WARM_UP_MS })
    let hasMet = true
    for (const connections of CONNECTIONS) {
      const figures = await measure(targets, connections)
      hasMet = printCase(connections, figures) && hasMet
    }
    await printOneUser(targets)
    console.log(`Load of the machine (1, 5, 15 min): ${loadavg().map(ms).join(', ')}`)
    judge(hasMet)
  } finally {
    for (const target of targets) await target.process.stop()
  }
}

async function startTargets(withSdk: boolean): Promise<readonly Target[]> {
  const targets = [await startBare(BARE, upstreamUrl)]
  if (withSdk) targets.push(await startSdk(SDK, upstreamUrl))
  targets.push(await startTwinTarget(DEFAULT, upstreamUrl, { args: ON_DISK }))
  targets.push(await startTwinTarget(MEMORY, upstreamUrl, { args: ['--memory'] }))
  return targets
}

function measure(targets: readonly Target[], connections: number, retryOn?: number) {
  const retry = retryOn === undefined ? {} : { retryOn }
  return measureRounds(load, targets, { connections, rounds: ROUNDS, forMs: ROUND_MS, ...retry })
}

/** True when the goals are met by what `npm start` runs. */
function printCase(connections: number, figures: ReadonlyMap<string, RoundFigures>): boolean {
  const ratio = (name: string, to: string) => {
    const [one, other] = [figures.get(name), figures.get(to)]
    return one === undefined || other === undefined ? undefined : one.perSec / other.perSec
  }
  const shown = (value: number | undefined) => value?.toFixed(2) ?? ''
  const plural = connections === 1 ? '' : 's'
  printTable(
    [`${connections} connection${plural}`, ...FIGURE_COLUMNS, '× (a)', '× (b)'],
    [...figures].map(([name, one]) => [
      name,
      ...figureCells(one),
      shown(ratio(name, BARE)),
      shown(ratio(name, SDK)),
    ]),
  )
  return (ratio(DEFAULT, BARE) ?? 0) >= BARE_RATIO_MIN
}

/** 16 connections with one key: calls refused with 429 (32 holds) are sent again. */
async function printOneUser(targets: readonly Target[]): Promise<void> {
  const ours = targets.filter(({ name }) => [DEFAULT, MEMORY].includes(name))
  const ofOne = ours.map((target) => ({ ...target, headers: target.headers.slice(0, 1) }))
  const figures = await measure(ofOne, 16, 429)
  printTable(
    ['one user, 16 connections', ...FIGURE_COLUMNS, '429, sent again'],
    [...figures].map(([name, one]) => [name, ...figureCells(one), one.refused]),
  )
}

async function profile(args: readonly string[]): Promise<void> {
  const target = await startTwinTarget('profiled', upstreamUrl, { args })
  try {
    await runLoad(load, target, { connections: 16, forMs: WARM_UP_MS })
    await target.process.startProfile()
    const { calls, cpuUs } = await runLoad(load, target, { connections: 16, forMs: PROFILE_MS })
    const file = join(folder, 'cpuprofile.json')
    await target.process.endProfile(file)
    printProfile(file, calls, cpuUs)
  } finally {
    await target.process.stop()
  }
}
