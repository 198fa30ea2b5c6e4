/**
 * What one call asks of the store, counted: requests in a row before the upstream and behind it, and
 * the units, by the store's own word. A test holds these counts (test/bench/call-cost.test.ts).
 */
import { randomBytes } from 'node:crypto'
import { systemClock } from '../adapters/crypto/system-clock.ts'
import type { Consumed } from '../adapters/dynamodb/connection.ts'
import { acceptMessage } from '../core/flow/accept-message.ts'
import { answerMessage } from '../core/flow/answer-message.ts'
import { executeSkill } from '../core/flow/execute-skill.ts'
import { toolListMemory } from '../core/flow/list-tools.ts'
import { type SweepMemory, sweepMemory } from '../core/flow/sweep-memory.ts'
import { syncSkill } from '../core/flow/sync-skill.ts'
import type { ExecuteDoor, Ports, Upstream } from '../core/ports.ts'
import { ensured, newUser, openStream } from './agent.ts'
import { printTable } from './figures.ts'
import {
  type BenchStore,
  type FlowPorts,
  openBenchStore,
  SETTINGS,
  type StoreRequest,
} from './gateway.ts'

const READS: readonly string[] = ['get', 'batchGet', 'query']
/** As many as there are until the stream forgets what it delivered, so that this write is counted. */
const SSE_CALLS = 8
/** Base64 of random bytes: a reply of 1 kB that gzip cannot shrink to nothing. */
const ANSWER = JSON.stringify({ data: randomBytes(700).toString('base64') })

export type CallCost = {
  /** Longest chain of requests one after the other, before the upstream was asked. */
  readonly rowBefore: number
  /** The same between the upstream's answer and ours. */
  readonly rowBetween: number
  readonly writeUnits: number
  readonly readUnits: number
}

type Bench = { readonly store: BenchStore; readonly authorization: string }

export async function measureCallCost(): Promise<void> {
  const { cold, warm, sseWriteUnits } = await countCalls()
  const row = (name: string, cost: CallCost, goal: string) => [
    name,
    cost.rowBefore,
    cost.rowBetween,
    cost.writeUnits,
    cost.readUnits,
    goal,
  ]
  printTable(
    [
      'one paid call (counted)',
      'in a row before the upstream',
      'between its answer and ours',
      'WRU',
      'RRU',
      'goal',
    ],
    [
      row('execute, nothing in memory, first of its minute', cold, '3, 0, ≤ 5, ≤ 4'),
      row('execute, key and skill in memory', warm, '2, 0, ≤ 5, ≤ 4'),
      [`over SSE, 1 kB reply (mean of ${SSE_CALLS})`, '', '', sseWriteUnits, '', '≤ 8 WRU'],
    ],
  )
}

export async function countCalls(): Promise<{
  readonly cold: CallCost
  readonly warm: CallCost
  readonly sseWriteUnits: number
}> {
  const store = await openBenchStore()
  try {
    const ports = store.ports(systemClock())
    const authorization = await newUser(ports, 'bench', 1_000)
    const skill = {
      id: 'sg_bench',
      source: 'official',
      meta: { name: 'bench', description: 'Answers 1 kB.', parameters: { type: 'object' } },
      config: { endpoint: 'https://upstream.invalid/', method: 'GET' },
      credits_per_call: 0.5,
    }
    const text = JSON.stringify(skill)
    ensured(
      await syncSkill(ports, SETTINGS, { text, source: undefined, uid: undefined, list: 'now' }),
    )
    const bench = { store, authorization }
    const execute = countingExecute(bench)
    return {
      cold: await execute(),
      warm: await execute(),
      sseWriteUnits: await countOverSse(bench),
    }
  } finally {
    await store.stop()
  }
}

/** Calls in one environment, one after the other: the first finds nothing in its memory. */
function countingExecute({ store, authorization }: Bench): () => Promise<CallCost> {
  const seen: Consumed[] = []
  const requests: StoreRequest[] = []
  const meter = {
    consumed: (one: Consumed) => seen.push(one),
    request: (one: StoreRequest) => requests.push(one),
  }
  const ports = store.ports(systemClock(), meter)
  const marks = sweepMemory()
  return async () => {
    seen.length = 0
    requests.length = 0
    let upstreamAt = { startMs: 0, endMs: 0 }
    const upstream = timedUpstream((at) => {
      upstreamAt = at
    })
    const executed = await run({ ...ports, upstream }, marks, authorization)
    const answeredMs = performance.now()
    await executed.after?.()
    const between = (one: StoreRequest) =>
      one.startMs >= upstreamAt.endMs && one.startMs < answeredMs
    return {
      rowBefore: longestRow(requests.filter(({ endMs }) => endMs <= upstreamAt.startMs)),
      rowBetween: longestRow(requests.filter(between)),
      writeUnits: unitsOf(seen, 'written'),
      readUnits: unitsOf(seen, 'read'),
    }
  }
}

