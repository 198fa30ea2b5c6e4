/**
 * Counts the store requests of a quiet stream of either transport, exactly, on a clock that moves
 * when the store is idle: a user's stream whose client only answers pings. Opening and ending are
 * not counted.
 */

import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import { openListen } from '../../core/flow/streamable-http/open-listen.ts'
import { runListen } from '../../core/flow/streamable-http/run-listen.ts'
import { makeListWatch } from '../../core/flow/tools/tool-list-watch.ts'
import type { Work } from '../../core/mcp/classified.ts'
import { REVISION_2026_07_28 } from '../../core/mcp/rev2026-07-28/revision.ts'
import type { Settings } from '../../core/settings.ts'
import { createBenchUser, NO_EXECUTE, openStream, unwrap } from '../lib/agent.ts'
import { credentialOf } from '../lib/credential.ts'
import { printTable } from '../lib/figures.ts'
import { type FlowPorts, openBenchStore, SETTINGS } from '../lib/gateway.ts'
import { sumUnits } from '../lib/one-call.ts'
import { createQuietClock } from '../lib/quiet-clock.ts'

const HOUR_MS = 3_600_000

export type StreamKind = 'sse' | 'listen'

export type IdleTime = { readonly readUnits: number; readonly writeUnits: number }

export async function measureIdle(): Promise<void> {
  const hours = { sse: await countIdle('sse', HOUR_MS), listen: await countIdle('listen', HOUR_MS) }
  printTable(
    ['an idle stream, per hour (counted)', 'RRU', 'WRU'],
    Object.entries(hours).map(([kind, { readUnits, writeUnits }]) => [kind, readUnits, writeUnits]),
  )
}

export async function countIdle(kind: StreamKind, forMs: number): Promise<IdleTime> {
  const store = await openBenchStore()
  try {
    const all: ConsumedUnits[] = []
    let isCounted = false
    const consumed = (one: ConsumedUnits) => isCounted && all.push(one)
    const ports = store.ports(createQuietClock(store.isBusy), { consumed })
    const count = (counts: boolean) => {
      isCounted = counts
    }
    const authorization = await createBenchUser(ports, 'bench', 100)
    await runIdle(kind, { ports, authorization, forMs, count, settings: SETTINGS })
    return { readUnits: sumUnits(all, 'read'), writeUnits: sumUnits(all, 'written') }
  } finally {
    await store.stop()
  }
}

export type IdleRun = {
  /** Ports with a clock that moves when their store is idle. */
  readonly ports: FlowPorts
  readonly settings: Settings
  readonly authorization: string
  readonly forMs: number
  /** Called with true when the stream is open, and with false before it ends. */
  readonly count: (counts: boolean) => void
}

export function runIdle(kind: StreamKind, run: IdleRun): Promise<void> {
  return kind === 'sse' ? runSseStream(run) : runListenStream(run)
}

async function runSseStream({
  authorization,
  count,
  forMs,
  ports,
  settings,
}: IdleRun): Promise<void> {
  const open = Promise.withResolvers<void>()
  let hash = ''
  const stream = await openStream(
    { ...ports, execute: NO_EXECUTE },
    authorization,
    async (block) => {
      if (block.startsWith('retry:')) {
        count(true)
        open.resolve(ports.clock.sleep(forMs))
      }
      if (!block.includes('"method":"ping"')) return
      const [nowMs, writeToken] = [ports.clock.nowMs(), ports.ids.token(9)]
      await ports.sessions.accept({ hash, nowMs, writeToken, request: undefined })
    },
    settings,
  )
  hash = stream.opened.session.hash
  await open.promise
  count(false)
  await stream.close()
}

const LISTEN_WORK: Work = {
  kind: 'request',
  revision: REVISION_2026_07_28,
  id: '1',
  method: 'subscriptions/listen',
  intent: { kind: 'listen', toolsListChanged: true },
}

async function runListenStream(run: IdleRun): Promise<void> {
  const { authorization, count, forMs, ports, settings } = run
  const credential = credentialOf(authorization)
  const opened = unwrap(await openListen(ports, settings, { credential }))
  const gone = new AbortController()
  count(true)
  void ports.clock.sleep(forMs).then(() => {
    count(false)
    gone.abort()
  })
  const outlet = { write: async () => {}, closed: gone.signal, deadlineMs: undefined }
  // A stream that follows no task makes and voids no call.
  const execute = { voidCall: () => Promise.reject(new Error('no call')) }
  const jobVisits = { visit: () => Promise.reject(new Error('no job')) }
  const needs = { ...ports, execute, jobVisits }
  await runListen(needs, settings, { opened, outlet, work: LISTEN_WORK, watch: makeListWatch() })
}
