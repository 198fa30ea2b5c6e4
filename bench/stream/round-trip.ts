/**
 * POST sent → reply event, for a paid call of an upstream that answers at once: through the twin with
 * a bare SSE client, and through bench/stream/bare-server.ts with the same one, by turns. Both are processes
 * of their own; the twin is as `npm start` starts it.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout } from 'node:timers/promises'
import { median, ms, percentile, printTable } from '../lib/figures.ts'
import { inShort } from '../lib/short.ts'
import { nodeFlags } from '../lib/start-twin.ts'

const REPO = join(import.meta.dirname, '../..')
const CALLS = inShort(100, 3)
/** So many that a collection does not decide the p99. */
const CALLS_IN_A_ROW = inShort(500, 3)
/** V8 has compiled the path of a call by then. */
const WARM_UP_CALLS = inShort(500, 3)

type Pass = {
  readonly name: string
  readonly calls: number
  /** A pause before each call, of up to so long, in which a processor turns to other work. */
  readonly pauseMsMax: number
  readonly isJudged: boolean
}

const FIRST: Pass = { name: 'the first of a process', calls: CALLS, pauseMsMax: 0, isJudged: false }
const WARM_UP: Pass = { name: 'warm-up', calls: WARM_UP_CALLS, pauseMsMax: 0, isJudged: false }
const IN_A_ROW: Pass = {
  name: 'one after another',
  calls: CALLS_IN_A_ROW,
  pauseMsMax: 0,
  isJudged: true,
}
const PAUSED: Pass = { name: 'after a pause', calls: CALLS, pauseMsMax: 300, isJudged: true }
const PASSES = [FIRST, WARM_UP, IN_A_ROW, PAUSED]
const ALL_CALLS = PASSES.reduce((sum, { calls }) => sum + calls, 0)
const P50_MS_MAX = 3
const P99_MS_MAX = 10

type Way = { readonly name: string; readonly call: (id: number) => Promise<number> }
type PassResult = { readonly rows: readonly (string | number)[][]; readonly hasMet: boolean }

type StartedServer = { readonly child: ChildProcess; readonly ready: Record<string, unknown> }

/** True when the goals are met. */
export async function measureRoundTrip(): Promise<boolean> {
  const data = mkdtempSync(join(tmpdir(), 'skillgate-bench-'))
  const options = ['--json', '--port', '0', '--data', data, '--calls-per-minute', '1000000']
  const [twin, bare] = await Promise.all([
    start([...nodeFlags(), 'local/main.ts', ...options]),
    start(['bench/stream/bare-server.ts']),
  ])
  try {
    await grantCredits(twin.ready)
    const ways = [
      { name: 'the twin as npm start runs it', call: await openWay(twin.ready) },
      { name: 'a bare Node server, the same hops', call: await openWay(bare.ready) },
    ]
    const results: PassResult[] = []
    let firstId = 0
    for (const pass of PASSES) {
      const times = await timesOf(ways, pass, firstId)
      firstId += pass.calls
      if (pass !== WARM_UP) results.push(resultOf(ways, pass, times))
    }
    const what = 'POST sent → reply event, 0 ms upstream'
    const columns = [what, 'calls', 'p50 ms', 'p99 ms', 'ratio of p50', 'goal']
    printTable(
      columns,
      results.flatMap(({ rows }) => rows),
    )
    return results.every(({ hasMet }) => hasMet)
  } finally {
    await Promise.all([stop(twin.child), stop(bare.child)])
    rmSync(data, { recursive: true })
  }
}

/** Milliseconds of each call, by way. The ways take turns. */
async function timesOf(
  ways: readonly Way[],
  { calls, pauseMsMax }: Pass,
  firstId: number,
): Promise<readonly number[][]> {
  const times = ways.map((): number[] => [])
  for (let id = firstId; id < firstId + calls; id += 1) {
    if (pauseMsMax > 0) await setTimeout(Math.random() * pauseMsMax)
    for (const [at, { call }] of ways.entries()) times[at]?.push(await call(id))
  }
  return times
}

/** The first way is the one that is judged, the last one the yardstick. */
function resultOf(ways: readonly Way[], pass: Pass, times: readonly number[][]): PassResult {
  const bareMs = median(times.at(-1) ?? [])
  const rows = ways.map(({ name }, at) => {
    const all = times[at] ?? []
    const ratio = (median(all) / bareMs).toFixed(1)
    return [
      `${name}, ${pass.name}`,
      all.length,
      ms(median(all)),
      ms(percentile(all, 99)),
      ratio,
      '',
    ]
  })
  if (!pass.isJudged) return { rows, hasMet: true }
  const judged = times[0] ?? []
  const hasMet = median(judged) <= P50_MS_MAX && percentile(judged, 99) <= P99_MS_MAX
  rows[0]?.splice(-1, 1, `≤ ${P50_MS_MAX}, ≤ ${P99_MS_MAX}${hasMet ? '' : ' MISSED'}`)
  return { rows, hasMet }
}

/** Resolves with the first line of JSON on its stdout. */
function start(args: readonly string[]): Promise<StartedServer> {
  const child = spawn(process.execPath, args, { cwd: REPO, stdio: ['ignore', 'pipe', 'ignore'] })
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${args[0]} ended with ${code}`)))
    createInterface({ input: child.stdout }).once('line', (line) => {
      resolve({ child, ready: JSON.parse(line) })
    })
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}

export async function grantCredits(ready: Record<string, unknown>): Promise<void> {
  const response = await fetch(`${ready['admin']}/users/${ready['uid']}/credits`, {
    method: 'POST',
    headers: { 'x-admin-key': String(ready['adminKey']), 'content-type': 'application/json' },
    body: JSON.stringify({ grantId: 'bench', amount: 1_000 }),
  })
  if (response.status !== 200) throw new Error(`no grant: ${await response.text()}`)
}

/** Opens a stream; answers a function that places one call and resolves with its milliseconds. */
export async function openWay(
  ready: Record<string, unknown>,
): Promise<(id: number) => Promise<number>> {
  const base = String(ready['url'])
  const response = await fetch(`${base}/v1/mcp/sse`, {
    headers: { authorization: `Bearer ${ready['key']}` },
  })
  const endpoint = Promise.withResolvers<string>()
  const replies = new Map<number, PromiseWithResolvers<number>>()
  void follow(response, (data) => {
    if (data.startsWith('/')) return endpoint.resolve(data)
    const { id, error, result } = JSON.parse(data)
    if (error !== undefined || result?.isError === true) throw new Error(data)
    replies.get(id)?.resolve(performance.now())
  }).catch((cause: unknown) => {
    // The stream ends with its server, when everything is measured.
    if (replies.size < ALL_CALLS) throw cause
  })
  const url = base + (await endpoint.promise)
  return async (id) => {
    const reply = Promise.withResolvers<number>()
    replies.set(id, reply)
    const params = { name: 'sg_weather', arguments: { city: 'Oslo' } }
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
    const sentAt = performance.now()
    const headers = { 'content-type': 'application/json' }
    const accepted = await fetch(url, { method: 'POST', headers, body })
    if (accepted.status !== 202) throw new Error(await accepted.text())
    await accepted.arrayBuffer()
    return (await reply.promise) - sentAt
  }
}

async function follow(response: Response, take: (data: string) => void): Promise<void> {
  let text = ''
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk
    for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(text.slice(0, end))?.[1]
      text = text.slice(end + 2)
      if (data !== undefined) take(data)
    }
  }
}
