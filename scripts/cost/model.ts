/**
 * Converts counts to dollars: a million calls through a function, item by item, and an hour of an
 * open stream. Pure: counts, prices and assumptions in, rows out. Free tiers are left out. Lambda
 * gives a function of `memoryMb` a share of one vCPU, so CPU time stretches by that share and
 * waiting does not: billed = waited + cpu × memoryMbOfOneVcpu / memoryMb (never less than
 * measured).
 */

export type Prices = {
  readonly usd: {
    readonly lambdaPerMillionRequests: number
    readonly lambdaArmPerGbSecond: number
    readonly writePerMillionUnits: number
    readonly readPerMillionUnits: number
    readonly logsPerGb: number
    readonly tracePerMillion: number
    readonly transferOutPerGb: number
  }
  readonly assumptions: { readonly tracedShare: number; readonly memoryMbOfOneVcpu: number }
}

/** Use of one function by a call, on average. */
export type FunctionUse = {
  readonly door: string
  readonly memoryMb: number
  /** Invocations of the function per call. */
  readonly invocations: number
  /** From receiving the event to asking for the next one, on a whole vCPU. */
  readonly measuredMs: number
  /** The part of it spent on the CPU. */
  readonly cpuMs: number
  /** Store units used. */
  readonly writeUnits: number
  readonly readUnits: number
  readonly logBytes: number
  /** Sent to the agent or REST client. */
  readonly bytesOut: number
}

export type CostItem = { readonly item: string; readonly usdPerMillion: number }

const BYTES_PER_GB = 1e9
const MB_PER_GB = 1024

/** Milliseconds that Lambda bills per invocation of this function. */
export function billedMs(use: FunctionUse, { assumptions }: Pick<Prices, 'assumptions'>): number {
  const stretch = Math.max(1, assumptions.memoryMbOfOneVcpu / use.memoryMb)
  return use.measuredMs - use.cpuMs + use.cpuMs * stretch
}

/** Price of a million calls that use these functions, item by item; the caller adds up. */
export function costOf(uses: readonly FunctionUse[], prices: Prices): readonly CostItem[] {
  const { usd, assumptions } = prices
  const sum = (of: (use: FunctionUse) => number) => uses.reduce((all, use) => all + of(use), 0)
  const gbSeconds = sum(
    (use) => (use.invocations * billedMs(use, prices) * use.memoryMb) / MB_PER_GB / 1000,
  )
  const perMillion = 1e6
  return [
    {
      item: 'Lambda requests',
      usdPerMillion: sum((use) => use.invocations) * usd.lambdaPerMillionRequests,
    },
    { item: 'Lambda GB-seconds', usdPerMillion: gbSeconds * usd.lambdaArmPerGbSecond * perMillion },
    {
      item: 'DynamoDB writes',
      usdPerMillion: sum((use) => use.writeUnits) * usd.writePerMillionUnits,
    },
    {
      item: 'DynamoDB reads, polling included',
      usdPerMillion: sum((use) => use.readUnits) * usd.readPerMillionUnits,
    },
    {
      item: 'logs',
      usdPerMillion: (sum((use) => use.logBytes) * usd.logsPerGb * perMillion) / BYTES_PER_GB,
    },
    {
      item: 'traces',
      usdPerMillion: sum((use) => use.invocations) * assumptions.tracedShare * usd.tracePerMillion,
    },
    {
      item: 'transfer out',
      usdPerMillion:
        (sum((use) => use.bytesOut) * usd.transferOutPerGb * perMillion) / BYTES_PER_GB,
    },
  ]
}

export function totalOf(items: readonly CostItem[]): number {
  return items.reduce((sum, { usdPerMillion }) => sum + usdPerMillion, 0)
}

export type StreamHour = {
  readonly memoryMb: number
  readonly readUnits: number
  readonly writeUnits: number
  /** Streams that an agent opens per hour, since each ends after about 13 minutes. */
  readonly opens: number
}

/** Dollars per hour of one open idle stream. */
export function streamHourOf(hour: StreamHour, { usd }: Prices): readonly CostItem[] {
  const gbSeconds = (3600 * hour.memoryMb) / MB_PER_GB
  return [
    { item: 'Lambda GB-seconds', usdPerMillion: gbSeconds * usd.lambdaArmPerGbSecond },
    {
      item: 'DynamoDB reads (polling)',
      usdPerMillion: (hour.readUnits * usd.readPerMillionUnits) / 1e6,
    },
    { item: 'DynamoDB writes', usdPerMillion: (hour.writeUnits * usd.writePerMillionUnits) / 1e6 },
    { item: 'Lambda requests', usdPerMillion: (hour.opens * usd.lambdaPerMillionRequests) / 1e6 },
  ]
}
