/**
 * Computes dollars from counts: what a million calls cost, item by item, for one way of calling and
 * one mix. Pure. Units and bytes are counted and CPU times measured (measured.json); what AWS does
 * beside them are assumptions of prices.json. Lambda gives a function of `memoryMb` a share of one
 * vCPU, so CPU time is stretched by that share and waiting is not. Free tiers are left out.
 */
import type { Door } from '../doors.ts'
import { type Meetings, simulateMeetings } from './environments.ts'
import type { Mix } from './mix.ts'
import { computeSecretUse, SECRET_MEMORY, type SecretUse } from './secrets.ts'

export type Prices = {
  readonly region: string
  readonly date: string
  readonly usd: {
    readonly lambdaPerMillionRequests: number
    readonly lambdaArmPerGbSecond: number
    readonly writePerMillionUnits: number
    readonly readPerMillionUnits: number
    readonly tablePerGbMonth: number
    readonly restorePerGbMonth: number
    readonly logsPerGb: number
    readonly logsKeptPerGbMonth: number
    readonly transferOutPerGb: number
    readonly metricPerMonth: number
    readonly keyRequestsPerMillion: number
  }
  readonly assumptions: {
    readonly memoryMbOfOneVcpu: number
    readonly storeRoundTripMs: number
    readonly keyRoundTripMs: number
    readonly peerHopMs: number
    readonly runtimeInitMs: number
    readonly environmentIdleMs: number
    readonly environmentLifetimeMs: number
    readonly upstreamRequestBytes: number
    readonly outcomeBytes: number
    readonly refusalCodes: number
    readonly logsCompression: number
  }
}

/** Use of one function by a call, on average. */
export type FunctionUse = {
  readonly door: Door
  readonly invocations: number
  /** CPU time on a whole core. */
  readonly cpuMs: number
  /** Round trips to the store, one after the other. */
  readonly storeRounds: number
  readonly writeUnits: number
  readonly readUnits: number
  /** The part of these units that is of the table Sessions, which is always on demand. */
  readonly sessionsWriteUnits: number
  readonly sessionsReadUnits: number
  readonly logBytes: number
}

export type MeasuredWay = {
  /** A call whose key and skill are in the caches of the environment. */
  readonly repeat: readonly FunctionUse[]
  /**
   * A call whose key is not in the caches. Empty for HTTP+SSE, where one stream takes all calls.
   */
  readonly fresh: readonly FunctionUse[]
  readonly refused: readonly FunctionUse[]
  /** Bytes of a response with a text of 1,000 bytes. */
  readonly bytesOut: number
  /** Bytes by which a response grows with each byte of its text. */
  readonly bytesOutPerByte: number
}

export type WayName = 'execute' | 'mcp' | 'sse'
export type MeasuredWays = { readonly [way in WayName]: MeasuredWay }

export type ColdStart = {
  /** CPU time from the start of the process to its first poll. */
  readonly initMs: number
  /** CPU time of the first call. */
  readonly firstCpuMs: number
}

export type Costing = {
  readonly mix: Mix
  readonly prices: Prices
  readonly memoryMb: { readonly [door in Door]: number }
  readonly ways: MeasuredWays
  readonly cold: { readonly [door in Door]?: ColdStart }
  readonly sweepEntry: SweepEntryUse
  readonly logRetentionDays: number
  /**
   * Prices of the table of keys, skills and credits; {@link Prices} has those of a table on demand.
   */
  readonly gateway: UnitPrices
}

export type UnitPrices = Pick<Prices['usd'], 'readPerMillionUnits' | 'writePerMillionUnits'>

export type Units = { readonly writeUnits: number; readonly readUnits: number }

/** The use of one sweep entry, which a call's count has written. */
export type SweepEntryUse = {
  readonly readUnits: number
  readonly writeUnits: number
  readonly rounds: number
  readonly cpuMs: number
}

export type CostItem = { readonly item: string; readonly usdPerMillion: number }

/**
 * Read units of the record of a shared skill, read eventually;
 * test/core/flow/execute/call-costs.test.ts checks it.
 */
export const SKILL_READ_UNITS = 0.5
/** How long keys and skills are cached (docs/wire.md, Limits). */
const CACHE_MS = 30_000
const MEASURED_TEXT_BYTES = 1_000
const BYTES_PER_GB = 1e9
const MB_PER_GB = 1024
const MILLION = 1e6
const DAYS_PER_MONTH = 30.4

