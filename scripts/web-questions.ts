/**
 * `npm run web:questions`: holds idle streams at the Web Function of a deployed stage and writes down what can be
 * seen of them from outside, to answer what nobody knows: what an idle stream is billed, and whether streams
 * share an environment and how they end. Makes no call. Costs what the streams cost.
 *
 *   SKILLGATE_KEYS=KEY,KEY    API keys: eight for 128 streams, since a key opens 30 a minute and holds
 *                             `streamsPerKeyMax` of the stage
 *   -- --url URL              the output WebSseUrl of the stack Skillgate-<stage>-Web
 *   -- --streams N            128 unless told
 *   -- --minutes N            60 unless told
 */
import './help.ts'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createParser } from 'eventsource-parser'

/** How the streams fared. */
export type StreamCounts = {
  open: number
  opened: number
  /** The response ended as a whole, as at a rotation and after SIGTERM. */
  endedWhole: number
  /** The connection broke off. */
  brokenOff: number
  /** By status; 0 for no answer. */
  readonly refused: Map<number, number>
  /** The longest time without a byte, while a stream was open. */
  silentMsMax: number
}

export type Held = {
  readonly url: URL
  /** One or more; streams take them in turn. */
  readonly keys: readonly string[]
  readonly streams: number
  readonly signal: AbortSignal
}

/** A client that got no `retry` waits this long; ours says 200 ms. */
const RETRY_MS = 1_000
const REFUSED_RETRY_MS = 5_000

export function noStreams(): StreamCounts {
  const counts = { open: 0, opened: 0, endedWhole: 0, brokenOff: 0, silentMsMax: 0 }
  return { ...counts, refused: new Map() }
}

/** Holds that many streams until the signal, each opened again when it ends. Never rejects. */
export async function holdStreams(held: Held, counts: StreamCounts): Promise<void> {
  await Promise.all(Array.from({ length: held.streams }, (_, at) => holdOne(held, at, counts)))
}

async function holdOne(held: Held, at: number, counts: StreamCounts): Promise<void> {
  while (!held.signal.aborted) {
    const retryMs = await readOne(held, held.keys[at % held.keys.length] ?? '', counts)
    await sleep(retryMs, undefined, { signal: held.signal }).catch(() => {})
  }
}

/** Until the stream ends; answers after how many milliseconds to come back. */
async function readOne({ signal, url }: Held, key: string, counts: StreamCounts): Promise<number> {
  const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' }
  const response = await fetch(new URL('/v1/mcp/sse', url), { headers, signal }).catch(
    () => undefined,
  )
  if (response?.status !== 200 || response.body === null) {
    const status = response?.status ?? 0
    if (!signal.aborted) counts.refused.set(status, (counts.refused.get(status) ?? 0) + 1)
    await response?.body?.cancel()
    return REFUSED_RETRY_MS
  }
  let retryMs = RETRY_MS
  const parser = createParser({
    onEvent: () => {},
    onRetry: (toldMs) => {
      retryMs = toldMs
    },
  })
  counts.open += 1
  counts.opened += 1
  let lastMs = Date.now()
  try {
    for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
      counts.silentMsMax = Math.max(counts.silentMsMax, Date.now() - lastMs)
      lastMs = Date.now()
      parser.feed(text)
    }
    counts.endedWhole += 1
  } catch {
    if (!signal.aborted) counts.brokenOff += 1
  } finally {
    counts.open -= 1
  }
  return retryMs
}

export function lineOf(minute: number, counts: StreamCounts): string {
  const refused = [...counts.refused].map(([status, times]) => ` ${status}×${times}`).join('')
  return [
    `minute ${minute}: ${counts.open} open`,
    `${counts.opened} opened`,
    `${counts.endedWhole} ended whole`,
    `${counts.brokenOff} broken off`,
    `refused:${refused === '' ? ' none' : refused}`,
    `longest silence ${(counts.silentMsMax / 1000).toFixed(1)} s`,
  ].join(', ')
}

/** What to ask AWS for afterwards. Times are ISO 8601. */
export function questionsOf(fromMs: number, untilMs: number): string {
  const iso = (atMs: number) => new Date(atMs).toISOString()
  const day = (atMs: number) => iso(atMs).slice(0, 10)
  const dayMs = 86_400_000
  return `
1. What is an idle stream billed? A day later, with no other traffic on the stage in that hour:

   aws ce get-cost-and-usage --time-period Start=${day(fromMs)},End=${day(untilMs + dayMs)} --granularity DAILY \\
     --metrics UnblendedCost UsageQuantity --group-by Type=DIMENSION,Key=USAGE_TYPE \\
     --filter '{"Dimensions":{"Key":"SERVICE","Values":["AWS Lambda"]}}'

   Divide the cost of the usage types of Web Functions by the streams and hours above.

2. Did the streams share environments, and how did SIGTERM reach them? Each environment logs cold-start once; each
   stream that ends logs stream-ended. Deploy the stage again in the middle of a run: streams that the server ended count
   as "ended whole" above, those that the platform cut as "broken off".

   aws logs filter-log-events --log-group-name "$(out Web WebLogsName)" --start-time ${fromMs} --end-time ${untilMs} \\
     --filter-pattern '{ $.event = "cold-start" }' --query 'events[].[timestamp,logStreamName]' --output text
   aws logs filter-log-events --log-group-name "$(out Web WebLogsName)" --start-time ${fromMs} --end-time ${untilMs} \\
     --filter-pattern '{ $.event = "stream-ended" }' --query 'events[].message' --output text
`
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      streams: { type: 'string', default: '128' },
      minutes: { type: 'string', default: '60' },
    },
  })
  const keys = (process.env['SKILLGATE_KEYS'] ?? '').split(',').filter((key) => key !== '')
  const [streams, minutes] = [Number(values.streams), Number(values.minutes)]
  if (values.url === undefined || !URL.canParse(values.url))
    throw new Error('--url: give WebSseUrl')
  if (keys.length === 0) throw new Error('SKILLGATE_KEYS: is missing; give API keys, by commas')
  if (!Number.isInteger(streams) || streams < 1) throw new Error('--streams: give a whole number')
  if (!Number.isInteger(minutes) || minutes < 1) throw new Error('--minutes: give a whole number')
  const over = new AbortController()
  const counts = noStreams()
  const fromMs = Date.now()
  const url = new URL(values.url)
  const holding = holdStreams({ url, keys, streams, signal: over.signal }, counts)
  for (let minute = 1; minute <= minutes; minute += 1) {
    await sleep(60_000)
    console.log(lineOf(minute, counts))
  }
  over.abort()
  await holding
  console.log(questionsOf(fromMs, Date.now()))
}

if (import.meta.main) {
  await main().catch((cause: unknown) => {
    console.error(cause instanceof Error ? cause.message : String(cause))
    process.exitCode = 1
  })
}
