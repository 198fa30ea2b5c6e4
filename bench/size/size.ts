/**
 * `npm run bench:size`: what a call over POST /mcp takes of a function of 128, 192, 256 and 512 MB: its time with the
 * share of a core that Lambda gives to so much memory, and resident memory, also while an upstream sends the 4 MB that a skill
 * may receive. The deployed bundle under AWS's runtime client, over the embedded store. Needs `npm run bundle`, the runtime client
 * (`npm run test:lambda` builds it) and Linux as root.
 */
import '../../scripts/help.ts'
import { readFileSync, writeFileSync } from 'node:fs'
import { readPrices } from '../../lib/cost/figures.ts'
import { newUser, syncSkill, syncSkills } from '../../test/lambda/doors/people.ts'
import { startWorld, type World } from '../../test/lambda/doors/world.ts'
import { median, ms, percentile, printMachine, printTable } from '../lib/figures.ts'
import { startMeasured } from '../lib/measured-process.ts'
import { cpuShare } from './cpu-share.ts'

const SIZES_MB = [128, 192, 256, 512]
const CALLS = 60
const LARGE_CALLS = 3
const WARM_UP_CALLS = 20
const LARGE_BYTES = 4_000_000
/** Waited for without CPU, so it is taken off the times. */
const UPSTREAM_MS = 20

printMachine('npm run bench:size')
const upstream = await startMeasured('bench/call/upstream.ts')
try {
  const rows = []
  for (const memoryMb of SIZES_MB) rows.push(await measure(memoryMb, upstream.ready['url'] ?? ''))
  printTable(
    [
      'POST /mcp, tools/call',
      'share of a core',
      'answer p50 ms',
      'p90',
      'billed p50 ms',
      'resident MB, small calls',
      'resident MB, 4 MB of JSON',
      'of text',
    ],
    rows,
  )
} finally {
  await upstream.stop()
}

async function measure(memoryMb: number, large: string): Promise<readonly string[]> {
  const share = memoryMb / readPrices().assumptions.memoryMbOfOneVcpu
  const group = cpuShare('skillgate-bench-size', share)
  const world = await startWorld({
    upstreamMs: UPSTREAM_MS,
    env: { TIER_LIMITS: 'free:100000', OUTBOUND_ALLOW: '127.0.0.1' },
    mcp: { memoryMb },
  })
  try {
    await syncSkills(world)
    for (const kind of ['json', 'text']) await syncSkill(world, largeSkill(large, kind))
    const { key } = await newUser(world, 'bench', 10_000)
    // Init and first calls run on a whole core, as on Lambda, which has no share before the first request.
    for (let made = 0; made < WARM_UP_CALLS; made += 1) await call(world, key, 'sg_echo')
    const [pid] = world.mcp
      .environments()
      .flatMap((one) => (one.pid === undefined ? [] : [one.pid]))
    if (pid === undefined) throw new Error('no environment of mcp')
    group.add(pid)
    const times: CallTimes[] = []
    resetPeak(pid)
    for (let made = 0; made < CALLS; made += 1) times.push(await call(world, key, 'sg_echo'))
    const peaks = [peakMb(pid)]
    for (const kind of ['json', 'text']) {
      resetPeak(pid)
      for (let made = 0; made < LARGE_CALLS; made += 1) await call(world, key, `sg_large_${kind}`)
      peaks.push(peakMb(pid))
    }
    const answers = times.map(({ answerMs }) => answerMs)
    const billed = times.map(({ billedMs }) => billedMs)
    const shown = [median(answers), percentile(answers, 90), median(billed)].map(ms)
    return [`${memoryMb} MB`, share.toFixed(3), ...shown, ...peaks.map((mb) => mb.toFixed(0))]
  } finally {
    await world.stop()
    group.close()
  }
}

function largeSkill(url: string, kind: string): object {
  return {
    id: `sg_large_${kind}`,
    source: 'official',
    meta: {
      name: `large_${kind}`,
      description: 'Sends the most.',
      parameters: { type: 'object', properties: {} },
    },
    config: { endpoint: `${url}/large/${kind}`, method: 'GET', max_response_bytes: LARGE_BYTES },
    credits_per_call: 1,
  }
}

/** Until the answer, and until the function is done with what it writes after it. */
type CallTimes = { readonly answerMs: number; readonly billedMs: number }

async function call(world: World, key: string, name: string): Promise<CallTimes> {
  const startedAt = performance.now()
  const args = name === 'sg_echo' ? { text: 'x' } : {}
  const response = await fetch(`${world.mcpUrl.url}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name, arguments: args },
    }),
  })
  const text = await response.text()
  const answerMs = performance.now() - startedAt - UPSTREAM_MS
  if (!text.includes('"isError":false')) throw new Error(`${name}: ${text.slice(0, 500)}`)
  await world.mcp.whenIdle()
  return { answerMs, billedMs: performance.now() - startedAt - UPSTREAM_MS }
}

/** Linux's highest resident size since the last reset. */
function peakMb(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024
}

function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
