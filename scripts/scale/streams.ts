/** Samples of quiet streams over the embedded store: a minute of one, on a clock that moves when the stream sleeps. */

import { LIST_VERSION_COPIES } from '../../adapters/dynamodb/registry/list-version-cache.ts'
import { STREAMS_PARTS, streamsPartOf } from '../../adapters/dynamodb/table.ts'
import { ensured, NO_EXECUTE, openStream } from '../../bench/lib/agent.ts'
import { discreteClock } from '../../bench/lib/discrete-clock.ts'
import { type BenchStore, type Meter, SETTINGS } from '../../bench/lib/gateway.ts'
import { runListenUntil, steppingClock } from '../../bench/stream/idle-listen.ts'
import { openListen } from '../../core/flow/streamable-http/open-listen.ts'
import type { Clock, Ports } from '../../core/ports.ts'
import { type KeyUnits, meterOf, type Units } from './key-units.ts'

const MINUTE_MS = 60_000
/** A minute of a stream, with what falls due at its very end. */
const SAMPLE_MS = MINUTE_MS + 500
/** Of steppingClock and discreteClock. */
export const STREAMS_BEGIN_MS = 2_000_000_000_000
/** Open streams of any sample fit. */
export const ROOMY = {
  ...SETTINGS,
  streams: { perKeyMax: 20, totalMax: 1_000_000, anonymousMax: 7 },
}

/**
 * The same ports, whose next session has its lease in this part: small samples would fall unevenly, as many
 * streams do not.
 */
export function openingInPart<P extends Pick<Ports, 'digests' | 'ids'>>(ports: P, part: number): P {
  const token = (bytes: number) => {
    for (;;) {
      const drawn = ports.ids.token(bytes)
      if (streamsPartOf(ports.digests.sha256(drawn)) === part) return drawn
    }
  }
  return { ...ports, ids: { ...ports.ids, token } }
}

/** The units of `n` samples together, each in an environment of its own. */
export async function perActor(n: number, run: (actor: Actor) => Promise<void>): Promise<KeyUnits> {
  const all = new Map<string, Units>()
  const add: AddUnits = (units) => {
    for (const [pk, { read, write }] of units) {
      const before = all.get(pk) ?? { read: 0, write: 0 }
      all.set(pk, { read: before.read + read, write: before.write + write })
    }
  }
  for (let at = 0; at < n; at += 1) {
    await run({ add, turn: at })
  }
  return all
}

type AddUnits = (units: KeyUnits) => void
type Actor = {
  readonly add: AddUnits
  /** Copies of records and parts of leases are taken in turn. */
  readonly turn: number
}

function portsInTurn(store: BenchStore, clock: Clock, meter: Meter, turn: number) {
  const ports = store.ports(clock, meter, turn % LIST_VERSION_COPIES)
  return openingInPart(ports, turn % STREAMS_PARTS)
}

/** A minute after the opening. Time moves when none of the stream's requests is under way. */
export async function sampleListen(
  store: BenchStore,
  authorization: string,
  { add, turn }: Actor,
): Promise<void> {
  const busy = new Set<Promise<unknown>>()
  const clock = steppingClock(busy)
  let isCounted = false
  const { meter, units } = meterOf(() => isCounted)
  const ports = portsInTurn(store, clock, meter, turn)
  const opened = ensured(await openListen(ports, ROOMY, authorization))
  const endMs = clock.nowMs() + SAMPLE_MS
  isCounted = true
  await runListenUntil(endMs, ports, {
    settings: ROOMY,
    opened,
    busy,
    onEnd: () => {
      isCounted = false
    },
  })
  add(units())
}

/** A minute after the opening, in which reads are the most. */
export async function sampleSse(
  store: BenchStore,
  authorization: string,
  { add, turn }: Actor,
): Promise<void> {
  // The two loops of run-stream: it follows the replies, and it beats.
  const clock = discreteClock(2)
  const endMs = clock.nowMs() + SAMPLE_MS
  let isOpen = false
  const { meter, units } = meterOf(() => isOpen && clock.nowMs() < endMs)
  const over = Promise.withResolvers<void>()
  const stream = await openStream(
    { ...portsInTurn(store, clock, meter, turn), execute: NO_EXECUTE },
    authorization,
    async (block) => {
      if (block.startsWith('retry:')) isOpen = true
      if (clock.nowMs() >= endMs) over.resolve()
    },
  )
  await over.promise
  await stream.close()
  add(units())
}
