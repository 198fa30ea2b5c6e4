/**
 * One simulated world: one store, one user with credits for a few calls, a handful of processes
 * with clocks of their own, a plan of what is to happen, and weather. All of it follows from the
 * seed.
 */
import { type ExecuteCaches, makeExecuteCaches } from '../../../core/flow/execute/execute-caches.ts'
import type { Settings } from '../../../core/settings.ts'
import { type Random, seededRandom } from '../random.ts'
import { openScheduler, type Scheduler, type Weather } from '../scheduler.ts'
import type { LedgerStore, OpenLedgerStore } from './ledger-store.ts'
import { type Limits, PRICE_MICRO, START_MS } from './user.ts'

/** One Lambda environment: a clock that is wrong in its own way, and memory that dies with it. */
export type Process = {
  readonly name: string
  offsetMs: number
  alive: boolean
  readonly caches: ExecuteCaches
  /** The attempts that this environment executes. */
  readonly working: Set<{ readonly call: Call }>
}

/** How often a request to the store goes wrong, and in which way. */
export type Faults = {
  readonly throttled: number
  readonly answerLost: number
  readonly late: number
  readonly duplicated: number
  /** Eventually consistent reads that see an older profile. */
  readonly stale: number
}

/** One intended call, however often it is sent. */
export type Call = {
  readonly name: string
  /** A keyed call is sent by REST clients and by agents, under one Idempotency-Key. */
  readonly kind: 'rest' | 'agent' | 'keyed'
  /** All answers that the caller got, in order. */
  readonly heard: CallerNews[]
  /** Call ids under which agents sent it. */
  readonly agentIds: string[]
  /** Call ids that somebody tried to take back. */
  readonly takenBack: Set<string>
  /** Call ids that were reported as voided. */
  readonly voided: Set<string>
  /** Reasons that allow this call to be free although it succeeded. */
  readonly disturbances: Set<string>
  executions: number
  /** Answers that said that another sending had other arguments. */
  conflicts: number
  readonly gone: AbortController
}

/**
 * The call was delivered twice, and the answer that counts was given without reading the ledger. No
 * process can then know that the other delivery runs, so the agent may hear of a failure and pay.
 * The product's functions send a call once; a sender that sends one twice must void a failed one.
 */
export const REFUSED_TWIN = 'refused twin'

/** `open`: the answer leaves open whether the call was charged, or is still running. */
export type Meaning = 'success' | 'failure' | 'open'
/** `id` is the end of the call ids that this is about. */
export type CallerNews = {
  readonly what: Meaning
  readonly id: string
  /** The answer of an earlier attempt, given again. */
  readonly replayed?: true
}

export type World = {
  readonly seed: number
  readonly random: Random
  readonly scheduler: Scheduler
  readonly store: LedgerStore
  readonly settings: Settings
  /** Clocks agree within seconds and nothing takes longer, which allows stricter checks. */
  readonly calm: boolean
  faults: Faults
  readonly processes: Process[]
  readonly calls: Call[]
  readonly startMicro: number
  readonly holdsMax: number
  readonly violations: string[]
  readonly trace: string[]
  /** Kinds of trouble that occurred, to prove that schedules meet all of them. */
  readonly happened: Set<string>
  /** The most calls that each day of the key has counted so far. */
  readonly dayCalls: Map<string, number>
  serial: number
  note(line: string): void
}

export function makeWorld(seed: number, tracing: boolean, open: OpenLedgerStore): World {
  const random = seededRandom(seed)
  const calm = random.chance(0.5)
  const trace: string[] = []
  const note = tracing
    ? (line: string) => void trace.push(`${scheduler.nowMs() - START_MS} ms: ${line}`)
    : () => {}
  const scheduler = openScheduler(START_MS, random, weatherOf(random, calm), note)
  const holdsMax = random.pick([1, 2, 3, 32])
  const startMicro = random.pick([1, 2, 3, 5]) * PRICE_MICRO + random.pick([0, 0, 1, 299_999])
  const limits = { ...limitsOf(random), ...dayLimitOf(seed) }
  const settings = settingsOf(holdsMax)
  const world: World = {
    seed,
    random,
    scheduler,
    store: open(startMicro, limits),
    settings,
    calm,
    faults: faultsOf(random),
    processes: [],
    calls: [],
    startMicro,
    holdsMax,
    violations: [],
    trace,
    happened: new Set(),
    dayCalls: new Map(),
    serial: 0,
    note,
  }
  return world
}

/** Half of the users have a budget, a few of them two. */
function limitsOf(random: Random): Limits {
  const limit = () => random.pick([1, 2, 3]) * PRICE_MICRO + random.pick([0, 299_999])
  return {
    ...(random.chance(0.4) ? { user: limit() } : {}),
    ...(random.chance(0.2) ? { key: limit() } : {}),
  }
}

/** A third of the keys have calls per day. A generator of its own leaves the other draws alone. */
function dayLimitOf(seed: number): Limits {
  const random = seededRandom(seed + 1_000_003)
  return random.chance(0.33) ? { callsPerDay: random.pick([1, 2, 3, 5]) } : {}
}

export function startProcess(world: World): Process {
  world.serial += 1
  const range = world.calm ? 5_000 : world.random.pick([1_000, 30_000, 240_000])
  const process = {
    name: `p${world.serial}`,
    offsetMs: world.random.below(2 * range) - range,
    alive: true,
    caches: makeExecuteCaches(),
    working: new Set<{ call: Call }>(),
  }
  world.processes.push(process)
  return process
}

/** Delays of seconds when calm, past every limit of the protocol when not. */
function weatherOf(random: Random, calm: boolean): Weather {
  return {
    latencyMaxMs: calm ? 1_000 : random.pick([1_000, 20_000, 120_000]),
    lateMaxMs: calm ? 10_000 : random.pick([10_000, 200_000, Number.MAX_SAFE_INTEGER]),
    timeChance: random.pick([0.02, 0.1, 0.3]),
    lateChance: random.pick([0.01, 0.1, 0.3]),
    planChance: random.pick([0.03, 0.15, 0.5]),
    leapsMs: calm ? [1, 50, 700, 5_000, 61_000] : [1, 900, 14_000, 61_000, 130_000],
  }
}

function faultsOf(random: Random): Faults {
  const rates = random.pick([[0], [0, 0.1], [0, 0.1, 0.3], [0.2, 0.4]])
  const rate = () => random.pick(rates)
  return {
    throttled: rate() / 2,
    answerLost: rate() / 2,
    late: rate() / 2,
    duplicated: rate(),
    stale: rate(),
  }
}

function settingsOf(holdsMax: number): Settings {
  return {
    version: '0.0.0',
    prefix: 'sg',
    tiers: { free: { callsPerMinute: 1_000, holdsMax } },
    streams: { perKeyMax: 20, totalMax: 70, anonymousMax: 7 },
    announceToolChanges: true,
    toolList: 'all',
    priceInDescription: true,
    callExcerpts: true,
    ledgerHotMs: 1_209_600_000,
    allowedOrigins: [],
    outboundAllow: [],
    privateHosts: [],
    signedAccess: [],
    publicOrigin: undefined,
    askForSecrets: true,
    issuers: [],
    anonymousList: false,
    renamesChallenge: false,
    authExtensions: [],
    executeUrl: undefined,
  }
}
