/**
 * `npm run bench:size`: measures the memory that the largest answers need in the functions that
 * make calls, in the deployed size less a tenth (worst-sequence.ts). Exits with 1 if one of them
 * ends the process. Runs the deployed bundles and settings under AWS's runtime client, over the
 * embedded store. Needs `npm run bundle`, the runtime client (`npm run test:lambda` builds it) and
 * Linux as root. `-- --short` makes each call once.
 */
import '../lib/help.ts'
import { WAITING_MB } from '../../lib/door-sizes.ts'
import { printMachine, printTable } from '../lib/figures.ts'
import { startMeasuredProcess } from '../lib/measured-process.ts'
import { chooseByLength, NOT_MEASURED } from '../lib/short.ts'
import { type ControlGroup, createControlGroup } from './control-group.ts'
import { runWorstSequence, USED_MB } from './worst-sequence.ts'

const ROUNDS = chooseByLength(3, 1)

printMachine('npm run bench:size')
const group = openGroupOrReason()
if (typeof group === 'string') {
  console.log(`${NOT_MEASURED}${group}`)
  process.exit(1)
}
const upstream = await startMeasuredProcess('bench/size/answers.ts')
try {
  for (const door of ['mcp', 'execute'] as const) {
    const steps = await runWorstSequence(door, group, upstream.ready['url'] ?? '', ROUNDS)
    // The largest peak of each step in all rounds.
    const rows = [...new Set(steps.map(({ name }) => name))].map((name) => {
      const all = steps.filter((step) => step.name === name)
      const lived = all.every(({ died, right }) => !died && right)
      return [name, lived ? 'yes' : 'NO', Math.max(...all.map((step) => step.peakMb)).toFixed(0)]
    })
    printTable(
      [`${door}, ${WAITING_MB} MB less a tenth (${USED_MB.toFixed(0)})`, 'lived', 'peak MB'],
      rows,
    )
    if (rows.some(([, lived]) => lived === 'NO')) process.exitCode = 1
  }
} finally {
  await upstream.stop()
  group.close()
}

function openGroupOrReason(): ControlGroup | string {
  try {
    return createControlGroup(`skillgate-bench-size-${process.pid}`, USED_MB)
  } catch (cause) {
    return String(cause)
  }
}