/** Returns the price of a million calls, item by item. */
export function computeCost(way: WayName, costing: Costing): readonly CostItem[] {
  const { mix, prices } = costing
  const { usd } = prices
  const meetings = simulateWay(way, costing)
  const uses = averageUses(way, costing, meetings)
  const sum = (of: (use: FunctionUse) => number) => uses.reduce((all, use) => all + of(use), 0)
  const time = (ms: number, door: Door) => computeLambdaUsd(ms, costing.memoryMb[door], usd)
  return [
    toItem(
      'Lambda requests',
      (sum((use) => use.invocations) * usd.lambdaPerMillionRequests) / MILLION,
    ),
    toItem(
      'Lambda time waiting for the upstream',
      sum((use) => time(computeUpstreamMs(use, mix), use.door)),
    ),
    toItem(
      'Lambda time of its own',
      sum((use) => time(computeOwnMs(use, costing), use.door)),
    ),
    toItem('cold starts', computeColdUsd(uses, costing)),
    toItem(
      'DynamoDB writes',
      sum((use) => computeUnitsUsd({ ...toGatewayUnits(use), readUnits: 0 }, costing.gateway)) +
        sum((use) => computeUnitsUsd({ ...toSessionsUnits(use), readUnits: 0 }, usd)),
    ),
    toItem(
      'DynamoDB reads, polling included',
      sum((use) => computeUnitsUsd({ ...toGatewayUnits(use), writeUnits: 0 }, costing.gateway)) +
        sum((use) => computeUnitsUsd({ ...toSessionsUnits(use), writeUnits: 0 }, usd)),
    ),
    toItem('secrets: reads, key service and time', computeSecretsUsd(way, costing, meetings)),
    toItem('sweep: reads, writes and time', computeSweepUsd(costing, meetings)),
    toItem('logs', (sum((use) => use.logBytes) * computeLogUsdPerGb(costing)) / BYTES_PER_GB),
    toItem(
      'transfer out, to agents and upstreams',
      (computeBytesOut(way, costing) * usd.transferOutPerGb) / BYTES_PER_GB,
    ),
    toItem('X-Ray: off', 0),
  ]
}

/** Returns the units of the Gateway table for a call and its sweep entry. */
export function countGatewayUnits(way: WayName, costing: Costing): Units {
  const { mix, sweepEntry } = costing
  const meetings = simulateWay(way, costing)
  const uses = averageUses(way, costing, meetings).map(toGatewayUnits)
  const paid = 1 - mix.refused
  const sumUnits = (name: keyof Units) =>
    uses.reduce((sum, use) => sum + use[name], 0) + paid * meetings.sweepEntries * sweepEntry[name]
  const { readUnits } = computeSecrets(mix, meetings)
  return { writeUnits: sumUnits('writeUnits'), readUnits: sumUnits('readUnits') + readUnits }
}

function toGatewayUnits(use: FunctionUse): Units {
  return {
    writeUnits: use.writeUnits - use.sessionsWriteUnits,
    readUnits: use.readUnits - use.sessionsReadUnits,
  }
}

function toSessionsUnits({ sessionsReadUnits, sessionsWriteUnits }: FunctionUse): Units {
  return { writeUnits: sessionsWriteUnits, readUnits: sessionsReadUnits }
}

function toItem(name: string, usdPerCall: number): CostItem {
  return { item: name, usdPerMillion: usdPerCall * MILLION }
}

export function sumItems(items: readonly CostItem[]): number {
  return items.reduce((sum, { usdPerMillion }) => sum + usdPerMillion, 0)
}

/**
 * Returns the price of one call to execute that is refused with these units; its short response is
 * left out.
 */
export function computeRefusedCallUsd(costing: Costing, { readUnits, writeUnits }: Units): number {
  const { memoryMb, prices, ways } = costing
  const { usd } = prices
  const uses = ways.execute.refused
  return uses.reduce(
    (sum, use) => {
      const requestsUsd = use.invocations * usd.lambdaPerMillionRequests
      const ms = computeOwnMs(use, costing)
      const logsUsd = (use.logBytes * computeLogUsdPerGb(costing)) / BYTES_PER_GB
      return sum + requestsUsd / MILLION + computeLambdaUsd(ms, memoryMb[use.door], usd) + logsUsd
    },
    computeUnitsUsd({ readUnits, writeUnits }, usd),
  )
}

/** Returns the function that makes the call: its caches have keys and skills. */
function findCachingDoor({ repeat }: MeasuredWay): Door {
  return repeat.find(({ door }) => door !== 'sse')?.door ?? 'execute'
}

