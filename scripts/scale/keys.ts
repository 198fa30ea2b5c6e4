/**
 * Computes the load of a stage from small samples: the units a second of the hottest partition key
 * of each pattern. Two sizes of a sample show what is shared. Units of the hottest key that grow
 * with the actors belong to a key that they share; units that stay belong to a key that each actor
 * has. test/scripts/scale.test.ts checks this step by a third size. Pure.
 */
import {
  LIST_VERSION_CACHE_MS,
  LIST_VERSION_HEAD_MS,
} from '../../adapters/dynamodb/registry/list-version-cache.ts'
import { SHARED_CACHE_MS } from '../../adapters/dynamodb/registry/shared-skill-cache.ts'
import { OPENINGS_PK, STREAMS_PK } from '../../adapters/dynamodb/table.ts'
import { LIST_AGE_MAX_MS } from '../../core/session/lease-policy.ts'
import { ROTATE_AFTER_MS } from '../../core/session/stream-plan.ts'

export type Units = { readonly read: number; readonly write: number }
/** Units by partition key, of all actors of one sample together. */
export type KeyUnits = ReadonlyMap<string, Units>
export const NO_UNITS: Units = { read: 0, write: 0 }

export const FLOW_NAMES = [
  'sweep',
  'calls',
  'environments',
  'hotUser',
  'listens',
  'sse',
  'opening',
  'leaseList',
] as const
export type FlowName = (typeof FLOW_NAMES)[number]
/**
 * The units of the hottest key of one pattern, by the number of actors: `own + shared * actors`.
 */
type Growth = { readonly own: Units; readonly shared: Units }
export type Growths = { readonly [flow in FlowName]: ReadonlyMap<string, Growth> }

/** Limits of one partition of DynamoDB, in units a second: AWS, "Designing partition keys". */
export const PARTITION_MAX: Units = { read: 3_000, write: 1_000 }
/** Users whom one run of the sweep reaches at least; no run of more was measured. */
export const SWEPT_USERS = 10_000
/** Time for which a call keeps an environment busy, beside its upstream. */
const OWN_MS = 200
const MS_PER_SEC = 1_000
const SEC_PER_MINUTE = 60
const KINDS = ['read', 'write'] as const

export type Load = {
  readonly users: number
  /** Calls of each user, over `POST /mcp`. */
  readonly callsPerMinute: number
  /** Open `subscriptions/listen` streams, each of another user. */
  readonly listens: number
  /** Open HTTP+SSE streams, each of another user. */
  readonly sse: number
  /** Calls of one further user, beside the others. */
  readonly hotCallsPerSecond: number
  /** Time of an upstream, from which the number of function environments follows. */
  readonly upstreamMs: number
}

export type KeyRate = Units & { readonly pattern: string }

const STREAMS = 'streams:{part}'
/**
 * Patterns of keys; `{}` is the part that differs. A key that fits no pattern is a pattern of its
 * own.
 */
const PATTERNS: readonly string[] = [
  'auth:hash:{keyHash}',
  'profile:{uid}',
  'skill:private:{uid}',
  'toolname:{uid}',
  'ledger:{uid}',
  'session:{hash}',
  'username:{name}',
  'mcp_broadcast:tools_changed:{copy}',
  'minute:{minute}:{shard}',
  'usage:page:{slot}',
  STREAMS,
]

export function toPattern(pk: string): string {
  if (pk === STREAMS_PK) return STREAMS
  return PATTERNS.find((pattern) => pk.startsWith(pattern.slice(0, pattern.indexOf('{')))) ?? pk
}

function toUnits(of: (kind: keyof Units) => number): Units {
  return { read: of('read'), write: of('write') }
}

/**
 * Returns the units of the hottest key of each pattern; reads and writes may belong to different
 * keys.
 */
export function findHottest(keys: KeyUnits): ReadonlyMap<string, Units> {
  const found = new Map<string, Units>()
  for (const [pk, units] of keys) {
    const most = found.get(toPattern(pk)) ?? NO_UNITS
    found.set(
      toPattern(pk),
      toUnits((kind) => Math.max(most[kind], units[kind])),
    )
  }
  return found
}

type Sample = { readonly actors: number; readonly keys: KeyUnits }

export function toGrowths(few: Sample, many: Sample): Growths[FlowName] {
  const [a, b] = [findHottest(few.keys), findHottest(many.keys)]
  return new Map(
    [...a.keys(), ...b.keys()].map((pattern) => {
      const [low, high] = [a.get(pattern) ?? NO_UNITS, b.get(pattern) ?? NO_UNITS]
      const shared = toUnits((kind) =>
        Math.max(0, (high[kind] - low[kind]) / (many.actors - few.actors)),
      )
      const own = toUnits((kind) => Math.max(0, low[kind] - shared[kind] * few.actors))
      return [pattern, { own, shared }]
    }),
  )
}

