/**
 * From small samples to the load of a stage: what the hottest partition key of each pattern takes in a second. Two sizes of a
 * sample tell what is shared: units of the hottest key that grow with the actors are of a key they share, and units that stay
 * are of a key that each has. test/scripts/scale.test.ts proves the step by a third size. Pure.
 */
import {
  LIST_VERSION_CACHE_MS,
  LIST_VERSION_HEAD_MS,
} from '../../adapters/dynamodb/registry/list-version-cache.ts'
import { SHARED_CACHE_MS } from '../../adapters/dynamodb/registry/shared-skill-cache.ts'
import { OPENINGS_PK, STREAMS_PK } from '../../adapters/dynamodb/table.ts'
import { LIST_AGE_MAX_MS } from '../../core/session/lease-policy.ts'
import { ROTATE_AFTER_MS } from '../../core/session/stream-plan.ts'
import type { KeyUnits, Units } from './key-units.ts'
import { type Load, timesLoad } from './load.ts'

/** Limits of one partition of DynamoDB, in units a second: AWS, "Designing partition keys". */
export const PARTITION_WRITES_MAX = 1_000
export const PARTITION_READS_MAX = 3_000

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

/** Of the hottest key of one pattern, by the number of actors: `own + shared * actors`. */
export type Growth = { readonly own: Units; readonly shared: Units }
export type Growths = { readonly [flow in FlowName]: ReadonlyMap<string, Growth> }
export type KeyRate = Units & { readonly pattern: string }

/** Leases of streams; their first part has no number. */
const STREAMS = 'streams:{part}'

/** `{}` stands for the part that differs; a key that fits none is a pattern of its own. */
const PATTERNS: readonly string[] = [
  'auth:hash:{keyHash}',
  'profile:{uid}',
  'skill:private:{uid}',
  'toolname:{uid}',
  'ledger:{uid}',
  'session:{hash}',
  'username:{name}',
  'mcp_broadcast:tools_changed:{copy}',
  STREAMS,
]
const NUMBERED: readonly (readonly [RegExp, string])[] = [
  [/^minute:\d+:\d+$/, 'minute:{minute}:{shard}'],
  [/^sweep:\d+(:\d+)?$/, 'sweep:{minute}'],
  [/^usage:page:\d+$/, 'usage:page:{slot}'],
]

export function patternOf(pk: string): string {
  if (pk === STREAMS_PK) return STREAMS
  if (pk === OPENINGS_PK) return pk
  const numbered = NUMBERED.find(([form]) => form.test(pk))
  if (numbered !== undefined) return numbered[1]
  return PATTERNS.find((pattern) => pk.startsWith(pattern.slice(0, pattern.indexOf('{')))) ?? pk
}

/** Of each pattern, the units of its hottest key; reads and writes may be of different keys. */
export function hottest(keys: KeyUnits): ReadonlyMap<string, Units> {
  const found = new Map<string, Units>()
  for (const [pk, { read, write }] of keys) {
    const pattern = patternOf(pk)
    const most = found.get(pattern) ?? NOTHING
    found.set(pattern, { read: Math.max(most.read, read), write: Math.max(most.write, write) })
  }
  return found
}

const NOTHING: Units = { read: 0, write: 0 }

type Sample = { readonly actors: number; readonly keys: KeyUnits }

export function growthOf(few: Sample, many: Sample): ReadonlyMap<string, Growth> {
  const [a, b] = [hottest(few.keys), hottest(many.keys)]
  const more = many.actors - few.actors
  const growths = new Map<string, Growth>()
  for (const pattern of new Set([...a.keys(), ...b.keys()])) {
    const [low, high] = [a.get(pattern) ?? NOTHING, b.get(pattern) ?? NOTHING]
    const slope = (kind: keyof Units) => Math.max(0, (high[kind] - low[kind]) / more)
    const shared = { read: slope('read'), write: slope('write') }
    const own = (kind: keyof Units) => Math.max(0, low[kind] - shared[kind] * few.actors)
    growths.set(pattern, { own: { read: own('read'), write: own('write') }, shared })
  }
  return growths
}

const SEC_PER_MINUTE = 60
const MS_PER_SEC = 1_000
/** Users whom one run of the sweep reaches at least: no run of more was measured. */
export const SWEPT_USERS = 10_000
/** What each environment reads again after so long, with its next call. */
const ENVIRONMENT_READS: readonly {
  readonly everyMs: number
  readonly patterns: readonly string[]
}[] = [
  { everyMs: SHARED_CACHE_MS, patterns: ['skill:official', 'skill:market'] },
  { everyMs: LIST_VERSION_CACHE_MS, patterns: ['mcp_broadcast:tools_changed:{copy}'] },
  // On average over the copies.
  { everyMs: 0.75 * LIST_VERSION_HEAD_MS, patterns: ['mcp_broadcast:tools_changed'] },
]
/** Beside its upstream, what a call keeps an environment busy for. */
const OWN_MS = 200

