/**
 * Memory of the twin while upstreams send as much as a skill may receive, or never stop: resident
 * memory as Linux counts it, with its peak, before, during and after. The store is in memory and
 * empty.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import { API_KEY, type BenchSkill, definition } from '../lib/bench-skills.ts'
import { printTable } from '../lib/figures.ts'
import { type MeasuredProcess, startMeasured } from '../lib/measured-process.ts'
import { inShort } from '../lib/short.ts'
import { type BenchTwin, startBenchTwin } from '../lib/twin-target.ts'

const UPSTREAMS = 16
/** Each case is repeated, so that leaked memory would show. */
const TIMES = inShort(3, 1)
/** Wait before memory is read, because freed memory returns to Linux with a delay. */
const REST_MS = inShort(3_000, 50)
const WARM_UP_CALLS = inShort(200, 5)

type Case = {
  readonly name: string
  readonly path: string
  readonly status: number
  readonly at: number
  readonly times?: number
  readonly isSecret?: boolean
}

const CASES: readonly Case[] = [
  { name: 'one sends 4 MB of text', path: 'large/text', status: 200, at: 1 },
  { name: 'one sends 4 MB of JSON', path: 'large/json', status: 200, at: 1 },
  { name: '16 send 4 MB of text each', path: 'large/text', status: 200, at: UPSTREAMS },
  { name: '16 send 4 MB of JSON each', path: 'large/json', status: 200, at: UPSTREAMS },
  {
    name: '16 send 4 MB of JSON each, one secret to mask',
    path: 'large/json',
    status: 200,
    at: UPSTREAMS,
    isSecret: true,
  },
  { name: '16 send an image of 4 MB each', path: 'large/image', status: 200, at: UPSTREAMS },
  {
    name: '16 never stop, as fast as they can (cut at 4 MB)',
    path: 'endless/fast',
    status: 502,
    at: UPSTREAMS,
  },
  {
    name: '16 never stop, 240 kB/s (cut by the guard at 15 s)',
    path: 'endless/slow',
    status: 504,
    at: UPSTREAMS,
    times: 1,
  },
]

export async function measureMemory(): Promise<void> {
  const upstream = await startMeasured('bench/call/upstream.ts', [String(UPSTREAMS)])
  const rows: (readonly (string | number)[])[] = []
  try {
    const urls = (upstream.ready['urls'] ?? '').split(' ')
    for (const one of CASES) rows.push(await measureCase(one, urls))
  } finally {
    await upstream.stop()
  }
  printTable(
    [
      'resident memory of the twin, MB',
      'before',
      'peak above it',
      'the most of 3',
      'afterwards',
      'held',
      'took ms',
    ],
    rows,
  )
}

/** A new twin for each case, so that V8 keeps nothing from the previous one. */
async function measureCase(
  one: Case,
  urls: readonly string[],
): Promise<readonly (string | number)[]> {
  const skills = urls.slice(0, one.at).map((url, at) => skillAt(one, url, at))
  const warm = plainAt(urls[0] ?? '')
  const twin = await startBenchTwin(urls, { args: ['--memory'], skills: [...skills, warm] })
  try {
    for (let call = 0; call < WARM_UP_CALLS; call += 1) await callOnce(twin, warm, 200)
    const { times = TIMES } = one
    const before = await atRest(twin.process)
    const peaksMb: number[] = []
    let tookMs = 0
    for (let time = 0; time < times; time += 1) {
      resetPeak(twin.process)
      const startedAt = performance.now()
      await Promise.all(skills.map((skill) => callOnce(twin, skill, one.status)))
      tookMs = performance.now() - startedAt
      peaksMb.push(residentMb(twin.process).peak - before.residentMb)
    }
    const later = await atRest(twin.process)
    const shown = [before.residentMb, peaksMb[0] ?? 0, Math.max(...peaksMb)]
    const leakMb = [later.residentMb - before.residentMb, later.heldMb - before.heldMb]
    return [one.name, ...[...shown, ...leakMb, tookMs].map(Math.round)]
  } finally {
    await twin.process.stop()
  }
}

function skillAt({ isSecret, path, at }: Case, url: string, index: number): BenchSkill {
  const config = {
    endpoint: `${url}/${path}?together=${at}`,
    method: 'GET',
    max_response_bytes: 4_000_000,
    ...(isSecret === true ? { auth: { type: 'bearer', secret: 'API_KEY' } } : {}),
  }
  const secrets = isSecret === true ? { API_KEY } : {}
  return { name: 'large', definition: definition(`n${index}`, config, {}), arguments: {}, secrets }
}

function plainAt(url: string): BenchSkill {
  const config = { endpoint: `${url}/weather`, method: 'GET' }
  return { name: 'warm', definition: definition('warm', config, {}), arguments: {}, secrets: {} }
}

/** Reads and drops the body, so that it takes no memory in this process. */
async function callOnce(twin: BenchTwin, skill: BenchSkill, status: number): Promise<void> {
  const [headers = {}] = twin.headers
  const body = JSON.stringify({ skill: skill.definition['id'], arguments: {} })
  const response = await fetch(twin.url, { method: 'POST', headers, body })
  let head = ''
  for await (const part of response.body ?? []) {
    if (head === '') head = Buffer.from(part).toString('utf8', 0, 500)
  }
  if (response.status !== status)
    throw new Error(`${response.status} instead of ${status}: ${head}`)
}

/**
 * `heldMb`: what JavaScript holds. The rest is free and kept by V8 and malloc for the next call.
 */
async function atRest(process: MeasuredProcess): Promise<{ residentMb: number; heldMb: number }> {
  const heldMb = (await process.collectGarbage()) / 1e6
  await delay(REST_MS)
  return { residentMb: residentMb(process).now, heldMb }
}

type ResidentMemory = { readonly now: number; readonly peak: number }

function residentMb({ pid }: MeasuredProcess): ResidentMemory {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  const mb = (field: string) =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(text)?.[1]) / 1e3
  return { now: mb('VmRSS'), peak: mb('VmHWM') }
}

/** VmHWM counts from here on (proc_pid_clear_refs(5)). */
function resetPeak({ pid }: MeasuredProcess): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}
