/**
 * Counts the write units of a call over SSE: front door, messages and the open stream, each with a
 * client and caches of its own, as the functions have; all writes of all of them are counted.
 */

import { systemClock } from '../../adapters/crypto/system-clock.ts'
import type { ConsumedUnits } from '../../adapters/dynamodb/client/connection.ts'
import { makeExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import { acceptMessage } from '../../core/flow/sse/accept-message.ts'
import { processMessage } from '../../core/flow/sse/process-message.ts'
import { makeToolListCache } from '../../core/flow/tools/tool-list-cache.ts'
import type { ExecuteDoor, MessagesDoor } from '../../core/ports/sessions.ts'
import { NO_EXECUTE, openStream } from '../lib/agent.ts'
import { type BenchStore, SETTINGS } from '../lib/gateway.ts'
import { callOnce, createTimedUpstream, sumUnits } from '../lib/one-call.ts'
import { runSteps } from '../lib/run-steps.ts'

/**
 * Number of calls after which the stream drops what it delivered, so that this write is counted.
 */
export const SSE_CALLS = 8

/** Returns the mean write units of `SSE_CALLS` calls, one after the other. */
export async function countOverSse(store: BenchStore, authorization: string): Promise<number> {
  const consumed: ConsumedUnits[] = []
  const openPorts = () => store.ports(systemClock(), { consumed: (one) => consumed.push(one) })
  const work: Promise<unknown>[] = []
  const callPorts = { ...openPorts(), upstream: createTimedUpstream(() => {}) }
  const callCaches = makeExecuteCaches()
  const execute: ExecuteDoor = {
    ...NO_EXECUTE,
    execute: async () => {
      const executed = await callOnce(callPorts, callCaches, authorization)
      work.push(runSteps(executed.after))
      return executed.answer
    },
  }
  const caches = { lists: makeToolListCache() }
  const jobVisits = { visit: () => Promise.reject(new Error('no job')) }
  const mcpReadings = { read: () => Promise.reject(new Error('no read')) }
  const ports = { ...callPorts, execute, jobVisits, mcpReadings }
  const context = { ports, settings: SETTINGS, caches }
  const messages: MessagesDoor = {
    handOn: async (handed) => void work.push(processMessage(context, handed)),
  }
  const front = { ...openPorts(), messages }
  let delivered = Promise.withResolvers<void>()
  const forgotten = Promise.withResolvers<void>()
  const own = openPorts()
  const forget: typeof own.sessions.forget = async (watermark) => {
    await own.sessions.forget(watermark)
    forgotten.resolve()
  }
  const streamPorts = { ...own, execute, sessions: { ...own.sessions, forget } }
  const stream = await openStream(streamPorts, authorization, async (block) => {
    if (block.includes('"id":')) delivered.resolve()
  })
  consumed.length = 0
  for (let id = 1; id <= SSE_CALLS; id += 1) {
    delivered = Promise.withResolvers<void>()
    const params = { name: 'sg_bench', arguments: {} }
    const text = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params })
    const body = new TextEncoder().encode(text)
    const accepted = await acceptMessage(front, { sessionId: stream.opened.sessionId, body })
    if (!accepted.ok) throw new Error('the session took no call')
    await delivered.promise
    await Promise.all(work)
  }
  // The stream drops delivered requests with its heartbeat.
  await forgotten.promise
  const units = sumUnits(consumed, 'written')
  await stream.close()
  return units / SSE_CALLS
}