function simulateWay(way: WayName, costing: Costing): Meetings {
  const uses = costing.ways[way].repeat
  const taker = uses.find(({ door }) => door === findCachingDoor(costing.ways[way]))
  return simulateUse(taker, costing)
}

function simulateUse(use: FunctionUse | undefined, costing: Costing): Meetings {
  const { mix, prices } = costing
  const { callsPerMinute, skills, users } = mix
  const { environmentIdleMs: idleMs, environmentLifetimeMs: lifetimeMs } = prices.assumptions
  const busyMs = use === undefined ? 0 : computeOwnMs(use, costing) + computeUpstreamMs(use, mix)
  const rules = { idleMs, lifetimeMs, cacheMs: CACHE_MS, secrets: SECRET_MEMORY }
  return simulateMeetings({ users, callsPerMinute, skills, busyMs }, rules)
}

/**
 * Returns the use of each function, averaged over repeats, users new to the environment, and
 * refusals.
 */
export function averageUses(
  way: WayName,
  costing: Costing,
  meetings: Meetings,
): readonly FunctionUse[] {
  const { refused: share } = costing.mix
  const { refused, repeat } = costing.ways[way]
  const taker = findCachingDoor(costing.ways[way])
  const more = computeFreshExtra(costing.ways)
  const { unknownKeys, unknownSkills } = meetings
  return repeat.map((use) => {
    const isTaker = use.door === taker
    const run = {
      ...use,
      cpuMs: use.cpuMs + (isTaker ? unknownKeys * more.cpuMs : 0),
      storeRounds: use.storeRounds + (isTaker ? unknownKeys * more.storeRounds : 0),
      readUnits:
        use.readUnits +
        (isTaker ? unknownKeys * more.readUnits + unknownSkills * SKILL_READ_UNITS : 0),
    }
    return mixUses(
      run,
      refused.find(({ door }) => door === use.door),
      share,
    )
  })
}

/**
 * Returns the use that a user who is new to an environment adds to a repeat, from the calls of
 * execute.
 */
function computeFreshExtra({
  execute,
}: MeasuredWays): Pick<FunctionUse, 'cpuMs' | 'storeRounds' | 'readUnits'> {
  const [repeat] = execute.repeat
  const [fresh] = execute.fresh
  if (repeat === undefined || fresh === undefined)
    throw new Error('measured.json: execute has no calls')
  return {
    cpuMs: Math.max(0, fresh.cpuMs - repeat.cpuMs),
    storeRounds: Math.max(0, fresh.storeRounds - repeat.storeRounds),
    readUnits: fresh.readUnits - repeat.readUnits,
  }
}

function mixUses(run: FunctionUse, refused: FunctionUse | undefined, share: number): FunctionUse {
  const of = (name: Exclude<keyof FunctionUse, 'door'>) =>
    (1 - share) * run[name] + share * (refused?.[name] ?? 0)
  return {
    door: run.door,
    invocations: of('invocations'),
    cpuMs: of('cpuMs'),
    storeRounds: of('storeRounds'),
    writeUnits: of('writeUnits'),
    readUnits: of('readUnits'),
    sessionsWriteUnits: of('sessionsWriteUnits'),
    sessionsReadUnits: of('sessionsReadUnits'),
    logBytes: of('logBytes'),
  }
}

/**
 * Returns the time for which a function waits for the upstream. A POST to a stream is answered at
 * once; every other function waits.
 */
function computeUpstreamMs({ door }: FunctionUse, { refused, upstreamMs }: Mix): number {
  return door === 'sse' ? 0 : (1 - refused) * upstreamMs
}

/** Returns the milliseconds per call that Lambda bills, without the upstream's time. */
export function computeOwnMs(
  use: FunctionUse,
  { memoryMb, prices }: Pick<Costing, 'memoryMb' | 'prices'>,
): number {
  const { memoryMbOfOneVcpu, peerHopMs, storeRoundTripMs } = prices.assumptions
  const { cpuMs, door, storeRounds } = use
  const stretch = Math.max(1, memoryMbOfOneVcpu / memoryMb[door])
  // sse waits until messages has taken a message.
  return cpuMs * stretch + storeRounds * storeRoundTripMs + (door === 'sse' ? peerHopMs : 0)
}

function computeColdUsd(uses: readonly FunctionUse[], costing: Costing): number {
  const { cold, memoryMb, prices } = costing
  const { memoryMbOfOneVcpu, runtimeInitMs } = prices.assumptions
  return uses.reduce((sum, use) => {
    const { firstCpuMs, initMs } = cold[use.door] ?? { firstCpuMs: 0, initMs: 0 }
    // Init runs on a whole core for any memory.
    const ms = runtimeInitMs + initMs + firstCpuMs * (memoryMbOfOneVcpu / memoryMb[use.door])
    const { coldStarts } = simulateUse(use, costing)
    return sum + coldStarts * computeLambdaUsd(ms, memoryMb[use.door], prices.usd)
  }, 0)
}

