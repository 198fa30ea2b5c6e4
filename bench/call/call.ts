/**
 * `npm run bench:call`: CPU cost of the parts of a call, beside a bare call in the same run; the
 * first call with secrets; memory while answers are large or endless. Prints Markdown for
 * docs/performance.md. About five minutes; `-- parts`, `calls`, `first` or `memory` measures only
 * that; `-- --short` only tries whether it works. Needs `npm run bundle`.
 */
import '../../scripts/help.ts'
import { loadavg } from 'node:os'
import { ms, printMachine, printTable } from '../lib/figures.ts'
import { startMeasured } from '../lib/measured-process.ts'
import { WORDS } from '../lib/short.ts'
import { answerParts } from './answer-parts.ts'
import { measureFirst } from './first.ts'
import { hookParts } from './hook-parts.ts'
import { measureCalls } from './load.ts'
import { measureParts } from './loop.ts'
import { measureMemory } from './memory.ts'
import { requestParts } from './request-parts.ts'
import { sendParts } from './send.ts'

const isWanted = (bench: string) => WORDS.length === 0 || WORDS.includes(bench)

printMachine('npm run bench:call')
const upstream = await startMeasured('bench/call/upstream.ts')
try {
  const url = upstream.ready['url'] ?? ''
  const bareUs = isWanted('calls') ? await measureCalls(url) : undefined
  if (isWanted('parts')) await printParts(url, bareUs)
} finally {
  await upstream.stop()
}
if (isWanted('first')) await measureFirst()
if (isWanted('memory')) await measureMemory()
console.log(`Load of the machine (1, 5, 15 min): ${loadavg().map(ms).join(', ')}`)

async function printParts(upstreamUrl: string, bareUs: number | undefined): Promise<void> {
  const sending = sendParts(upstreamUrl)
  const parts = [...requestParts(), ...sending.parts, ...answerParts(), ...(await hookParts())]
  const measured = await measureParts(parts)
  sending.stop()
  printTable(
    ['part, in a loop of its own', 'CPU µs/call', '÷ bare call'],
    measured.map(({ cpuUs, part }) => [
      part.name,
      cpuUs.toFixed(1),
      bareUs === undefined ? '' : (cpuUs / bareUs).toFixed(2),
    ]),
  )
}
