/**
 * Streams of one key open, end and are ended for younger ones: an opener counts every stream that
 * was open before it began, so that no key has more than its limit by opening one after another.
 */
import { type OpenedSession, openSession } from '../../../core/flow/sse/open-session.ts'
import type { Settings } from '../../../core/settings.ts'
import { keyOf } from '../../contracts/fresh.ts'
import { SETTINGS } from '../../core/flow/world.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import { itemAt, type Process, plan, quietly, report, type World } from '../world.ts'

const PER_KEY_MAX = 2
const API_KEY = `sgk_${'k'.repeat(43)}`
const settings: Settings = {
  ...SETTINGS,
  streams: { perKeyMax: PER_KEY_MAX, totalMax: 70, anonymousMax: 7 },
}

type OpenStream = {
  readonly hash: string
  readonly openedAt: number
  readonly process: Process
  /** It ends itself, or another stream may have ended it. */
  closed: boolean
}

type Streams = { readonly open: OpenStream[]; ticks: number }

export const leases: Scenario = {
  name: 'leases',
  async start(world) {
    const streams: Streams = { open: [], ticks: 0 }
    await quietly(world, async (ports, process) => {
      const { digests } = flowPorts(process)
      const nowMs = world.scheduler.nowMs()
      const dates = { createdAtMs: nowMs, renewedAtMs: nowMs, expiresAtMs: nowMs + 86_400_000 }
      await ports.keys.put(keyOf(digests.sha256(API_KEY), dates))
    })
    for (let openers = 3 + world.random.below(3); openers > 0; openers -= 1) {
      plan(world, 'a stream opens', (process) => open(world, streams, process))
    }
    return async () => {}
  },
}

async function open(world: World, streams: Streams, process: Process): Promise<void> {
  streams.ticks += 1
  const begun = streams.ticks
  const ports = flowPorts(process)
  const opened = await openSession(ports, settings, `Bearer ${API_KEY}`)
  if (!opened.ok) return
  const { session } = opened.value
  // Those that were open before this one began, and still are.
  const before = streams.open.filter((one) => one.openedAt < begun && isOpen(world, one))
  if (before.length + 1 > PER_KEY_MAX) {
    report(world, `${before.length + 1} streams of one key, at most ${PER_KEY_MAX}`)
  }
  streams.ticks += 1
  const stream = { hash: session.hash, openedAt: streams.ticks, process, closed: false }
  streams.open.push(stream)
  await live(world, stream, process, opened.value)
}

/** Renews its lease as a stream does, and removes it when it ends. */
async function live(
  world: World,
  stream: OpenStream,
  { clock, ports }: Process,
  { lease, session }: OpenedSession,
): Promise<void> {
  for (let beats = world.random.below(3); beats > 0; beats -= 1) {
    await clock.sleep(20_000)
    const standing = await ports.sessions.read(session.hash)
    if (standing === undefined || standing.endedAtMs !== undefined) break
    await ports.sessions.renew(session.hash, clock.nowMs() + 75_000)
    await ports.leases.put({ ...lease, expiresAtMs: clock.nowMs() + 75_000 })
  }
  if (world.random.chance(0.5)) return
  stream.closed = true
  await ports.sessions.end({ hash: session.hash, nowMs: clock.nowMs() })
  await ports.leases.remove(lease)
}

/** A stream whose process has died is none, though its lease may still count. */
function isOpen(world: World, { closed, hash, process }: OpenStream): boolean {
  if (closed || !process.alive) return false
  const item = itemAt(world, 'sessions', { pk: `session:${hash}`, sk: 'meta' })
  if (item === undefined || item['endedAtMs'] !== undefined) return false
  return Number(String(item['aliveUntilMs'])) > world.scheduler.nowMs()
}
