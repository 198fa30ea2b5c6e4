/**
 * Streams of two keys and of nobody, SSE and listen streams, open at any time, live, lose the store for
 * longer than a lease, and end. At every moment no key, no stage and no anonymous clients have more open
 * streams than their limits; every open stream has its lease; and a stream whose place was taken ends.
 * No stream writes anything once its lease has run out.
 */
import { credentialOf } from '../../../bench/lib/credential.ts'
import type { Fault } from '../../../core/errors.ts'
import { openSession } from '../../../core/flow/sse/open-session.ts'
import { runStream } from '../../../core/flow/sse/run-stream.ts'
import { openListen } from '../../../core/flow/streamable-http/open-listen.ts'
import { runListen } from '../../../core/flow/streamable-http/run-listen.ts'
import { makeListWatch } from '../../../core/flow/tools/tool-list-watch.ts'
import type { Work } from '../../../core/mcp/classified.ts'
import { REVISION_2026_07_28 } from '../../../core/mcp/rev2026-07-28/revision.ts'
import type { Ports } from '../../../core/ports/ports.ts'
import type { SessionNews, StreamLease } from '../../../core/session/session.ts'
import type { StreamOutlet } from '../../../core/session/stream-outlet.ts'
import { ALIVE_MS } from '../../../core/session/stream-plan.ts'
import type { Settings } from '../../../core/settings.ts'
import { keyOf } from '../../contracts/fresh.ts'
import { SETTINGS } from '../../core/flow/world.ts'
import { flowPorts } from '../outside.ts'
import type { Scenario } from '../scenario.ts'
import { type Process, plan, planIn, quietly, report, type World } from '../world.ts'
import { checkStreams, LIMITS, type OpenStream, TAIL_MS } from './lease-checks.ts'

const API_KEYS = ['k', 'l'].map((letter) => `sgk_${letter.repeat(43)}`)
const settings: Settings = { ...SETTINGS, streams: LIMITS }
const LISTEN: Work = {
  kind: 'request',
  revision: REVISION_2026_07_28,
  id: '1',
  method: 'subscriptions/listen',
  intent: { kind: 'listen', toolsListChanged: false },
}
const LIFE_MAX_MS = 160_000
const CUT_OFF_MS = [30_000, 100_000, 200_000]

type Streams = OpenStream[]

export const leases: Scenario = {
  name: 'leases',
  async start(world) {
    const { random } = world
    const streams: Streams = []
    await quietly(world, async (ports, process) => {
      const { digests } = flowPorts(process)
      const nowMs = world.scheduler.nowMs()
      const dates = { createdAtMs: nowMs, renewedAtMs: nowMs, expiresAtMs: nowMs + 86_400_000 }
      for (const key of API_KEYS) await ports.keys.put(keyOf(digests.sha256(key), dates))
    })
    for (let openers = 3 + random.below(5); openers > 0; openers -= 1) {
      const key = random.pick([...API_KEYS, API_KEYS[0], undefined])
      const open = random.chance(0.6) ? openSse : openListening
      plan(world, 'a stream opens', (process) => open(world, streams, process, key))
    }
    if (random.chance(0.4)) {
      const process = random.pick(world.processes.filter(({ alive }) => alive))
      planIn(world, 'a process loses the store', process, () => cutOff(world, process))
    }
    world.check = () => checkStreams(world, streams)
    return () => quietly(world, (_, process) => checkEnd(world, process))
  },
}

/** Once every lease has run out all places are free again. */
async function checkEnd(world: World, process: Process): Promise<void> {
  await process.clock.sleep(ALIVE_MS + 1)
  for (const key of [...API_KEYS, undefined]) {
    const opened = await openSession(portsOf(process), settings, credentialOf(headerOf(key)))
    if (!opened.ok) report(world, `no stream opens at the end: ${opened.error.code}`)
  }
}

async function cutOff(world: World, { name }: Process): Promise<void> {
  world.cutOff.add(name)
  await world.scheduler.sleep(world.random.pick(CUT_OFF_MS), { alive: true })
  world.cutOff.delete(name)
}

