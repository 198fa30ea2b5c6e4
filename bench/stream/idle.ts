/**
 * Store requests of an idle stream in one hour, counted exactly on a clock of our own: a user's
 * stream whose client only answers pings. Requests and units are those that the store reports.
 */
import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import { NO_EXECUTE, newUser, openStream } from '../lib/agent.ts'
import { discreteClock } from '../lib/discrete-clock.ts'
import { printTable } from '../lib/figures.ts'
import { openBenchStore } from '../lib/gateway.ts'

const HOUR_MS = 3_600_000
const READS: readonly string[] = ['get', 'batchGet', 'query']

export type IdleHour = {
  readonly reads: number
  readonly readUnits: number
  readonly writes: number
  readonly writeUnits: number
  readonly pings: number
}

export async function measureIdle(): Promise<void> {
  const hour = await countIdle(HOUR_MS)
  printTable(
    ['an idle stream, per hour (counted)', 'requests', 'units'],
    [
      ['reads', hour.reads, `${hour.readUnits} RRU`],
      ['writes', hour.writes, `${hour.writeUnits} WRU`],
      ['pings answered by the client', hour.pings, ''],
    ],
  )
}

export async function countIdle(forMs: number): Promise<IdleHour> {
  const store = await openBenchStore()
  try {
    // The two loops of run-stream: it follows the replies, and it beats.
    const clock = discreteClock(2)
    const startMs = clock.nowMs()
    const all: ConsumedUnits[] = []
    const consumed = (one: ConsumedUnits) => {
      if (clock.nowMs() < startMs + forMs) all.push(one)
    }
    const ports = store.ports(clock, { consumed })
    const authorization = await newUser(ports, 'bench', 100)
    const over = Promise.withResolvers<void>()
    let hash = ''
    let pings = 0
    const stream = await openStream(
      { ...ports, execute: NO_EXECUTE },
      authorization,
      async (block) => {
        if (block.startsWith('retry:')) all.length = 0
        if (clock.nowMs() - startMs >= forMs) over.resolve()
        if (!block.includes('"method":"ping"') || clock.nowMs() >= startMs + forMs) return
        pings += 1
        const answer = {
          hash,
          nowMs: clock.nowMs(),
          writeToken: ports.ids.token(9),
          request: undefined,
        }
        await ports.sessions.accept(answer)
      },
    )
    hash = stream.opened.session.hash
    await over.promise
    await stream.close()
    return { ...sums(all), pings }
  } finally {
    await store.stop()
  }
}

export function sums(consumed: readonly ConsumedUnits[]): Omit<IdleHour, 'pings'> {
  const reads = consumed.filter(({ command }) => READS.includes(command))
  const writes = consumed.filter(({ command }) => !READS.includes(command))
  const unitsOf = (some: readonly ConsumedUnits[]) =>
    some.reduce((sum, { units }) => sum + units, 0)
  return {
    reads: reads.length,
    readUnits: unitsOf(reads),
    writes: writes.length,
    writeUnits: unitsOf(writes),
  }
}