/** Returns the use of secrets of an average call. Refused calls open none. */
function computeSecrets({ refused, secrets }: Mix, meetings: Meetings): SecretUse {
  return computeSecretUse(secrets * (1 - refused), meetings)
}

function computeSecretsUsd(way: WayName, costing: Costing, meetings: Meetings): number {
  const { gateway, memoryMb, mix, prices } = costing
  const { keyRoundTripMs, memoryMbOfOneVcpu } = prices.assumptions
  const { cpuMs, keyRequests, readUnits } = computeSecrets(mix, meetings)
  const door = findCachingDoor(costing.ways[way])
  const stretch = Math.max(1, memoryMbOfOneVcpu / memoryMb[door])
  const ms = cpuMs * stretch + keyRequests * keyRoundTripMs
  return (
    computeUnitsUsd({ readUnits, writeUnits: 0 }, gateway) +
    (keyRequests * prices.usd.keyRequestsPerMillion) / MILLION +
    computeLambdaUsd(ms, memoryMb[door], prices.usd)
  )
}

function computeSweepUsd(costing: Costing, { sweepEntries }: Meetings): number {
  const { gateway, memoryMb, mix, prices, sweepEntry } = costing
  const { assumptions, usd } = prices
  const stretch = assumptions.memoryMbOfOneVcpu / memoryMb.sweep
  const ms = sweepEntry.cpuMs * stretch + sweepEntry.rounds * assumptions.storeRoundTripMs
  const entryUsd = computeUnitsUsd(sweepEntry, gateway) + computeLambdaUsd(ms, memoryMb.sweep, usd)
  return (1 - mix.refused) * sweepEntries * entryUsd
}

function computeUnitsUsd({ readUnits, writeUnits }: Units, usd: UnitPrices): number {
  return (readUnits * usd.readPerMillionUnits + writeUnits * usd.writePerMillionUnits) / MILLION
}

function computeLogUsdPerGb({ logRetentionDays, prices }: Costing): number {
  const { logsKeptPerGbMonth, logsPerGb } = prices.usd
  const months = logRetentionDays / DAYS_PER_MONTH
  return logsPerGb + logsKeptPerGbMonth * prices.assumptions.logsCompression * months
}

function computeBytesOut(way: WayName, { mix, prices, ways }: Costing): number {
  const { bytesOut, bytesOutPerByte } = ways[way]
  const answer = bytesOut + (mix.resultBytes - MEASURED_TEXT_BYTES) * bytesOutPerByte
  return Math.max(0, answer) + (1 - mix.refused) * prices.assumptions.upstreamRequestBytes
}

export function computeLambdaUsd(ms: number, memoryMb: number, usd: Prices['usd']): number {
  return ((ms / 1000) * memoryMb * usd.lambdaArmPerGbSecond) / MB_PER_GB
}

/**
 * Returns the dollars a month for a million calls a month that are kept in the table for `hotDays`
 * days.
 */
export function computeKeptUsd({ usd, assumptions }: Prices, hotDays: number): number {
  const gb = (MILLION * assumptions.outcomeBytes) / BYTES_PER_GB
  return gb * (hotDays / DAYS_PER_MONTH) * (usd.tablePerGbMonth + usd.restorePerGbMonth)
}

export type StreamHour = {
  readonly memoryMb: number
  readonly readUnits: number
  readonly writeUnits: number
  /** Streams that an agent opens per hour; each ends after about 13 minutes. */
  readonly opens: number
}

export type HourItem = { readonly item: string; readonly usd: number }

/** Returns the dollars per hour of one open idle stream. */
export function computeStreamHour(hour: StreamHour, { usd }: Prices): readonly HourItem[] {
  const gbSeconds = (3600 * hour.memoryMb) / MB_PER_GB
  return [
    { item: 'Lambda GB-seconds', usd: gbSeconds * usd.lambdaArmPerGbSecond },
    { item: 'DynamoDB reads (polling)', usd: (hour.readUnits * usd.readPerMillionUnits) / MILLION },
    { item: 'DynamoDB writes', usd: (hour.writeUnits * usd.writePerMillionUnits) / MILLION },
    { item: 'Lambda requests', usd: (hour.opens * usd.lambdaPerMillionRequests) / MILLION },
  ]
}
