/**
 * Simulates how calls are distributed over environments of a function: how many environments start,
 * and how often a call finds its key and its skill in the caches of its environment. Simulated call
 * by call with a fixed seed: each user calls evenly spaced, users are spread over time, and a free
 * environment is chosen at random, because AWS promises no order.
 */
import { createRandom } from './seeded.ts'

export type Traffic = {
  readonly users: number
  readonly callsPerMinute: number
  readonly skills: number
  /** How long a call keeps its environment busy. */
  readonly busyMs: number
}

export type EnvironmentRules = {
  /** Idle time after which AWS ends an environment. */
  readonly idleMs: number
  /** Age at which AWS replaces an environment. */
  readonly lifetimeMs: number
  /** How long a function caches keys and skills. */
  readonly cacheMs: number
  readonly secrets: {
    readonly recordsMs: number
    readonly recordsMax: number
    readonly dataKeysMs: number
    readonly dataKeysMax: number
  }
}

/** Averages per call. */
export type Meetings = {
  readonly coldStarts: number
  /** Share of calls whose key is not in the cache. */
  readonly unknownKeys: number
  /** Share of calls whose skill is not in the cache. */
  readonly unknownSkills: number
  /**
   * Share of calls whose secret's records are not in the cache, if each call names the one secret
   * of its user.
   */
  readonly unknownSecrets: number
  /** Under the same condition, share of calls whose secret's data key is not in memory. */
  readonly unknownDataKeys: number
  /** Sweep entries per call: one for each user and minute. */
  readonly sweepEntries: number
  /** Lines of metrics per call: an environment adds up its calls and writes a line each 5 s. */
  readonly metricLines: number
}

type Environment = {
  freeAtMs: number
  readonly keys: Cache
  readonly skills: Cache
  readonly secrets: Cache
  readonly dataKeys: Cache
}

/** The time since which each entry is cached; the least recently used entry is first. */
type Cache = Map<number, number>

/**
 * Number of calls that are counted; with more of them the averages change by less than a hundredth.
 */
const CALLS = 60_000
const MINUTE_MS = 60_000
/** A busy environment writes its metrics this often; a test compares it. */
export const METRIC_EVERY_MS = 5_000

/**
 * Returns the averages. Each set of arguments is simulated once, because a bill needs it several
 * times.
 */
export function simulateMeetings(traffic: Traffic, rules: EnvironmentRules): Meetings {
  const cacheKey = JSON.stringify([traffic, rules])
  const meetings = simulated.get(cacheKey) ?? simulate(traffic, rules)
  simulated.set(cacheKey, meetings)
  return meetings
}

const simulated = new Map<string, Meetings>()

function simulate(traffic: Traffic, rules: EnvironmentRules): Meetings {
  const random = createRandom(1)
  const { busyMs, callsPerMinute, skills, users } = traffic
  const cacheLimits = toCacheLimits(rules)
  const gapMs = MINUTE_MS / (users * callsPerMinute)
  const order = shuffle(Math.min(users, 2 * CALLS), random)
  const pool = createPool(rules, random)
  const seen = new Map<number, number>()
  let counts = { ...NO_COUNTS }
  for (let call = 0; call < 2 * CALLS; call += 1) {
    // The first half of the calls fills caches and environments and is not counted.
    if (call === CALLS) counts = { ...NO_COUNTS }
    const nowMs = (call + random()) * gapMs
    const user = order[call % order.length] ?? 0
    const { environment, isNew: isCold } = pool.take(nowMs, busyMs)
    const minute = Math.floor(nowMs / MINUTE_MS)
    const skill = Math.floor(random() * skills)
    counts.coldStarts += Number(isCold)
    // The records are cached for a user and a skill, the data key for the one message that they
    // hold.
    const place = user * skills + skill
    counts.unknownKeys += Number(isMiss(environment.keys, user, nowMs, cacheLimits.keys))
    counts.unknownSkills += Number(isMiss(environment.skills, skill, nowMs, cacheLimits.skills))
    counts.unknownSecrets += Number(isMiss(environment.secrets, place, nowMs, cacheLimits.secrets))
    counts.unknownDataKeys += Number(
      isMiss(environment.dataKeys, user, nowMs, cacheLimits.dataKeys),
    )
    counts.sweepEntries += Number(isNew(seen, user, minute))
  }
  const replaced = (pool.size() * CALLS * gapMs) / rules.lifetimeMs
  return {
    coldStarts: (counts.coldStarts + replaced) / CALLS,
    unknownKeys: counts.unknownKeys / CALLS,
    unknownSkills: counts.unknownSkills / CALLS,
    unknownSecrets: counts.unknownSecrets / CALLS,
    unknownDataKeys: counts.unknownDataKeys / CALLS,
    sweepEntries: counts.sweepEntries / CALLS,
    metricLines: Math.min(1, (pool.size() * gapMs) / METRIC_EVERY_MS),
  }
}