type Share = {
  readonly flow: FlowName
  /** Of those that share a key. */
  readonly actors: number
  /** How often each does in a second what the sample did once. */
  readonly perSecond: number
  readonly only?: (pattern: string) => boolean
}

/** Units a second of the hottest key of each pattern, the most loaded first. */
export function ratesAt(load: Load, growths: Growths): readonly KeyRate[] {
  const own = new Map<string, Units>()
  const shared = new Map<string, Units>()
  for (const { actors, flow, only, perSecond } of sharesOf(load)) {
    if (actors === 0 || perSecond === 0) continue
    for (const [pattern, growth] of growths[flow]) {
      if (only !== undefined && !only(pattern)) continue
      const before = own.get(pattern) ?? NOTHING
      const sum = shared.get(pattern) ?? NOTHING
      own.set(pattern, {
        read: Math.max(before.read, growth.own.read * perSecond),
        write: Math.max(before.write, growth.own.write * perSecond),
      })
      shared.set(pattern, {
        read: sum.read + growth.shared.read * actors * perSecond,
        write: sum.write + growth.shared.write * actors * perSecond,
      })
    }
  }
  const rates = [...own].map(([pattern, { read, write }]) => {
    const sum = shared.get(pattern) ?? NOTHING
    return { pattern, read: read + sum.read, write: write + sum.write }
  })
  return rates.sort((a, b) => loadOf(b) - loadOf(a))
}

/** 1 is the limit of a partition. */
export function loadOf({ read, write }: Units): number {
  return Math.max(read / PARTITION_READS_MAX, write / PARTITION_WRITES_MAX)
}

export const callsPerSecondOf = ({ callsPerMinute, users }: Load): number =>
  (users * callsPerMinute) / SEC_PER_MINUTE

/** Each user of a minute has an entry in it. */
export const entriesPerMinuteOf = ({ callsPerMinute, users }: Load): number =>
  users * Math.min(1, callsPerMinute)

function sharesOf(load: Load): readonly Share[] {
  const { callsPerMinute, hotCallsPerSecond, listens, sse, upstreamMs, users } = load
  const aSecond = 1 / SEC_PER_MINUTE
  const calls = callsPerSecondOf(load) + hotCallsPerSecond
  const busyMs = upstreamMs + OWN_MS
  const streams = listens + sse
  return [
    { flow: 'calls', actors: users, perSecond: callsPerMinute * aSecond },
    ...ENVIRONMENT_READS.map(({ everyMs, patterns }) => ({
      flow: 'environments' as const,
      actors: (calls * busyMs) / MS_PER_SEC,
      perSecond: MS_PER_SEC / Math.max(busyMs, everyMs),
      only: (pattern: string) => patterns.includes(pattern),
    })),
    { flow: 'hotUser', actors: hotCallsPerSecond, perSecond: 1 },
    { flow: 'listens', actors: listens, perSecond: aSecond },
    { flow: 'sse', actors: sse, perSecond: aSecond },
    // Each stream opens once in its lifetime.
    {
      flow: 'opening',
      actors: streams,
      perSecond: streams / (ROTATE_AFTER_MS / MS_PER_SEC),
      only: (pattern) => pattern === STREAMS || pattern === OPENINGS_PK,
    },
    { flow: 'leaseList', actors: streams, perSecond: MS_PER_SEC / LIST_AGE_MAX_MS },
    {
      flow: 'sweep',
      actors: Math.min(entriesPerMinuteOf(load), SWEPT_USERS),
      perSecond: aSecond,
    },
  ]
}

export type Saturation = { readonly pattern: string; readonly factor: number }

/** The key that reaches its limit first as the whole load grows from nothing, and at which multiple of the load. */
export function firstSaturated(load: Load, growths: Growths): Saturation {
  const [low, high] = [1e-6, 1e6]
  const factor = bisect(low, high, (at) => loadOf(topAt(at)) >= 1)
  function topAt(at: number): KeyRate {
    const [top] = ratesAt(timesLoad(load, at), growths)
    if (top === undefined) throw new Error('scale: a load of nothing has no keys')
    return top
  }
  return { pattern: topAt(factor).pattern, factor }
}

const BISECTIONS = 60

/** By ratios: the answer may be any order of magnitude. */
function bisect(from: number, to: number, isPast: (at: number) => boolean): number {
  let [low, high] = [from, to]
  for (let at = 0; at < BISECTIONS; at += 1) {
    const middle = Math.sqrt(low * high)
    if (isPast(middle)) high = middle
    else low = middle
  }
  return high
}
