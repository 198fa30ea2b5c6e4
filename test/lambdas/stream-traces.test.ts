/** Streams that hear of one change together: what each does then is logged in the trace of its own request. */
import { beforeEach, describe, expect, test } from 'vitest'
import { runWithTrace } from '../../adapters/config/trace.ts'
import { makeJsonLog } from '../../adapters/telemetry/json-log.ts'
import { Fault } from '../../core/errors.ts'
import { type Bells, openBells } from '../../core/session/bells.ts'
import { openStream } from '../core/flow/client.ts'
import { makeWorld, type World } from '../core/flow/world.ts'
import { doorOf, modern, opened, withKey } from './mcp/agent.ts'

const TRACE_IDS = { ada: '1'.repeat(32), bob: '2'.repeat(32), change: '3'.repeat(32) }

let world: World
let bells: Bells
let lines: string[]
let isDown: boolean

beforeEach(() => {
  world = makeWorld()
  bells = openBells()
  lines = []
  isDown = false
  const { profiles } = world.ports
  const down = () => Promise.reject(new Fault('store_unavailable', 'the store is down'))
  world.ports.profiles = { ...profiles, read: (uid) => (isDown ? down() : profiles.read(uid)) }
  world.ports.changes = { listen: bells.hear }
  world.ports.log = makeJsonLog({ write: (line) => lines.push(line), clock: world.clock })
})

function inTrace<T>(whose: keyof typeof TRACE_IDS, work: () => T): T {
  return runWithTrace(`00-${TRACE_IDS[whose]}-b7ad6b7169203331-01`, work)
}

/** A change is told of while the store does not answer; the traces of the looks that failed. */
async function tracesOfFailedLooks(): Promise<readonly unknown[]> {
  isDown = true
  inTrace('change', () => bells.ring('tool-lists'))
  await world.clock.settle()
  return lines
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'stream-action-failed')
    .map(({ traceId }) => traceId)
}

describe('a change of the tool list', () => {
  test('is looked for by each SSE stream in its own trace', async () => {
    const streams = []
    for (const uid of ['ada', 'bob'] as const) {
      const key = await world.user(uid)
      streams.push(await inTrace(uid, () => openStream(world, key)))
    }
    await world.clock.settle()
    expect(await tracesOfFailedLooks()).toEqual([TRACE_IDS.ada, TRACE_IDS.bob])
    for (const stream of streams) stream.close()
    await world.clock.settle()
  })

  test('is looked for by each listen stream in its own trace', async () => {
    const listen = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const keys = { ada: await world.user('ada'), bob: await world.user('bob') }
    // The guard of the door begins the trace that the request names.
    const door = doorOf(world)
    const outs = (['ada', 'bob'] as const).map((uid) => {
      const { headers, ...sent } = withKey(keys[uid], listen)
      const traceparent = `00-${TRACE_IDS[uid]}-b7ad6b7169203331-01`
      return opened(door, { ...sent, headers: { ...headers, traceparent } }).out
    })
    await world.clock.settle()
    expect(await tracesOfFailedLooks()).toEqual([TRACE_IDS.ada, TRACE_IDS.bob])
    for (const out of outs) out.destroy()
    await world.clock.settle()
  })
})
