/**
 * Measures the time from POST to reply event, for a paid call of an upstream that answers at once:
 * through the twin with a bare SSE client, and through bench/stream/bare-server.ts with the same
 * client, by turns. Both are processes of their own; the twin is started as `npm start` does.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { computeMedian, computePercentile, formatMs, printTable } from '../lib/figures.ts'
import { startMeasuredProcess } from '../lib/measured-process.ts'
import { chooseByLength } from '../lib/short.ts'
import { startBenchTwin } from '../lib/start-twin.ts'

const CALLS = chooseByLength(100, 3)
/**
 * Number of calls with which a collection does not decide the p99, and V8 has compiled the path of
 * a call.
 */
const MANY_CALLS = chooseByLength(500, 3)
const P50_MS_MAX = 3
const P99_MS_MAX = 10

/**
 * The passes; `pauseMsMax` is the longest pause before each call, in which a processor turns to
 * other work.
 */
const PASSES = [
  { name: 'the first of a process', calls: CALLS, pauseMsMax: 0, isJudged: false },
  { name: 'warm-up', calls: MANY_CALLS, pauseMsMax: 0, isJudged: false },
  { name: 'one after another', calls: MANY_CALLS, pauseMsMax: 0, isJudged: true },
  { name: 'after a pause', calls: CALLS, pauseMsMax: 300, isJudged: true },
]

/** Returns true if the goals are met. */
export async function measureRoundTrip(): Promise<boolean> {
  const data = mkdtempSync(join(tmpdir(), 'skillgate-bench-'))
  const twin = await startBenchTwin(['--data', data])
  const bare = await startMeasuredProcess('bench/stream/bare-server.ts')
  try {
    const ours = await openCaller(twin.process.ready['url'], twin.keys[0])
    const theirs = await openCaller(bare.ready['url'], undefined)
    const rows: Row[] = []
    const verdicts: boolean[] = []
    for (const pass of PASSES) {
      const measured = await measurePass(pass, ours, theirs)
      rows.push(...measured.rows)
      verdicts.push(measured.hasMet)
    }
    const what = 'POST sent → reply event, 0 ms upstream'
    printTable([what, 'calls', 'p50 ms', 'p99 ms', 'ratio of p50', 'goal'], rows)
    return verdicts.every((hasMet) => hasMet)
  } finally {
    await Promise.all([twin.process.stop(), bare.stop()])
    rmSync(data, { recursive: true })
  }
}

type Row = readonly (string | number)[]
type Call = () => Promise<number>

/** Measures both ways by turns, so that a busy moment of the machine affects both. */
async function measurePass(
  { calls, isJudged, name, pauseMsMax }: (typeof PASSES)[number],
  ours: Call,
  theirs: Call,
): Promise<{ readonly rows: readonly Row[]; readonly hasMet: boolean }> {
  const [our, their]: [number[], number[]] = [[], []]
  for (let made = 0; made < calls; made += 1) {
    if (pauseMsMax > 0) await setTimeout(Math.random() * pauseMsMax)
    our.push(await ours())
    their.push(await theirs())
  }
  const isMet = computeMedian(our) <= P50_MS_MAX && computePercentile(our, 99) <= P99_MS_MAX
  const goal = isJudged ? `≤ ${P50_MS_MAX}, ≤ ${P99_MS_MAX}${isMet ? '' : ' MISSED'}` : ''
  const ratio = (computeMedian(our) / computeMedian(their)).toFixed(1)
  const cells = (times: number[]) => [
    times.length,
    formatMs(computeMedian(times)),
    formatMs(computePercentile(times, 99)),
  ]
  return {
    rows: [
      [`npm start, ${name}`, ...cells(our), ratio, goal],
      [`a bare Node server, the same hops, ${name}`, ...cells(their), '1.0', ''],
    ],
    hasMet: isMet || !isJudged,
  }
}

/** Opens a stream and returns a function that makes one call and resolves with its milliseconds. */
async function openCaller(base = '', key = ''): Promise<Call> {
  const headers = { authorization: `Bearer ${key}` }
  const response = await fetch(`${base}/v1/mcp/sse`, { headers })
  const events = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    [Symbol.asyncIterator]()
  const next = async () => (await events?.next())?.value?.data ?? ''
  const url = base + (await next())
  let id = 0
  return async () => {
    id += 1
    const params = { name: 'sg_weather', arguments: { city: 'Oslo' } }
    const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
    const sentAt = performance.now()
    const reply = awaitReply(id, next)
    const accepted = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    if (accepted.status !== 202) throw new Error(await accepted.text())
    await accepted.arrayBuffer()
    return (await reply) - sentAt
  }
}

/** Returns the time at which the reply arrived; notifications are skipped. */
async function awaitReply(id: number, next: () => Promise<string>): Promise<number> {
  for (;;) {
    const data = await next()
    const atMs = performance.now()
    const { error, id: answered, result } = JSON.parse(data)
    if (error !== undefined || result?.isError === true) throw new Error(data)
    if (answered === id) return atMs
  }
}