/** From its claim until it decides to end; `closed` is set where the flow takes its first step to the end. */
async function openSse(
  world: World,
  streams: Streams,
  process: Process,
  key: string | undefined,
): Promise<void> {
  const ports = portsOf(process)
  const opened = await openSession(ports, settings, credentialOf(headerOf(key)))
  if (!opened.ok) return
  const stream = claimed(streams, process, opened.value.lease, false)
  const { end } = ports.sessions
  const sessions = {
    ...ports.sessions,
    end: (of: Parameters<typeof end>[0]) => {
      if (of.hash === stream.lease.session) stream.closed = true
      return end(of)
    },
  }
  const replies = slowTail(ports, process)
  const needs = { ...ports, sessions, replies, leases: noting(ports, stream) }
  await runStream(needs, opened.value, outletOf(world, stream), '/messages')
}

async function openListening(
  world: World,
  streams: Streams,
  process: Process,
  key: string | undefined,
): Promise<void> {
  const ports = portsOf(process)
  const credential = credentialOf(headerOf(key))
  const opened = await openListen(ports, settings, { credential })
  if (!opened.ok) return
  const stream = claimed(streams, process, opened.value.lease, true)
  const noted = noting(ports, stream)
  const { remove } = noted
  const leasePort = {
    ...noted,
    remove: (of: Parameters<typeof remove>[0]) => {
      if (of.session === stream.lease.session) stream.closed = true
      return remove(of)
    },
  }
  const outlet = outletOf(world, stream)
  await runListen({ ...ports, leases: leasePort }, settings, {
    opened: opened.value,
    outlet,
    work: LISTEN,
    watch: makeListWatch(),
  })
}

/** Notes what the store has confirmed to the stream. */
function noting({ leases: port }: Pick<Ports, 'leases'>, stream: OpenStream): Ports['leases'] {
  return {
    ...port,
    remove: async (lease) => {
      await port.remove(lease)
      if (lease.session === stream.lease.session) stream.removed = true
    },
    renew: async (lease) => {
      const stands = await port.renew(lease)
      if (stands) stream.leasedUntilMs = Math.max(stream.leasedUntilMs, lease.expiresAtMs)
      return stands
    },
  }
}

function headerOf(key: string | undefined): string | undefined {
  return key === undefined ? undefined : `Bearer ${key}`
}

function claimed(
  streams: Streams,
  process: Process,
  lease: StreamLease,
  isListen: boolean,
): OpenStream {
  const open = {
    leasedUntilMs: lease.expiresAtMs,
    closed: false,
    removed: false,
    takenAtMs: Infinity,
  }
  const stream = { lease, isListen, process, ...open }
  streams.push(stream)
  return stream
}

/** What a stream reads beside its lease never changes here, and no call runs. */
function portsOf(process: Process) {
  const ports = flowPorts(process)
  const never = () => new Promise<never>(() => {})
  return {
    ...ports,
    toolListVersion: { ...ports.toolListVersion, recent: async () => 0 },
    profiles: { ...ports.profiles, read: async () => undefined },
    execute: { execute: never, voidCall: never },
  }
}

/** A tail that hears of the session's end late. */
function slowTail({ replies, sessions }: Pick<Ports, 'replies' | 'sessions'>, { clock }: Process) {
  async function* tail(hash: string, signal: AbortSignal): AsyncGenerator<SessionNews> {
    while (!signal.aborted) {
      await clock.sleep(TAIL_MS, signal)
      const session = await sessions.read(hash).catch((cause: Fault) => cause.code)
      if (session === undefined) return
      if (typeof session !== 'string') yield { kind: 'session', session }
    }
  }
  return { ...replies, tail }
}

/** A client that leaves after a while, if the stream has not ended by then. */
function outletOf(world: World, stream: OpenStream): StreamOutlet {
  const closed = new AbortController()
  const { clock } = stream.process
  void clock.sleep(world.random.below(LIFE_MAX_MS)).then(() => closed.abort())
  const write = async () => {
    if (clock.nowMs() >= stream.leasedUntilMs) report(world, 'a stream writes without a lease')
  }
  return { write, closed: closed.signal, deadlineMs: undefined }
}
