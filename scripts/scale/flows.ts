/**
 * Runs small samples of the real flows over the embedded store, on clocks that only the sample
 * moves, and counts the units of each partition key. Each flow runs for `n` actors (users, streams,
 * calls) and returns the units of every partition key.
 */

import { LIST_VERSION_COPIES } from '../../adapters/dynamodb/registry/list-version-cache.ts'
import {
  findMinuteShard,
  findStreamsPart,
  MINUTE_SHARDS,
  STREAMS_PARTS,
} from '../../adapters/dynamodb/table.ts'
import { createBenchUser, unwrap } from '../../bench/lib/agent.ts'
import { credentialOf } from '../../bench/lib/credential.ts'
import {
  type BenchStore,
  type FlowPorts,
  type Meter,
  openBenchStore,
  SETTINGS,
} from '../../bench/lib/gateway.ts'
import type { KeyUse } from '../../bench/lib/keyed-requests.ts'
import { callOnce, createTimedUpstream, syncBenchSkill } from '../../bench/lib/one-call.ts'
import { createQuietClock, START_MS } from '../../bench/lib/quiet-clock.ts'
import { runSteps } from '../../bench/lib/run-steps.ts'
import { createSleepingClock } from '../../bench/lib/sleeping-clock.ts'
import { openSweep } from '../../bench/lib/sweep-run.ts'
import { runIdle, type StreamKind } from '../../bench/stream/idle.ts'
import { makeExecuteCaches } from '../../core/flow/execute/execute-caches.ts'
import { openListen } from '../../core/flow/streamable-http/open-listen.ts'
import type { Clock, Upstream } from '../../core/ports/outside.ts'
import { SESSION_ID_BYTES } from '../../core/session/session.ts'
import { ALIVE_MS } from '../../core/session/stream-plan.ts'
import {
  FLOW_NAMES,
  type FlowName,
  type Growths,
  type KeyUnits,
  NO_UNITS,
  toGrowths,
  type Units,
} from './keys.ts'

/**
 * Actors of the two samples of each flow. A list of leases must exceed DynamoDB's unit of 4 kB to
 * show its growth. Environments read each copy of the tool list version equally often, and sweep
 * entries are spread over the shards.
 */
const SAMPLE_SIZES = {
  /** One run of the sweep that finds the entries of this many users. */
  sweep: [16, 32],
  /** Users with one call each, in one minute and one environment, whose caches lack them. */
  calls: [8, 16],
  /** The first two calls in each of this many environments. */
  environments: [LIST_VERSION_COPIES, 2 * LIST_VERSION_COPIES],
  /**
   * Calls of one user in one minute, of which {@link HOT_IN_FLIGHT} wait for their upstream at any
   * moment.
   */
  hotUser: [60, 120],
  /** Quiet streams, a minute of each. */
  listens: [LIST_VERSION_COPIES, 2 * LIST_VERSION_COPIES],
  sse: [LIST_VERSION_COPIES, 2 * LIST_VERSION_COPIES],
  /** The opening and the end of one listen stream, beside `n - 1` that are open. `n` must grow. */
  opening: [480, 960],
  /**
   * An opening that lists all leases, as one in a minute does, without what every opening costs.
   * `n` must grow.
   */
  leaseList: [1_920, 3_840],
} as const satisfies { readonly [flow in FlowName]: readonly [few: number, many: number] }

export type Sampler = {
  readonly run: { readonly [flow in FlowName]: (n: number) => Promise<KeyUnits> }
  stop(): Promise<void>
}

export async function sampleGrowths({ run }: Sampler): Promise<Growths> {
  const growths: [FlowName, Growths[FlowName]][] = []
  for (const flow of FLOW_NAMES) {
    const [few, many] = SAMPLE_SIZES[flow]
    const low = { actors: few, keys: await run[flow](few) }
    growths.push([flow, toGrowths(low, { actors: many, keys: await run[flow](many) })])
  }
  return Object.fromEntries(growths) as Growths
}

/**
 * Calls in flight of the user with many calls: those that wait 300 ms at 100 calls a second; 32 is
 * the most.
 */
