/**
 * `npm run bench:size`: what a call over POST /mcp takes of functions of several sizes: its time with the share of a core that
 * Lambda gives to so much memory; in the size that is deployed, the first calls of a cold environment; and, in that size less a tenth,
 * the calls that take most memory (worst-sequence.ts). Exits 1 when one of them ends the process. The deployed bundles and settings
 * under AWS's runtime client, over the embedded store. Needs `npm run bundle`, the runtime client (`npm run test:lambda` builds it) and Linux as root.
 * `-- --sizes`, `-- --first` and `-- --worst` measure one of the three. `-- --short` makes each call once, on a whole core, and
 * judges only whether the process lives.
 */
import '../../scripts/help.ts'
import { readPrices } from '../../lib/cost/figures.ts'
import { WAITING_MB } from '../../lib/door-sizes.ts'
import { processEnvironment } from '../../lib/process-environment.ts'
import { startWorld } from '../../test/lambda/doors/world.ts'
import { median, ms, percentile, printMachine, printTable } from '../lib/figures.ts'
import { startMeasured } from '../lib/measured-process.ts'
import { inShort, judge, NOT_MEASURED, WORDS } from '../lib/short.ts'
import { controlGroup, lackOfControlGroups } from './control-group.ts'
import { FIRST_CALLS, firstCallsOf, type InFunction, UPSTREAM_MS } from './first-calls.ts'
import { type CallingDoor, call, peakMb, pidOf, prepare, runSequence } from './worst-sequence.ts'

const SIZES_MB = inShort([128, 160, 192, 256, 512], [WAITING_MB])
const CALLS = inShort(60, 3)
const WARM_UP_CALLS = inShort(20, 2)
const ROUNDS = inShort(3, 1)
/** For what Lambda itself may take of a function's memory. */
const USED_SHARE = 0.9

printMachine('npm run bench:size')
const lack = lackOfControlGroups()
if (lack !== undefined) {
  console.log(`${NOT_MEASURED}${lack}`)
  judge(false)
  process.exit()
}
const upstream = await startMeasured('bench/size/answers.ts')
const url = upstream.ready['url'] ?? ''
const PARTS = { '--sizes': printSizes, '--first': printFirstCalls, '--worst': printWorst }
try {
  for (const [word, print] of Object.entries(PARTS))
    if (WORDS.length === 0 || WORDS.includes(word)) await print()
} finally {
  await upstream.stop()
}

async function printSizes(): Promise<void> {
  const rows = []
  for (const memoryMb of SIZES_MB) rows.push(await inFunction('mcp', memoryMb, timesOf))
  printTable(
    [
      'POST /mcp, tools/call',
      'share of a core',
      'answer p50 ms',
      'p90',
      'billed p50 ms',
      'p90',
      'resident MB',
    ],
    rows,
  )
}

async function printFirstCalls(): Promise<void> {
  const rows = []
  for (const first of FIRST_CALLS)
    rows.push(await inFunction(first.door, WAITING_MB, (of) => firstCallsOf(first, of, url)))
  printTable(
    [
      `cold, ${WAITING_MB} MB: a core until the first poll, then a share`,
      'process start → first poll p50 ms',
      'the first answer p50 ms',
      'the second',
      'the tenth',
    ],
    rows,
  )
}

async function printWorst(): Promise<void> {
  for (const door of ['mcp', 'execute'] as const) {
    const steps = await inFunction(door, WAITING_MB, worstOf)
    printTable(
      [`${door}, ${WAITING_MB} MB less a tenth, ${ROUNDS} rounds`, 'lived', 'peak MB'],
      steps.map(({ name, lived, peakMb: peak }) => [name, lived ? 'yes' : 'NO', peak.toFixed(0)]),
    )
    if (!steps.every(({ lived }) => lived)) process.exitCode = 1
  }
}

async function inFunction<T>(
  door: CallingDoor,
  memoryMb: number,
  measure: (environment: InFunction) => Promise<T>,
): Promise<T> {
  const share = inShort(memoryMb / readPrices().assumptions.memoryMbOfOneVcpu, 1)
  const group = controlGroup(`skillgate-bench-size-${process.pid}`)
  const world = await startWorld({
    env: { TIER_LIMITS: 'free:100000', OUTBOUND_ALLOW: '127.0.0.1' },
    [door]: {
      memoryMb,
      env: processEnvironment({ callMemoryMb: memoryMb }, door),
      launcher: group.launcher,
      timeoutMs: 300_000,
    },
  })
  try {
    return await measure({ world, group, door, memoryMb, share })
  } finally {
    await world.stop()
    group.close()
  }
}

async function timesOf({ door, group, memoryMb, share, world }: InFunction) {
  const user = await prepare(world, url)
  // Init and first calls run on a whole core, as on Lambda, which has no share before the first request.
  for (let made = 0; made < WARM_UP_CALLS; made += 1) await call({ world, door, user }, 'small')
  group.limitCpu(share)
  const answers: number[] = []
  const billed: number[] = []
  for (let made = 0; made < CALLS; made += 1) {
    const startedAt = performance.now()
    const onAnswer = () => answers.push(performance.now() - startedAt - UPSTREAM_MS)
    const text = await call({ world, door, user }, 'small', { onAnswer })
    if (!text.includes('"isError":false')) throw new Error(text.slice(0, 500))
    billed.push(performance.now() - startedAt - UPSTREAM_MS)
  }
  const shown = [answers, billed].flatMap((times) => [median(times), percentile(times, 90)]).map(ms)
  const mb = peakMb(pidOf(world, door) ?? 0).toFixed(0)
  return [`${memoryMb} MB`, share.toFixed(3), ...shown, mb]
}

/** The worst of each step in all rounds. */
async function worstOf({ door, group, memoryMb, share, world }: InFunction) {
  group.limitMemory(memoryMb * USED_SHARE)
  const user = await prepare(world, url)
  for (let made = 0; made < WARM_UP_CALLS; made += 1) await call({ world, door, user }, 'small')
  group.limitCpu(share)
  const steps = await runSequence({ world, door, user }, ROUNDS)
  const names = [...new Set(steps.map(({ name }) => name))]
  return names.map((name) => {
    const of = steps.filter((step) => step.name === name)
    return {
      name,
      lived: of.every(({ ended, right }) => ended === 'alive' && right),
      peakMb: Math.max(...of.map((step) => step.peakMb)),
    }
  })
}
