/**
 * Small samples of the real flows over the embedded store, on clocks that move only by the sample: what each partition key
 * takes. Each function runs one flow for `n` actors (users, streams, calls) and returns the units of every partition key.
 */

import { OLD_SWEEP_ENTRIES_MINUTES } from '../../adapters/dynamodb/ledger/sweep-entries.ts'
import { LIST_VERSION_COPIES } from '../../adapters/dynamodb/registry/list-version-cache.ts'
import { MINUTE_SHARDS, minuteShardOf, STREAMS_PARTS } from '../../adapters/dynamodb/table.ts'
import { ensured, newUser } from '../../bench/lib/agent.ts'
import {
  type BenchStore,
  type FlowPorts,
  type Meter,
  openBenchStore,
} from '../../bench/lib/gateway.ts'
import { callOnce, syncBenchSkill, timedUpstream } from '../../bench/lib/one-call.ts'
import { runSteps } from '../../bench/lib/run-steps.ts'
import { sleepingClock } from '../../bench/lib/sleeping-clock.ts'
import { executeCaches } from '../../core/flow/execute/execute-caches.ts'
import { openListen } from '../../core/flow/streamable-http/open-listen.ts'
import type { Clock, Ports, Upstream } from '../../core/ports.ts'
import type { OpeningCount, StreamLease } from '../../core/session/session.ts'
import { SESSION_ID_BYTES } from '../../core/session/session-id.ts'
import { ALIVE_MS } from '../../core/session/stream-plan.ts'
import { sweepDoor } from '../../lambdas/sweep/door.ts'
import { type KeyUnits, meterOf } from './key-units.ts'
import {
  openingInPart,
  perActor,
  ROOMY,
  STREAMS_BEGIN_MS,
  sampleListen,
  sampleSse,
} from './streams.ts'

export type Sampler = {
  /** Users with one call each, in one minute and one environment, which has not seen them. */
  calls(n: number): Promise<KeyUnits>
  /** The first two calls in each of so many environments. */
  environments(n: number): Promise<KeyUnits>
  /** Calls of one user in one minute, of which `inFlight` wait for their upstream at any moment. */
  hotUser(n: number, inFlight: number): Promise<KeyUnits>
  /** Quiet listen streams, a minute of each. */
  listens(n: number): Promise<KeyUnits>
  /** Quiet HTTP+SSE streams, a minute of each. */
  sse(n: number): Promise<KeyUnits>
  /** The opening and the end of one listen stream, beside `n - 1` that are open. `n` must grow. */
  opening(n: number): Promise<KeyUnits>
  /** An opening that lists all leases, as one in a minute does, without what every opening costs. `n` must grow. */
  leaseList(n: number): Promise<KeyUnits>
  /** One run of the sweep that finds the entries of so many users. */
  sweep(n: number): Promise<KeyUnits>
  stop(): Promise<void>
}

/** A stream of another key. */
function leaseInPart(
  { digests, ids }: Pick<FlowPorts, 'digests' | 'ids'>,
  part: number,
  nowMs: number,
): StreamLease {
  const { ids: drawn } = openingInPart({ digests, ids }, part)
  const session = digests.sha256(drawn.token(SESSION_ID_BYTES))
  const keyHash = digests.sha256(`key of ${session}`)
  return { keyHash, session, openedAtMs: nowMs, expiresAtMs: nowMs + ALIVE_MS }
}

function sharesOf(units: KeyUnits, of: number): KeyUnits {
  return new Map(
    [...units].map(([pk, { read, write }]) => [pk, { read: read / of, write: write / of }]),
  )
}

const MINUTE_MS = 60_000
const CREDITS = 100_000
/** In the first hour a sweep looks for entries of an earlier release, too. */
const MINUTES_TO_SETTLE = OLD_SWEEP_ENTRIES_MINUTES + 1
/** Of API keys, before their random part. */
const KEY_PREFIX = 'sgk_'

