/**
 * Reply written → event on the stream, embedded store. Flow level: `run-stream` and its DynamoDB
 * tail on one client, the POST and the reply on another, as two functions would; no HTTP in
 * between. A sample begins when the append has resolved and ends when the stream writes the event.
 */
import { setTimeout } from 'node:timers/promises'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import type { ReplyStream } from '../../core/ports.ts'
import { NO_EXECUTE, newUser, openStream } from '../lib/agent.ts'
import { ms, percentile, printTable } from '../lib/figures.ts'
import { type FlowPorts, openBenchStore } from '../lib/gateway.ts'
import { inShort } from '../lib/short.ts'

/** The goals. They bind for as long as the tail keeps its first pace: two seconds (ADR 0014). */
const P50_MS_MAX = 30
const P99_MS_MAX = 120
/** Streams at a time: a few, as one laptop has; the store serialises what they ask. */
const STREAMS = 6

type Load = {
  readonly name: string
  /** Range of the delay after the tail has seen the request; undefined: reply at once. */
  readonly afterSeenMs: readonly [number, number] | undefined
  readonly samples: number
  readonly held: boolean
}

const LOADS: readonly Load[] = [
  {
    name: 'reply at once, before the tail has seen the request',
    afterSeenMs: undefined,
    samples: inShort(120, STREAMS),
    held: false,
  },
  {
    name: 'request pending, reply 0 to 100 ms after',
    afterSeenMs: [0, 100],
    samples: inShort(240, STREAMS),
    held: true,
  },
  {
    name: 'request pending, reply 100 to 400 ms after',
    afterSeenMs: [100, 400],
    samples: inShort(240, STREAMS),
    held: true,
  },
  {
    name: 'request pending, reply 0.4 to 2 s after',
    afterSeenMs: [400, 2_000],
    samples: inShort(120, STREAMS),
    held: true,
  },
  {
    name: 'request pending, reply 2 to 4 s after',
    afterSeenMs: [2_000, 4_000],
    samples: inShort(60, STREAMS),
    held: false,
  },
]

/** True when the goals are met. */
export async function measureDelivery(): Promise<boolean> {
  const store = await openBenchStore()
  try {
    const clock = systemClock()
    const worker = store.ports(clock)
    const authorization = await newUser(worker, 'bench', 100)
    const rows: (readonly string[])[] = []
    let hasMet = true
    for (const load of LOADS) {
      const lanes = Array.from({ length: STREAMS }, () =>
        lane(store.ports(clock), worker, authorization, load),
      )
      const all = (await Promise.all(lanes)).flat()
      const [p50, p99] = [percentile(all, 50), percentile(all, 99)]
      const missed = load.held && (p50 > P50_MS_MAX || p99 > P99_MS_MAX)
      if (missed) hasMet = false
      const goal = load.held ? `≤ ${P50_MS_MAX}, ≤ ${P99_MS_MAX}${missed ? ' MISSED' : ''}` : ''
      rows.push([load.name, String(all.length), ms(p50), ms(p99), ms(Math.max(...all)), goal])
    }
    const columns = [
      'reply written → event on the stream',
      'samples',
      'p50 ms',
      'p99 ms',
      'max',
      'goal',
    ]
    printTable(columns, rows)
    return hasMet
  } finally {
    await store.stop()
  }
}

/** One stream, one request after the other; idle in between for a random while. */
async function lane(
  own: FlowPorts,
  worker: FlowPorts,
  authorization: string,
  load: Load,
): Promise<number[]> {
  const tailSaw = waitPoint()
  const shown = waitPoint()
  const spied = { ...own, execute: NO_EXECUTE, replies: spy(own.replies, tailSaw.reach) }
  const stream = await openStream(spied, authorization, async (block) => {
    const seq = /"id":(\d+)/.exec(block)?.[1]
    if (seq !== undefined) shown.reach(Number(seq))
  })
  const { session, sessionId } = stream.opened
  const delaysMs: number[] = []
  for (let seq = 1; seq <= load.samples / STREAMS; seq += 1) {
    await setTimeout(Math.random() * 300)
    const request = { id: String(seq), postedAtMs: Date.now(), calls: true }
    const writeToken = own.ids.token(9)
    await worker.sessions.accept({ hash: session.hash, nowMs: Date.now(), writeToken, request })
    if (load.afterSeenMs !== undefined) {
      await tailSaw.at(seq)
      const [fromMs, toMs] = load.afterSeenMs
      await setTimeout(fromMs + Math.random() * (toMs - fromMs))
    }
    const text = JSON.stringify({ jsonrpc: '2.0', id: seq, result: { text: 'x'.repeat(1_000) } })
    const sealed = own.seals.seal(sessionId, `reply#${seq}`, text)
    await worker.replies.append({ hash: session.hash, seq, sealed })
    const writtenAt = performance.now()
    delaysMs.push(Math.max(0, (await shown.at(seq)) - writtenAt))
  }
  await stream.close()
  return delaysMs
}

/** Tells when the tail has reported a session record with that many requests. */
function spy(replies: ReplyStream, reach: (seq: number) => void): ReplyStream {
  return {
    append: replies.append,
    tail: async function* (hash, signal) {
      for await (const news of replies.tail(hash, signal)) {
        if (news.kind === 'session') reach(news.session.seq)
        yield news
      }
    },
  }
}

/** Remembers when each number was reached first; `at` waits for it. */
function waitPoint() {
  const points = new Map<number, PromiseWithResolvers<number>>()
  const pointOf = (seq: number) => {
    const point = points.get(seq) ?? Promise.withResolvers<number>()
    points.set(seq, point)
    return point
  }
  return {
    reach: (seq: number) => pointOf(seq).resolve(performance.now()),
    at: (seq: number) => pointOf(seq).promise,
  }
}
