/**
 * Resident memory of `npm start` as it is, as Linux counts it and without asking for a collection, while
 * agents call: what the gateway keeps for each call would show as growth. Judges the goals that it prints.
 */
import { join } from 'node:path'
import { ms, printTable } from '../lib/figures.ts'
import type { LoadGenerator } from '../lib/load-case.ts'
import { runLoad } from '../lib/load-rounds.ts'
import { residentKb } from '../lib/process-tree.ts'
import { inShort } from '../lib/short.ts'
import { DEFAULT, startOurs, targetOf } from './servers.ts'

const CALLS = inShort([0, 50_000, 100_000, 150_000, 200_000], [0, 100, 200])
const FLAT_FROM_CALLS = inShort(100_000, 100)
const RESIDENT_MB_MAX = 250
/** A young heap breathes by some megabytes. */
const FLAT_RATIO_MAX = 1.1
const STEP_MS = inShort(2_000, 100)

/** True when the goals are met. */
export async function measureMemory(
  load: LoadGenerator,
  upstreamUrl: string,
  dataFolder: string,
): Promise<boolean> {
  const server = await startOurs(DEFAULT, upstreamUrl, {
    args: ['--data', join(dataFolder, 'memory')],
  })
  try {
    const target = targetOf(server, 'tools/call')
    const sizes = new Map<number, number>()
    let called = 0
    for (const goal of CALLS) {
      while (called < goal) {
        called += (await runLoad(load, target, { connections: 16, forMs: STEP_MS })).calls
      }
      sizes.set(goal, residentKb(server.process.pid) / 1_024)
    }
    return print(sizes)
  } finally {
    await server.process.stop()
  }
}

function print(sizes: ReadonlyMap<number, number>): boolean {
  printTable(
    ['calls so far', 'resident MB'],
    [...sizes].map(([calls, mb]) => [calls, ms(mb)]),
  )
  const most = Math.max(...sizes.values())
  const late = [...sizes].filter(([calls]) => calls >= FLAT_FROM_CALLS).map(([, mb]) => mb)
  const [isSmall, isFlat] = [
    most <= RESIDENT_MB_MAX,
    Math.max(...late) / (late[0] ?? Number.NaN) <= FLAT_RATIO_MAX,
  ]
  console.log(
    `Goals: ≤ ${RESIDENT_MB_MAX} MB: ${isSmall ? 'met' : 'MISSED'}; ` +
      `flat from ${FLAT_FROM_CALLS} calls on: ${isFlat ? 'met' : 'MISSED'}\n`,
  )
  return isSmall && isFlat
}