const NO_COUNTS = {
  coldStarts: 0,
  unknownKeys: 0,
  unknownSkills: 0,
  unknownSecrets: 0,
  unknownDataKeys: 0,
  sweepEntries: 0,
}

/**
 * Creates the pool of environments. Every call takes equally long, so calls end in the order in
 * which they began.
 */
function createPool(rules: EnvironmentRules, random: () => number) {
  const free: Environment[] = []
  const busy: Environment[] = []
  let ended = 0
  const release = (nowMs: number) => {
    for (let one = busy[ended]; one !== undefined && one.freeAtMs <= nowMs; one = busy[ended]) {
      free.push(one)
      ended += 1
    }
  }
  return {
    take(nowMs: number, busyMs: number): { environment: Environment; isNew: boolean } {
      release(nowMs)
      const taken = takeFree(free, nowMs, rules, random)
      const environment = taken ?? createEnvironment()
      environment.freeAtMs = nowMs + busyMs
      busy.push(environment)
      return { environment, isNew: taken === undefined }
    },
    size: () => free.length + busy.length - ended,
  }
}

function createEnvironment(): Environment {
  const [keys, skills, secrets, dataKeys] = [new Map(), new Map(), new Map(), new Map()]
  return { freeAtMs: 0, keys, skills, secrets, dataKeys }
}

/**
 * Takes a free environment at random. Environments that were idle for too long are dropped on the
 * way.
 */
function takeFree(
  free: Environment[],
  nowMs: number,
  { idleMs }: EnvironmentRules,
  random: () => number,
): Environment | undefined {
  while (free.length > 0) {
    const at = Math.floor(random() * free.length)
    const one = free[at]
    const last = free.pop()
    if (one !== last && last !== undefined) free[at] = last
    if (one !== undefined && nowMs - one.freeAtMs <= idleMs) return one
  }
  return undefined
}

type CacheLimit = { readonly forMs: number; readonly max: number }

function toCacheLimits({ cacheMs, secrets }: EnvironmentRules) {
  const { dataKeysMax, dataKeysMs, recordsMax, recordsMs } = secrets
  const all = { forMs: cacheMs, max: Number.POSITIVE_INFINITY }
  return {
    keys: all,
    skills: all,
    secrets: { forMs: recordsMs, max: recordsMax },
    dataKeys: { forMs: dataKeysMs, max: dataKeysMax },
  }
}

/** Tells whether the cache lacks the entry, and adds it. */
function isMiss(cache: Cache, thing: number, nowMs: number, { forMs, max }: CacheLimit): boolean {
  const sinceMs = cache.get(thing)
  const isKnown = sinceMs !== undefined && nowMs - sinceMs < forMs
  // The entry is deleted and added again, so that it is the most recently used one.
  if (Number.isFinite(max)) cache.delete(thing)
  cache.set(thing, isKnown ? sinceMs : nowMs)
  if (cache.size > max) {
    const [oldest] = cache.keys()
    if (oldest !== undefined) cache.delete(oldest)
  }
  return !isKnown
}

function isNew(minutes: Map<number, number>, user: number, minute: number): boolean {
  if (minutes.get(user) === minute) return false
  minutes.set(user, minute)
  return true
}

function shuffle(length: number, random: () => number): readonly number[] {
  const order = Array.from({ length }, (_, index) => index)
  for (let at = length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    const [a = 0, b = 0] = [order[at], order[other]]
    order[at] = b
    order[other] = a
  }
  return order
}
