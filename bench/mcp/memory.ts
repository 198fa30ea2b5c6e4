/**
 * Measures the resident memory of `npm start`, as Linux counts it and without a forced collection,
 * while agents call; memory that the gateway keeps for each call would show as growth. Checks the
 * goals that it prints.
 */
import { formatMs, printTable } from '../lib/figures.ts'
import { readResidentMb } from '../lib/process-figures.ts'
import { chooseByLength } from '../lib/short.ts'
import type { RunLoad } from './load-case.ts'
import { startOurs } from './servers.ts'

const CALLS = chooseByLength([0, 50_000, 100_000, 150_000, 200_000], [0, 100, 200])
const FLAT_FROM_CALLS = chooseByLength(100_000, 100)
const RESIDENT_MB_MAX = 250
/** Accepted growth; a young heap varies by some megabytes. */
const FLAT_RATIO_MAX = 1.1
const STEP_MS = chooseByLength(2_000, 100)

/** Returns true if the goals are met. */
export async function measureMemory(
  run: RunLoad,
  upstreamUrl: string,
  folder: string,
): Promise<boolean> {
  const server = await startOurs(upstreamUrl, folder)
  const sizes: { readonly calls: number; readonly mb: number }[] = []
  try {
    let called = 0
    for (const calls of CALLS) {
      while (called < calls) called += (await run(server.target('2026-07-28'), STEP_MS)).calls
      sizes.push({ calls, mb: readResidentMb(server.process.pid) })
    }
  } finally {
    await server.process.stop()
  }
  printTable(
    ['calls so far', 'resident MB'],
    sizes.map(({ calls, mb }) => [calls, formatMs(mb)]),
  )
  const late = sizes.filter(({ calls }) => calls >= FLAT_FROM_CALLS).map(({ mb }) => mb)
  const isSmall = sizes.every(({ mb }) => mb <= RESIDENT_MB_MAX)
  const isFlat = Math.max(...late) / (late[0] ?? Number.NaN) <= FLAT_RATIO_MAX
  console.log(
    `Goals: ≤ ${RESIDENT_MB_MAX} MB: ${isSmall ? 'met' : 'MISSED'}; ` +
      `flat from ${FLAT_FROM_CALLS} calls on: ${isFlat ? 'met' : 'MISSED'}\n`,
  )
  return isSmall && isFlat
}