export async function openSampler(): Promise<Sampler> {
  const store = await openBenchStore()
  let nowMs = STREAMS_BEGIN_MS - 20 * MINUTE_MS
  const clock = sleepingClock({ nowMs: () => nowMs, sleep: sleepUntilDone })
  const makers = keysInTurn(store.ports(clock))
  let users = 0
  const nextUser = () => {
    users += 1
    return newUser(makers, `user${users}`, CREDITS)
  }
  const manyUsers = async (n: number) => {
    const made: string[] = []
    while (made.length < n) made.push(await nextUser())
    return made
  }
  await syncBenchSkill(makers)
  nowMs += 10 * MINUTE_MS
  const opener = openerOf(store, clock, makers.leases)
  const sweeper = await openSweeper()
  return {
    calls: async (n) => {
      const authorizations = await manyUsers(n)
      const { meter, units } = meterOf()
      const caller = callerOf(store, clock, meter)
      for (const authorization of authorizations) await caller(authorization, QUICK)
      return units()
    },
    environments: async (n) => {
      const authorization = await nextUser()
      const { meter, units } = meterOf()
      for (let at = 0; at < n; at += 1) {
        const caller = callerOf(store, clock, meter, at % LIST_VERSION_COPIES)
        // The second one knows the skill, and looks whether it has changed.
        await caller(authorization, QUICK)
        await caller(authorization, QUICK)
      }
      return units()
    },
    hotUser: async (n, inFlight) => {
      const authorization = await nextUser()
      const { meter, units } = meterOf()
      const caller = callerOf(store, clock, meter)
      await callAtOnce((upstream) => caller(authorization, upstream), n, inFlight)
      return units()
    },
    listens: (n) => perActor(n, async (actor) => sampleListen(store, await nextUser(), actor)),
    sse: (n) => perActor(n, async (actor) => sampleSse(store, await nextUser(), actor)),
    opening: async (n) => opener.opening(n, await nextUser()),
    leaseList: opener.leaseList,
    sweep: sweeper.sweep,
    stop: async () => {
      await sweeper.stop()
      await store.stop()
    },
  }
}

/** Openings beside more and more open streams, which all have keys of their own. */
function openerOf(store: BenchStore, clock: Clock, leases: Ports['leases']) {
  const { clear, meter, units } = meterOf()
  const ports = store.ports(clock, meter)
  let open = 0
  const openMany = async (n: number) => {
    const nowMs = clock.nowMs()
    for (; open < n; open += 1) await leases.put(leaseInPart(ports, open % STREAMS_PARTS, nowMs))
  }
  const listWith = async (port: Ports['leases'], count: OpeningCount) => {
    const listed = await port.list(clock.nowMs())
    await port.noteListed(count, listed.length, clock.nowMs())
  }
  return {
    opening: async (n: number, authorization: string) => {
      await openMany(n - 1)
      await listWith(leases, await leases.countOpening(clock.nowMs()))
      clear()
      // One in each part, so that each takes its share; each ends again, as all that open do.
      for (let part = 0; part < STREAMS_PARTS; part += 1) {
        const opened = await openListen(openingInPart(ports, part), ROOMY, authorization)
        await ports.leases.remove(ensured(opened).lease)
      }
      return sharesOf(units(), STREAMS_PARTS)
    },
    leaseList: async (n: number) => {
      await openMany(n)
      const count = await leases.countOpening(clock.nowMs())
      clear()
      await listWith(ports.leases, count)
      return units()
    },
  }
}

/**
 * The same ports with keys whose shards take turns: a sample of a few keys is spread over the shards as evenly as the
 * many are for whom it stands.
 */
