/**
 * How calls meet environments of a function: how many environments start, and how often a call finds its key and its
 * skill in the caches of the environment that takes it. Simulated call by call with a fixed seed: each user
 * calls evenly spaced, users are spread over time, and a free environment is taken at random, since AWS promises no order.
 */
import { seeded } from './seeded.ts'

export type Traffic = {
  readonly users: number
  readonly callsPerMinute: number
  readonly skills: number
  /** How long a call occupies its environment. */
  readonly busyMs: number
}

export type EnvironmentRules = {
  /** AWS ends an environment that was idle for so long. */
  readonly idleMs: number
  /** AWS replaces every environment after so long. */
  readonly lifetimeMs: number
  /** How long a function remembers keys and skills. */
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
  /** Calls whose key is not in the cache. */
  readonly unknownKeys: number
  /** Calls whose skill is not in the cache. */
  readonly unknownSkills: number
  /** If each names the one secret of its user: calls whose records of it are not in the cache. */
  readonly unknownSecrets: number
  /** As above: calls whose secret's data key is not in memory. */
  readonly unknownDataKeys: number
  /** Sweep entries: one for each user and minute. */
  readonly sweepEntries: number
}

type Environment = {
  freeAtMs: number
  readonly keys: Cache
  readonly skills: Cache
  readonly secrets: Cache
  readonly dataKeys: Cache
}

/** Since when a thing is known; the least recently used is first. */
type Cache = Map<number, number>

/** Beyond these the averages change by less than a hundredth. */
const CALLS = 60_000
const MINUTE_MS = 60_000

/** Played once for the same arguments: a bill asks several times. */
export function meet(traffic: Traffic, rules: EnvironmentRules): Meetings {
  const asked = JSON.stringify([traffic, rules])
  const meetings = played.get(asked) ?? play(traffic, rules)
  played.set(asked, meetings)
  return meetings
}

const played = new Map<string, Meetings>()

function play(traffic: Traffic, rules: EnvironmentRules): Meetings {
  const random = seeded(1)
  const { busyMs, callsPerMinute, skills, users } = traffic
  const kept = keptFor(rules)
  const gapMs = MINUTE_MS / (users * callsPerMinute)
  const order = shuffled(Math.min(users, 2 * CALLS), random)
  const pool = environmentPool(rules, random)
  const seen = new Map<number, number>()
  let counts = { ...NONE }
  for (let call = 0; call < 2 * CALLS; call += 1) {
    // The first half fills caches and environments.
    if (call === CALLS) counts = { ...NONE }
    const nowMs = (call + random()) * gapMs
    const user = order[call % order.length] ?? 0
    const { environment, isNew: isCold } = pool.take(nowMs, busyMs)
    const minute = Math.floor(nowMs / MINUTE_MS)
    const skill = Math.floor(random() * skills)
    counts.coldStarts += Number(isCold)
    // The records are remembered for a user and a skill, the data key for the one message that they hold.
    const place = user * skills + skill
    counts.unknownKeys += Number(isUnknown(environment.keys, user, nowMs, kept.keys))
    counts.unknownSkills += Number(isUnknown(environment.skills, skill, nowMs, kept.skills))
    counts.unknownSecrets += Number(isUnknown(environment.secrets, place, nowMs, kept.secrets))
    counts.unknownDataKeys += Number(isUnknown(environment.dataKeys, user, nowMs, kept.dataKeys))
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
  }
}

const NONE = {
  coldStarts: 0,
  unknownKeys: 0,
  unknownSkills: 0,
  unknownSecrets: 0,
  unknownDataKeys: 0,
  sweepEntries: 0,
}

/** Every call takes as long, so those that began first end first. */
function environmentPool(rules: EnvironmentRules, random: () => number) {
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
      const environment = taken ?? newEnvironment()
      environment.freeAtMs = nowMs + busyMs
      busy.push(environment)
      return { environment, isNew: taken === undefined }
    },
    size: () => free.length + busy.length - ended,
  }
}

function newEnvironment(): Environment {
  const [keys, skills, secrets, dataKeys] = [new Map(), new Map(), new Map(), new Map()]
  return { freeAtMs: 0, keys, skills, secrets, dataKeys }
}

/** Those idle for too long are dropped on the way. */
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

type Kept = { readonly forMs: number; readonly max: number }

function keptFor({ cacheMs, secrets }: EnvironmentRules) {
  const { dataKeysMax, dataKeysMs, recordsMax, recordsMs } = secrets
  const all = { forMs: cacheMs, max: Number.POSITIVE_INFINITY }
  return {
    keys: all,
    skills: all,
    secrets: { forMs: recordsMs, max: recordsMax },
    dataKeys: { forMs: dataKeysMs, max: dataKeysMax },
  }
}

/** True when the cache did not know the thing; it does from now on. */
function isUnknown(cache: Cache, thing: number, nowMs: number, { forMs, max }: Kept): boolean {
  const sinceMs = cache.get(thing)
  const isKnown = sinceMs !== undefined && nowMs - sinceMs < forMs
  // Taken out and put in again, it was used last.
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

function shuffled(length: number, random: () => number): readonly number[] {
  const order = Array.from({ length }, (_, index) => index)
  for (let at = length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1))
    const [a = 0, b = 0] = [order[at], order[other]]
    order[at] = b
    order[other] = a
  }
  return order
}
