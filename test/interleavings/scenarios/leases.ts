/**
 * Streams of one key open, end and are ended for younger ones: an opener counts every stream that
 * was open before it began, so that no key has more than its limit by opening one after another.
 */
import { Fault } from '../../../core/errors.ts'
import { type OpenedSession, openSession } from '../../../core/flow/sse/open-session.ts'
import { ALIVE_MS } from '../../../core/session/stream-plan.ts'
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
  /** As the store has acknowledged it. */
  leasedUntilMs: number
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
  const startTick = streams.ticks
  const ports = flowPorts(process)
  const opened = await openSession(ports, settings, `Bearer ${API_KEY}`)
  if (!opened.ok) return
  const { lease, session } = opened.value
  // Those that were open before this one began, and still are.
  const before = streams.open.filter((one) => one.openedAt < startTick && isOpen(world, one))
  if (before.length + 1 > PER_KEY_MAX) {
    report(world, `${before.length + 1} streams of one key, at most ${PER_KEY_MAX}`)
  }
  streams.ticks += 1
  const stream: OpenStream = {
    hash: session.hash,
    openedAt: streams.ticks,
    process,
    leasedUntilMs: lease.expiresAtMs,
    closed: false,
  }
  streams.open.push(stream)
  await live(world, stream, process, opened.value)
}

/**
 * Renews its session and lease as a stream does (core/flow/sse/stream-actions.ts): both at once, and a
 * renewal that failed is due again with the next beat. Removes the lease when it ends.
 */
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
    const untilMs = clock.nowMs() + ALIVE_MS
    const renewals = await Promise.allSettled([
      ports.sessions.renew(session.hash, untilMs),
      ports.leases.put({ ...lease, expiresAtMs: untilMs }),
    ])
    if (renewals[1].status === 'fulfilled') stream.leasedUntilMs = untilMs
    const failed = renewals.find(({ status }) => status === 'rejected')
    if (failed?.status !== 'rejected') continue
    if (!(failed.reason instanceof Fault)) throw failed.reason
    beats += 1
  }
  if (world.random.chance(0.5)) return
  stream.closed = true
  await ports.sessions.end({ hash: session.hash, nowMs: clock.nowMs() })
  await ports.leases.remove(lease)
}

/**
 * A stream whose process has died is none, though its lease may still count. One whose
 * renewals failed for as long as a lease lives has no place any more.
 */
function isOpen(world: World, { closed, hash, leasedUntilMs, process }: OpenStream): boolean {
  if (closed || !process.alive || leasedUntilMs <= world.scheduler.nowMs()) return false
  const item = itemAt(world, 'sessions', { pk: `session:${hash}`, sk: 'meta' })
  if (item === undefined || item['endedAtMs'] !== undefined) return false
  return Number(String(item['aliveUntilMs'])) > world.scheduler.nowMs()
}
