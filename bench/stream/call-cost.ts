/**
 * Counts the store requests of one call: requests in a row before and after the upstream, and the
 * units that the store reports. A test holds these counts (test/bench/stream/call-cost.test.ts).
 */

import { setTimeout } from 'node:timers/promises'
import { systemClock } from '../../adapters/crypto/system-clock.ts'
import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import { makeExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import { createBenchUser } from '../lib/agent.ts'
import { printTable } from '../lib/figures.ts'
import { type BenchStore, openBenchStore, type StoreRequest } from '../lib/gateway.ts'
import { callOnce, createTimedUpstream, sumUnits, syncBenchSkill } from '../lib/one-call.ts'
import { runSteps } from '../lib/run-steps.ts'
import { countOverSse, SSE_CALLS } from './sse-cost.ts'

export type CallCost = {
  /** Longest chain of requests, one after the other, before the request to the upstream. */
  readonly rowBefore: number
  /** The same between the upstream's response and the gateway's. */
  readonly rowBetween: number
  readonly writeUnits: number
  readonly readUnits: number
}

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
      row('execute, nothing in caches, first of its minute', cold, '3, 0, ≤ 5, ≤ 4'),
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
    await waitForMinute()
    const clock = systemClock()
    // The skill was synced a while ago, because functions do not cache a skill that has just
    // changed.
    const ports = store.ports({ ...clock, nowMs: () => clock.nowMs() - SYNCED_AGO_MS })
    const authorization = await createBenchUser(ports, 'bench', 1_000)
    await syncBenchSkill(ports)
    const execute = createCountingExecute(store, authorization)
    return {
      cold: await execute(),
      warm: await execute(),
      sseWriteUnits: await countOverSse(store, authorization),
    }
  } finally {
    await store.stop()
  }
}

const SYNCED_AGO_MS = 60_000

/**
 * Waits for a new minute if the current one would end amid the calls, which would cost another
 * sweep entry.
 */
async function waitForMinute(): Promise<void> {
  const leftMs = 60_000 - (Date.now() % 60_000)
  if (leftMs < CALLS_MS) await setTimeout(leftMs)
}

/** Longest duration of the calls on a busy machine. */
const CALLS_MS = 4_000

/**
 * Returns a function that makes counted calls in one environment, one after the other; the first
 * call finds nothing in its caches.
 */
function createCountingExecute(store: BenchStore, authorization: string): () => Promise<CallCost> {
  const consumed: ConsumedUnits[] = []
  const requests: StoreRequest[] = []
  const meter = {
    consumed: (one: ConsumedUnits) => consumed.push(one),
    request: (one: StoreRequest) => requests.push(one),
  }
  const ports = store.ports(systemClock(), meter)
  const caches = makeExecuteCaches()
  return async () => {
    consumed.length = 0
    requests.length = 0
    let upstreamAt = { startMs: 0, endMs: 0 }
    const upstream = createTimedUpstream((at) => {
      upstreamAt = at
    })
    const executed = await callOnce({ ...ports, upstream }, caches, authorization)
    const answeredMs = performance.now()
    await runSteps(executed.after)
    const between = (one: StoreRequest) =>
      one.startMs >= upstreamAt.endMs && one.startMs < answeredMs
    return {
      rowBefore: findLongestRow(requests.filter(({ endMs }) => endMs <= upstreamAt.startMs)),
      rowBetween: findLongestRow(requests.filter(between)),
      writeUnits: sumUnits(consumed, 'written'),
      readUnits: sumUnits(consumed, 'read'),
    }
  }
}

/**
 * Returns the length of the longest row of requests of which each began after the previous one had
 * ended.
 */
function findLongestRow(requests: readonly StoreRequest[]): number {
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
