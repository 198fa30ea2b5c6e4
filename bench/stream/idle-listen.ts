/**
 * Store requests of an idle listen stream, counted exactly: its time moves only when none of its
 * requests is running. Requests and units are the store's; opening and ending are not counted.
 */

import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import { type OpenedListen, openListen } from '../../core/flow/streamable-http/open-listen.ts'
import { runListen } from '../../core/flow/streamable-http/run-listen.ts'
import { listWatch } from '../../core/flow/tools/tool-list-watch.ts'
import type { Work } from '../../core/mcp/classified.ts'
import { REVISION_2026_07_28 } from '../../core/mcp/rev2026-07-28/revision.ts'
import type { Clock } from '../../core/ports.ts'
import { ensured, newUser } from '../lib/agent.ts'
import { openBenchStore, SETTINGS } from '../lib/gateway.ts'
import { sleepingClock } from '../lib/sleeping-clock.ts'
import { type IdleHour, sums } from './idle.ts'

const LISTEN_WORK: Work = {
  kind: 'request',
  revision: REVISION_2026_07_28,
  id: '1',
  method: 'subscriptions/listen',
  intent: { kind: 'listen', toolsListChanged: true },
}

export async function countListening(forMs: number): Promise<Omit<IdleHour, 'pings'>> {
  const store = await openBenchStore()
  try {
    const busy = new Set<Promise<unknown>>()
    const clock = steppingClock(busy)
    const consumed: ConsumedUnits[] = []
    const ports = store.ports(clock, { consumed: (one) => consumed.push(one) })
    const authorization = await newUser(ports, 'bench', 100)
    const opened = ensured(await openListen(ports, SETTINGS, authorization))
    let counted: readonly ConsumedUnits[] = []
    const endMs = clock.nowMs() + forMs
    consumed.length = 0
    await runListenUntil(endMs, ports, {
      settings: SETTINGS,
      opened,
      busy,
      onEnd: () => {
        counted = [...consumed]
      },
    })
    return sums(counted)
  } finally {
    await store.stop()
  }
}

/** `onEnd` is called when no request is running, before the stream ends itself. */
export async function runListenUntil(
  endMs: number,
  ports: Parameters<typeof runListen>[0],
  how: {
    readonly settings: Parameters<typeof runListen>[1]
    readonly opened: OpenedListen
    /** Of the clock in `ports`. */
    readonly busy: Set<Promise<unknown>>
    readonly onEnd: () => void
  },
): Promise<void> {
  const { settings, opened, busy, onEnd } = how
  const { clock } = ports
  const gone = new AbortController()
  const watched = {
    ...ports,
    toolListVersion: noted(ports.toolListVersion, busy),
    leases: noted(ports.leases, busy),
    profiles: noted(ports.profiles, busy),
    clock: sleepingClock({
      nowMs: clock.nowMs,
      sleep: async (ms) => {
        await clock.sleep(ms)
        if (clock.nowMs() < endMs) return
        await Promise.allSettled(busy)
        onEnd()
        gone.abort()
      },
    }),
  }
  const outlet = { write: async () => {}, closed: gone.signal, deadlineMs: undefined }
  await runListen(watched, settings, { opened, outlet, work: LISTEN_WORK, watch: listWatch() })
}

/** Each promise of the port is in `busy` until it is settled. */
function noted<P extends object>(port: P, busy: Set<Promise<unknown>>): P {
  return new Proxy(port, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return (...given: readonly unknown[]) => {
        const answer: unknown = Reflect.apply(method, target, given)
        const done = Promise.resolve(answer).finally(() => busy.delete(done))
        busy.add(done)
        return done
      }
    },
  })
}

/** Moves when nothing in `busy` is under way and somebody sleeps; an alarm rings when the time has moved past it, and moves nothing. */
export function steppingClock(busy: ReadonlySet<Promise<unknown>>): Clock {
  // 2033, as in discrete-clock.ts: later than any store's own clock.
  let nowMs = 2_000_000_000_000
  const alarms = new Set<{ readonly atMs: number; readonly ring: () => void }>()
  return {
    nowMs: () => nowMs,
    sleep: async (ms) => {
      // A request that follows a finished one starts in the same turn.
      do {
        await Promise.allSettled(busy)
        await new Promise((turn) => setImmediate(turn))
      } while (busy.size > 0)
      nowMs += ms
      for (const one of alarms) if (one.atMs <= nowMs && alarms.delete(one)) one.ring()
    },
    alarm: (ms, ring) => {
      const one = { atMs: nowMs + ms, ring }
      alarms.add(one)
      return () => void alarms.delete(one)
    },
  }
}