/** Returns the used share of a partition's limit; 1 is the limit. */
export function toLoadShare(units: Units): number {
  return Math.max(...KINDS.map((kind) => units[kind] / PARTITION_MAX[kind]))
}

export const countCallsPerSecond = ({ callsPerMinute, users }: Load): number =>
  (users * callsPerMinute) / SEC_PER_MINUTE

/** Returns the sweep entries of a minute: each user who calls in it has one. */
export const countEntriesPerMinute = ({ callsPerMinute, users }: Load): number =>
  users * Math.min(1, callsPerMinute)

/**
 * The part of a flow in a load. `actors` share a key; `perSecond` is how often each actor does what
 * the sample did once.
 */
type Share = {
  readonly flow: FlowName
  readonly actors: number
  readonly perSecond: number
  readonly only?: readonly string[]
}

function listShares(load: Load): readonly Share[] {
  const { callsPerMinute, hotCallsPerSecond, listens, sse, upstreamMs, users } = load
  const aMinute = 1 / SEC_PER_MINUTE
  const busyMs = upstreamMs + OWN_MS
  const environments = ((countCallsPerSecond(load) + hotCallsPerSecond) * busyMs) / MS_PER_SEC
  const streams = listens + sse
  /** Returns the reads that each environment repeats after `everyMs`, with its next call. */
  const repeatRead = (everyMs: number, ...only: readonly string[]): Share => ({
    flow: 'environments',
    actors: environments,
    perSecond: MS_PER_SEC / Math.max(busyMs, everyMs),
    only,
  })
  return [
    { flow: 'calls', actors: users, perSecond: callsPerMinute * aMinute },
    repeatRead(SHARED_CACHE_MS, 'skill:official', 'skill:market'),
    repeatRead(LIST_VERSION_CACHE_MS, 'mcp_broadcast:tools_changed:{copy}'),
    // The average over the copies.
    repeatRead(0.75 * LIST_VERSION_HEAD_MS, 'mcp_broadcast:tools_changed'),
    { flow: 'hotUser', actors: hotCallsPerSecond, perSecond: 1 },
    { flow: 'listens', actors: listens, perSecond: aMinute },
    { flow: 'sse', actors: sse, perSecond: aMinute },
    // Each stream opens once in its lifetime.
    {
      flow: 'opening',
      actors: streams,
      perSecond: streams / (ROTATE_AFTER_MS / MS_PER_SEC),
      only: [STREAMS, OPENINGS_PK],
    },
    { flow: 'leaseList', actors: streams, perSecond: MS_PER_SEC / LIST_AGE_MAX_MS },
    {
      flow: 'sweep',
      actors: Math.min(countEntriesPerMinute(load), SWEPT_USERS),
      perSecond: aMinute,
    },
  ]
}

/** Returns the units a second of the hottest key of each pattern, the most loaded first. */
export function computeRates(load: Load, growths: Growths): readonly KeyRate[] {
  const sums = new Map<string, { readonly own: Units; readonly shared: Units }>()
  for (const { actors, flow, only, perSecond } of listShares(load)) {
    if (actors === 0 || perSecond === 0) continue
    for (const [pattern, growth] of growths[flow]) {
      if (only?.includes(pattern) === false) continue
      const before = sums.get(pattern) ?? { own: NO_UNITS, shared: NO_UNITS }
      sums.set(pattern, {
        own: toUnits((kind) => Math.max(before.own[kind], growth.own[kind] * perSecond)),
        shared: toUnits((kind) => before.shared[kind] + growth.shared[kind] * actors * perSecond),
      })
    }
  }
  return [...sums]
    .map(([pattern, { own, shared }]) => ({
      pattern,
      ...toUnits((kind) => own[kind] + shared[kind]),
    }))
    .sort((a, b) => toLoadShare(b) - toLoadShare(a))
}

/**
 * Returns the key that reaches its limit first as the whole load grows, and the factor of the load
 * at which it does.
 */
export function findFirstSaturated(
  load: Load,
  growths: Growths,
): { readonly pattern: string; readonly factor: number } {
  const topAt = (factor: number) => {
    const [top] = computeRates(multiplyLoad(load, factor), growths)
    if (top === undefined) throw new Error('scale: a load of nothing has no keys')
    return top
  }
  // The search halves ratios, because the answer may be of any order of magnitude.
  let [low, high] = [1e-6, 1e6]
  for (let halving = 0; halving < 60; halving += 1) {
    const middle = Math.sqrt(low * high)
    if (toLoadShare(topAt(middle)) >= 1) high = middle
    else low = middle
  }
  return { pattern: topAt(high).pattern, factor: high }
}

/** Returns the same mix, multiplied by `factor`. */
export function multiplyLoad(load: Load, factor: number): Load {
  const { hotCallsPerSecond, listens, sse, users } = load
  return {
    ...load,
    users: users * factor,
    listens: listens * factor,
    sse: sse * factor,
    hotCallsPerSecond: hotCallsPerSecond * factor,
  }
}