function keysInTurn<P extends Pick<FlowPorts, 'digests' | 'ids'>>(ports: P): P {
  let made = 0
  const token = (bytes: number) => {
    for (;;) {
      const drawn = ports.ids.token(bytes)
      const shard = minuteShardOf(ports.digests.sha256(`${KEY_PREFIX}${drawn}`))
      if (shard !== made % MINUTE_SHARDS) continue
      made += 1
      return drawn
    }
  }
  return { ...ports, ids: { ...ports.ids, token } }
}

/** Names whose sweep entries take turns in the shards. */
function namesInTurn(): () => string {
  let tried = 0
  let made = 0
  return () => {
    let name: string
    do {
      tried += 1
      name = `user${tried}`
    } while (minuteShardOf(`uid#${name}`) !== made % MINUTE_SHARDS)
    made += 1
    return name
  }
}

/** Deadlines of calls, which have a signal, do not pass; pauses before a repeat do at once. */
function sleepUntilDone(_ms: number, done?: AbortSignal): Promise<void> {
  if (done === undefined || done.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    done.addEventListener('abort', () => resolve(), { once: true })
  })
}

const QUICK = timedUpstream(() => {})

function slowUpstream(onAsked: () => void, answered: Promise<void>): Upstream {
  return {
    send: async (...given) => {
      onAsked()
      await answered
      return QUICK.send(...given)
    },
  }
}

/** `n` calls, of which `inFlight` wait for their upstream at any moment. */
async function callAtOnce(
  call: (upstream: Upstream) => Promise<void>,
  n: number,
  inFlight: number,
): Promise<void> {
  const waiting: WaitingCall[] = []
  for (let at = 0; at < n; at += 1) {
    if (waiting.length >= inFlight) await endFirst(waiting)
    const asked = Promise.withResolvers<void>()
    const answered = Promise.withResolvers<void>()
    const done = call(slowUpstream(asked.resolve, answered.promise))
    waiting.push({ answer: answered.resolve, done })
    await Promise.race([asked.promise, done])
  }
  while (waiting.length > 0) await endFirst(waiting)
}

type WaitingCall = { readonly answer: () => void; readonly done: Promise<void> }

async function endFirst(waiting: WaitingCall[]): Promise<void> {
  const first = waiting.shift()
  first?.answer()
  await first?.done
}

/** One environment: a client and caches of its own. */
function callerOf(store: BenchStore, clock: Clock, meter: Meter, listVersionCopy?: number) {
  const ports = store.ports(clock, meter, listVersionCopy)
  const caches = executeCaches()
  return async (authorization: string, upstream: Upstream): Promise<void> => {
    const executed = await callOnce({ ...ports, upstream }, caches, authorization)
    await runSteps(executed.after)
  }
}

/** A store of its own, in which nothing but the sampled entries waits for the sweep. */
async function openSweeper(): Promise<Pick<Sampler, 'sweep' | 'stop'>> {
  const store = await openBenchStore()
  let nowMs = Date.UTC(2026, 10, 1)
  const clock = sleepingClock({ nowMs: () => nowMs, sleep: () => Promise.resolve() })
  const makers = store.ports(clock)
  const { clear, meter, units } = meterOf()
  const ports = store.ports(clock, meter)
  const sweep = sweepDoor({ ...ports, log: { call: () => {}, note: () => {} } })
  const nextName = namesInTurn()
  let isSettled = false
  return {
    sweep: async (n) => {
      if (!isSettled) {
        await makers.sweepEntries.writeCursor({ minute: Math.floor(nowMs / MINUTE_MS), after: '' })
        nowMs += MINUTES_TO_SETTLE * MINUTE_MS
        await sweep()
        isSettled = true
      }
      const minute = Math.floor(nowMs / MINUTE_MS)
      for (let at = 0; at < n; at += 1) {
        const uid = nextName()
        await newUser(makers, uid, CREDITS)
        await makers.sweepEntries.put({ uid, minute })
      }
      nowMs += 2 * MINUTE_MS
      clear()
      await sweep()
      return units()
    },
    stop: () => store.stop(),
  }
}
