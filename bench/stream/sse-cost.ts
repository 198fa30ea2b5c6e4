/**
 * The write units of a call over SSE: front door, messages, execute and the open stream, each with
 * a client and caches of its own, as the functions have; all writes of all of them are counted.
 */

import { systemClock } from '../../adapters/crypto/system-clock.ts'
import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import { executeCaches } from '../../core/flow/execute/execute-caches.ts'
import { acceptMessage } from '../../core/flow/sse/accept-message.ts'
import { processMessage } from '../../core/flow/sse/process-message.ts'
import { toolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { ExecuteDoor } from '../../core/ports.ts'
import { openStream } from '../lib/agent.ts'
import type { BenchStore, FlowPorts } from '../lib/gateway.ts'
import { SETTINGS } from '../lib/gateway.ts'
import { callOnce, timedUpstream, unitsOf } from '../lib/one-call.ts'
import { runSteps } from '../lib/run-steps.ts'

/**
 * As many as there are until the stream forgets what it delivered, so that this write is counted.
 */
export const SSE_CALLS = 8

/** Mean write units of one of `SSE_CALLS` calls, one after the other. */
export async function countOverSse(store: BenchStore, authorization: string): Promise<number> {
  const consumed: ConsumedUnits[] = []
  const meter = { consumed: (one: ConsumedUnits) => consumed.push(one) }
  const clock = systemClock()
  const work: Promise<unknown>[] = []
  const execute = executeDoor(store.ports(clock, meter), work)
  const messagesPorts = { ...store.ports(clock, meter), execute }
  const caches = { lists: toolListCache() }
  const context = { ports: messagesPorts, settings: SETTINGS, caches }
  const front = {
    ...store.ports(clock, meter),
    messages: {
      handOn: async (handed: Parameters<typeof processMessage>[1]) => {
        work.push(processMessage(context, handed))
      },
    },
  }
  let shown = Promise.withResolvers<void>()
  const forgotten = Promise.withResolvers<void>()
  const own = store.ports(clock, meter)
  const forget = async (watermark: Parameters<typeof own.sessions.forget>[0]) => {
    await own.sessions.forget(watermark)
    forgotten.resolve()
  }
  const streamPorts = { ...own, execute, sessions: { ...own.sessions, forget } }
  const stream = await openStream(streamPorts, authorization, async (block) => {
    if (block.includes('"id":')) shown.resolve()
  })
  consumed.length = 0
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
  // The stream drops delivered requests with its heartbeat.
  await forgotten.promise
  const units = unitsOf(consumed, 'written')
  await stream.close()
  return units / SSE_CALLS
}

function executeDoor(ports: FlowPorts, work: Promise<unknown>[]): ExecuteDoor {
  const caches = executeCaches()
  const upstream = timedUpstream(() => {})
  return {
    execute: async ({ authorization }) => {
      const executed = await callOnce({ ...ports, upstream }, caches, authorization)
      work.push(runSteps(executed.after))
      return executed.answer
    },
    voidCall: () => Promise.reject(new Error('no call is voided here')),
  }
}
