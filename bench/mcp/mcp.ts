/**
 * `npm run bench:mcp`: POST /mcp of the twin beside yardsticks in the same run, then what open
 * streams cost. Prints Markdown for docs/performance.md; exits 1 when a goal that it prints is
 * missed. About six minutes. `-- --streams` measures the streams only, `-- --memory` the memory
 * only; `-- --profile` prints where the time of tools/call goes instead, `-- --profile=list` that of
 * tools/list. `-- --short` only tries whether the bench works.
 */
import '../../scripts/help.ts'
import { mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ms, printMachine } from '../lib/figures.ts'
import { startLoad } from '../lib/load-case.ts'
import { runLoad } from '../lib/load-rounds.ts'
import { startMeasured } from '../lib/measured-process.ts'
import { printProfile } from '../lib/print-profile.ts'
import { judge, WORDS } from '../lib/short.ts'
import { measureCalls } from './calls.ts'
import { measureMemory } from './memory.ts'
import { DEFAULT, startOurs, targetOf } from './servers.ts'
import { measureStreams } from './streams.ts'

const PROFILE_WARM_UP_MS = 6_000
const PROFILE_MS = 8_000

const folder = mkdtempSync(join(tmpdir(), 'skillgate-bench-'))
const upstream = await startMeasured('bench/lib/yardstick-upstream.ts')
const upstreamUrl = upstream.ready['url'] ?? ''
const load = startLoad()
try {
  if (WORDS.includes('--profile')) await profile('tools/call')
  else if (WORDS.includes('--profile=list')) await profile('tools/list')
  else if (WORDS.includes('--memory')) await memory()
  else await measure(WORDS.includes('--streams'))
} finally {
  load.stop()
  await upstream.stop()
  rmSync(folder, { recursive: true })
}

async function measure(streamsOnly: boolean): Promise<void> {
  printMachine('npm run bench:mcp')
  const calls = streamsOnly || (await measureCalls(load, upstreamUrl, join(folder, 'twin')))
  const streams = await measureStreams(load, upstreamUrl, folder)
  const small = streamsOnly || (await measureMemory(load, upstreamUrl, folder))
  console.log(`Load of the machine (1, 5, 15 min): ${loadavg().map(ms).join(', ')}`)
  judge(calls && streams && small)
}

async function memory(): Promise<void> {
  printMachine('npm run bench:mcp -- --memory')
  judge(await measureMemory(load, upstreamUrl, folder))
}

async function profile(operation: 'tools/call' | 'tools/list'): Promise<void> {
  const server = await startOurs(DEFAULT, upstreamUrl, { args: ['--data', folder] })
  try {
    const target = targetOf(server, operation)
    await runLoad(load, target, { connections: 16, forMs: PROFILE_WARM_UP_MS })
    await server.process.startProfile()
    const { calls, cpuUs } = await runLoad(load, target, { connections: 16, forMs: PROFILE_MS })
    const file = join(folder, 'cpuprofile.json')
    await server.process.endProfile(file)
    printProfile(file, calls, cpuUs)
  } finally {
    await server.process.stop()
  }
}
