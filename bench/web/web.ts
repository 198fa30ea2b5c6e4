/**
 * `npm run bench:web`: what streams cost the process of the Web Function, and calls beside them. Its memory with
 * one stream and with as many as it takes, and how long a call of one agent takes with and without the others.
 * Exits 1 when a goal is missed. Takes about two minutes; the machine should have nothing else to do. Says nothing of
 * AWS: there is no Web Function on this machine. `-- --short` only tries whether it works.
 */
import '../../scripts/help.ts'
import { CONCURRENT_REQUESTS_MAX } from '../../lambdas/web/limits.ts'
import { type BareStream, openBareStream, toolCall } from '../../test/lambda/doors/agents.ts'
import { newUser, syncSkills } from '../../test/lambda/doors/people.ts'
import { startWorld, type World } from '../../test/lambda/doors/world.ts'
import { startWeb } from '../../test/lambda/web/web-process.ts'
import { median, ms, percentile, printMachine, printTable } from '../lib/figures.ts'
import { residentKb } from '../lib/process-tree.ts'
import { inShort, judge } from '../lib/short.ts'

const STREAM_KB_MAX = 40
const LATENCY_RATIO_MAX = 1.5
const CALLS = inShort(60, 6)
/** A key opens 30 streams a minute at most. */
const KEYS = 16
/** Until what opening left behind is collected, and each stream has sent comments. */
const SETTLE_MS = inShort(12_000, 200)
const MANY = { SSE_CONCURRENCY: '1000', STREAMS_PER_KEY_MAX: '1000', TIER_LIMITS: 'free:10000' }

printMachine('npm run bench:web')
const world = await startWorld({ env: MANY })
await syncSkills(world)
// Two, as on AWS: the platform sends a message to another environment when one is full of streams.
const [streams, other] = [await startWeb(world, MANY), await startWeb(world, MANY)]
const at = (url: string): World => ({ ...world, sseUrl: { ...world.sseUrl, url } })
const keys: string[] = []
for (let n = 0; n < KEYS; n += 1) keys.push((await newUser(world, `user${n}`, 1_000)).key)

const one = await openBareStream(at(streams.url), keys[0] ?? '')
await settled()
const fresh = residentKb(streams.pid)
// The first crowd raises the heap to what its work needs, which V8 keeps; the second one is measured above that.
const first = await openMany(CONCURRENT_REQUESTS_MAX - 1)
await settled()
const firstFull = residentKb(streams.pid)
for (const { leave } of first) leave()
await settled()
const before = residentKb(streams.pid)
const alone = await latencies(one)
const beside = await openMany(CONCURRENT_REQUESTS_MAX - 1)
await settled()
const full = residentKb(streams.pid)
const perStreamKb = (full - before) / beside.length
const together = await latencies(one)
for (const { leave } of [one, ...beside]) leave()
await Promise.all([streams.stop(), other.stop()])
await world.stop()

const ratio = median(together) / median(alone)
printTable(
  ['streams in the process', 'call, median ms', 'call, p95 ms'],
  [
    [1, ms(median(alone)), ms(percentile(alone, 95))],
    [CONCURRENT_REQUESTS_MAX, ms(median(together)), ms(percentile(together, 95))],
  ],
)
printTable(
  ['resident memory of the process, MB', 'one stream', '128 streams', 'kB a stream'],
  [
    ['first', mb(fresh), mb(firstFull), ms((firstFull - fresh) / first.length)],
    ['again', mb(before), mb(full), ms(perStreamKb)],
  ],
)
printTable(
  ['', 'measured', 'goal at most'],
  [
    ['resident memory of a stream, kB, the second time', ms(perStreamKb), STREAM_KB_MAX],
    ['median latency of a call beside the others ÷ alone', ratio.toFixed(2), LATENCY_RATIO_MAX],
  ],
)
judge(perStreamKb <= STREAM_KB_MAX && ratio <= LATENCY_RATIO_MAX)
process.exit()

async function openMany(count: number): Promise<BareStream[]> {
  const opened: BareStream[] = []
  for (let n = 0; n < count; n += 1) {
    const stream = await openBareStream(at(streams.url), keys[n % KEYS] ?? '')
    if (stream.response.status !== 200) throw new Error(`a stream got ${stream.response.status}`)
    opened.push(stream)
    // Reads on, as a client does.
    void (async () => {
      while ((await stream.nextBlock()) !== undefined);
    })().catch(() => {})
  }
  return opened
}

/** One call after the other, posted to the other process. */
async function latencies(stream: BareStream): Promise<number[]> {
  const taken: number[] = []
  for (let id = 1; id <= CALLS; id += 1) {
    const startMs = performance.now()
    await stream.postTo(other.url, toolCall(id, 'sg_echo', { text: 'x' }))
    await stream.nextReply()
    taken.push(performance.now() - startMs)
  }
  return taken.slice(CALLS / 6)
}

function mb(kb: number): string {
  return ms(kb / 1_024)
}

function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
}