const HOT_IN_FLIGHT = 30
const MINUTE_MS = 60_000
/** A minute of a stream, with the work that is due at its very end. */
const SAMPLE_MS = MINUTE_MS + 500
const CREDITS = 100_000
/** The prefix of API keys, before their random part. */
const KEY_PREFIX = 'sgk_'
/** Settings that admit the open streams of any sample. */
const ROOMY_SETTINGS = {
  ...SETTINGS,
  streams: { perKeyMax: 20, totalMax: 1_000_000, anonymousMax: 7 },
}
const QUICK_UPSTREAM = createTimedUpstream(() => {})

export async function openSampler(): Promise<Sampler> {
  const store = await openBenchStore()
  let nowMs = START_MS - 20 * MINUTE_MS
  const clock = createSleepingClock({ nowMs: () => nowMs, sleep: sleepUntilDone })
  const plain = store.ports(clock)
  const makers = withSpreadTokens(plain, MINUTE_SHARDS, (drawn) =>
    findMinuteShard(plain.digests.sha256(`${KEY_PREFIX}${drawn}`)),
  )
  let users = 0
  const nextUser = () => {
    users += 1
    return createBenchUser(makers, `user${users}`, CREDITS)
  }
  await syncBenchSkill(makers)
  nowMs += 10 * MINUTE_MS
  const swept = createKeyMeter()
  const sweep = await openSweep(swept.meter)
  const streams = (kind: StreamKind) => async (n: number) => {
    const counted = createKeyMeter()
    for (let turn = 0; turn < n; turn += 1)
      await runStreamMinute(kind, store, await nextUser(), { counted, turn })
    return counted.units()
  }
  return {
    run: {
      calls: async (n) => {
        const authorizations: string[] = []
        while (authorizations.length < n) authorizations.push(await nextUser())
        const { meter, units } = createKeyMeter()
        const call = createCaller(store, clock, meter)
        for (const authorization of authorizations) await call(authorization)
        return units()
      },
      environments: async (n) => {
        const authorization = await nextUser()
        const { meter, units } = createKeyMeter()
        for (let at = 0; at < n; at += 1) {
          const call = createCaller(store, clock, meter, at % LIST_VERSION_COPIES)
          // The second call has the skill in its cache, and checks whether the skill has changed.
          for (const _ of [1, 2]) {
            await call(authorization)
            // Ids of calls are sorted by their milliseconds.
            nowMs += 1
          }
        }
        return units()
      },
      hotUser: async (n) => {
        const authorization = await nextUser()
        const { meter, units } = createKeyMeter()
        const call = createCaller(store, clock, meter)
        await callInFlight((upstream) => call(authorization, upstream), n)
        return units()
      },
      listens: streams('listen'),
      sse: streams('sse'),
      ...createOpeningSamples(store, clock, nextUser),
      sweep: async (n) => {
        await sweep.run(n, swept.clear)
        return swept.units()
      },
    },
    stop: async () => {
      await sweep.stop()
      await store.stop()
    },
  }
}

/** Counts the units of each partition key. */
function createKeyMeter() {
  const all = new Map<string, Units>()
  let counts = true
  const keyed = ({ kind, pk, units }: KeyUse) => {
    if (!counts) return
    const before = all.get(pk) ?? NO_UNITS
    all.set(pk, { ...before, [kind]: before[kind] + units })
  }
  const count = (on: boolean) => {
    counts = on
  }
  return { meter: { keyed }, units: () => new Map(all), clear: () => all.clear(), count }
}

/**
 * Returns the same ports with tokens whose `placeOf` takes turns among `places`, beginning with
 * `first`. So a sample of a few keys is spread over the shards as evenly as the many keys that it
 * represents.
 */
function withSpreadTokens<P extends Pick<FlowPorts, 'ids'>>(
  ports: P,
  places: number,
  placeOf: (drawn: string) => number,
  first = 0,
): P {
  let next = first
  const token = (bytes: number) => {
    for (;;) {
      const drawn = ports.ids.token(bytes)
      if (placeOf(drawn) !== next % places) continue
      next += 1
      return drawn
    }
  }
  return { ...ports, ids: { ...ports.ids, token } }
}

/** Returns ports whose next session has its lease in the part `first`. */
function withLeaseInPart<P extends Pick<FlowPorts, 'digests' | 'ids'>>(ports: P, first: number): P {
  return withSpreadTokens(
    ports,
    STREAMS_PARTS,
    (drawn) => findStreamsPart(ports.digests.sha256(drawn)),
    first,
  )
}