async function run(
  ports: FlowPorts & { upstream: Upstream },
  marks: SweepMemory,
  authorization: string,
) {
  const executed = await executeSkill({ ...ports, answers: NO_ANSWERS }, SETTINGS, marks, {
    authorization,
    body: { skill: 'sg_bench', arguments: {} },
    terms: undefined,
    idempotencyKey: undefined,
    gone: new AbortController().signal,
  })
  if (executed.answer.kind === 'problem') throw new Error(executed.answer.body.detail)
  return executed
}

const NO_KEY = () => Promise.reject(new Error('no Idempotency-Key is sent here'))
const NO_ANSWERS: Ports['answers'] = { claim: NO_KEY, keep: NO_KEY, drop: NO_KEY }

function timedUpstream(asked: (at: StoreRequest) => void): Upstream {
  return {
    send: async () => {
      const body = new TextEncoder().encode(ANSWER)
      asked({ startMs: performance.now(), endMs: performance.now() })
      const response = { status: 200, mediaType: 'application/json', charset: 'utf-8', body }
      return { kind: 'answered', response }
    },
  }
}

/** Front door, messages, execute and the open stream, each with a client and caches of its own. */
async function countOverSse({ store, authorization }: Bench): Promise<number> {
  const seen: Consumed[] = []
  const meter = { consumed: (one: Consumed) => seen.push(one) }
  const clock = systemClock()
  const work: Promise<unknown>[] = []
  const execute = executeDoor(store.ports(clock, meter), work)
  const messagesPorts = { ...store.ports(clock, meter), execute }
  const memory = toolListMemory()
  const front = {
    ...store.ports(clock, meter),
    messages: {
      handOn: async (handed: Parameters<typeof answerMessage>[3]) => {
        work.push(answerMessage(messagesPorts, SETTINGS, memory, handed))
      },
    },
  }
  let shown = Promise.withResolvers<void>()
  const forgotten = Promise.withResolvers<void>()
  const own = store.ports(clock, meter)
  const forget = async (what: Parameters<typeof own.sessions.forget>[0]) => {
    await own.sessions.forget(what)
    forgotten.resolve()
  }
  const streamPorts = { ...own, execute, sessions: { ...own.sessions, forget } }
  const stream = await openStream(streamPorts, authorization, async (block) => {
    if (block.includes('"id":')) shown.resolve()
  })
  seen.length = 0
  for (let id = 1; id <= SSE_CALLS; id += 1) {
    shown = Promise.withResolvers<void>()
    const params = { name: 'sg_bench', arguments: {} }
    const body = new TextEncoder().encode(
      JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params }),
    )
    const accepted = await acceptMessage(front, { sessionId: stream.opened.sessionId, body })
    if (!accepted.ok) throw new Error('the session took no call')
    await shown.promise
    await Promise.all(work)
  }
  // What was delivered is forgotten with a beat of the stream.
  await forgotten.promise
  const units = unitsOf(seen, 'written')
  await stream.close()
  return units / SSE_CALLS
}

function executeDoor(ports: FlowPorts, work: Promise<unknown>[]): ExecuteDoor {
  const marks = sweepMemory()
  const upstream = timedUpstream(() => {})
  return {
    execute: async ({ authorization }) => {
      const executed = await run({ ...ports, upstream }, marks, authorization)
      work.push(executed.after?.() ?? Promise.resolve())
      return executed.answer
    },
    voidCall: () => Promise.reject(new Error('no call is voided here')),
  }
}

/** The most requests of which each began after the one before it had ended. */
function longestRow(requests: readonly StoreRequest[]): number {
  const inOrder = [...requests].sort((a, b) => a.startMs - b.startMs)
  const rows: number[] = []
  inOrder.forEach((one, index) => {
    const before = inOrder
      .slice(0, index)
      .map((other, at) => (other.endMs <= one.startMs ? (rows[at] ?? 0) : 0))
    rows.push(1 + Math.max(0, ...before))
  })
  return Math.max(0, ...rows)
}

function unitsOf(seen: readonly Consumed[], kind: 'read' | 'written'): number {
  return seen
    .filter(({ command }) => READS.includes(command) === (kind === 'read'))
    .reduce((sum, { units }) => sum + units, 0)
}