/** Runs a minute of a quiet stream after its opening, in an environment of its own. */
async function runStreamMinute(
  kind: StreamKind,
  store: BenchStore,
  authorization: string,
  { counted, turn }: { readonly counted: ReturnType<typeof createKeyMeter>; readonly turn: number },
): Promise<void> {
  counted.count(false)
  const clock = createQuietClock(store.isBusy)
  const ports = withLeaseInPart(
    store.ports(clock, counted.meter, turn % LIST_VERSION_COPIES),
    turn % STREAMS_PARTS,
  )
  const run = {
    ports,
    authorization,
    forMs: SAMPLE_MS,
    count: counted.count,
    settings: ROOMY_SETTINGS,
  }
  await runIdle(kind, run)
}

/** Measures openings beside more and more open streams, which all have keys of their own. */
function createOpeningSamples(
  store: BenchStore,
  clock: Clock,
  nextUser: () => Promise<string>,
): Pick<Sampler['run'], 'opening' | 'leaseList'> {
  const { clear, meter, units } = createKeyMeter()
  const ports = store.ports(clock, meter)
  let open = 0
  const openMany = async (n: number) => {
    const { digests } = ports
    const openedAtMs = clock.nowMs()
    for (; open < n; open += 1) {
      const session = digests.sha256(withLeaseInPart(ports, open).ids.token(SESSION_ID_BYTES))
      const keyHash = digests.sha256(`key of ${session}`)
      await ports.leases.put({ keyHash, session, openedAtMs, expiresAtMs: openedAtMs + ALIVE_MS })
    }
  }
  const list = async (whenCounted = () => {}) => {
    const count = await ports.leases.countOpening(clock.nowMs())
    whenCounted()
    const listed = await ports.leases.list(clock.nowMs())
    await ports.leases.noteListed(count, listed.length, clock.nowMs())
  }
  return {
    opening: async (n) => {
      const authorization = await nextUser()
      await openMany(n - 1)
      await list()
      clear()
      // One stream opens in each part, so that each part takes its share; each stream ends again,
      // as all opened streams do.
      for (let part = 0; part < STREAMS_PARTS; part += 1) {
        const needs = withLeaseInPart(ports, part)
        const credential = credentialOf(authorization)
        const opened = await openListen(needs, ROOMY_SETTINGS, { credential })
        await ports.leases.remove(unwrap(opened).lease)
      }
      return new Map(
        [...units()].map(([pk, { read, write }]) => [
          pk,
          { read: read / STREAMS_PARTS, write: write / STREAMS_PARTS },
        ]),
      )
    },
    leaseList: async (n) => {
      await openMany(n)
      await list(clear)
      return units()
    },
  }
}

/**
 * A sleep for the sample's clock. Deadlines of calls, which have a signal, do not pass; pauses
 * before a retry pass at once.
 */
function sleepUntilDone(_ms: number, done?: AbortSignal): Promise<void> {
  if (done === undefined || done.aborted) return Promise.resolve()
  return new Promise((resolve) => {
    done.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Makes `n` calls, of which {@link HOT_IN_FLIGHT} wait for their upstream at any moment. */
async function callInFlight(call: (upstream: Upstream) => Promise<void>, n: number): Promise<void> {
  const waiting: { readonly answer: () => void; readonly done: Promise<void> }[] = []
  for (let at = 0; at < n + HOT_IN_FLIGHT; at += 1) {
    const first = at < HOT_IN_FLIGHT ? undefined : waiting.shift()
    first?.answer()
    await first?.done
    if (at >= n) continue
    const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const done = call({
      send: async (...given) => {
        asked.resolve()
        await answered.promise
        return QUICK_UPSTREAM.send(...given)
      },
    })
    waiting.push({ answer: answered.resolve, done })
    await Promise.race([asked.promise, done])
  }
}

/** Returns a caller with an environment of its own: a client and caches. */
function createCaller(store: BenchStore, clock: Clock, meter: Meter, listVersionCopy?: number) {
  const ports = store.ports(clock, meter, listVersionCopy)
  const caches = makeExecuteCaches()
  return async (authorization: string, upstream: Upstream = QUICK_UPSTREAM): Promise<void> => {
    const executed = await callOnce({ ...ports, upstream }, caches, authorization)
    await runSteps(executed.after)
  }
}
